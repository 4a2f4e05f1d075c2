import { hasWords } from "./content.ts";
import { forEachChild, type Node } from "../syntax/syntax.ts";

/** Methods that browsers and frameworks call by themselves. */
export const LIFECYCLE =
  "constructor connectedCallback connect initialize init mounted firstUpdated updated componentDidMount componentWillMount ngOnInit ngAfterViewInit render".split(
    " ",
  );

/** Whether the template that a component renders has text, or values. */
export function rendersText(node: Node): boolean {
  let renders = false;
  forEachChild(node, (child) => {
    if (
      child.type === "TemplateLiteral" &&
      (child.expressions.length > 0 || child.quasis.some(({ value }) => hasWords(String(value.cooked))))
    )
      renders = true;
    renders ||= rendersText(child);
  });
  return renders;
}
