import { type ChildNode, isTag, isText, Text } from "domhandler";
import { element } from "../../kinds/tree-content.ts";
import { type Look } from "./styles.ts";

/** A text with its look. Neighbours of the same look are joined, since programs split words into many runs. */
export interface Run {
  readonly look: Look;
  readonly nodes: ChildNode[];
  readonly href: string | undefined;
}

function isSame(one: Look, other: Look): boolean {
  return (
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.strike === other.strike &&
    one.code === other.code &&
    one.raised === other.raised
  );
}

/** Collects the runs of a paragraph. */
export class Runs {
  readonly #runs: Run[] = [];

  add(node: ChildNode, look: Look, href?: string): void {
    const last = this.#runs.at(-1);
    if (last === undefined || last.href !== href || !isSame(last.look, look)) {
      this.#runs.push({ look, nodes: [node], href });
      return;
    }
    const before = last.nodes.at(-1);
    if (before !== undefined && isText(before) && isText(node)) before.data += node.data;
    else last.nodes.push(node);
  }

  text(data: string, look: Look, href?: string): void {
    if (data !== "") this.add(new Text(data), look, href);
  }

  /** The runs as elements. */
  take(): ChildNode[] {
    const made: ChildNode[] = [];
    let link: { href: string; nodes: ChildNode[] } | undefined;
    const endLink = (): void => {
      if (link !== undefined) made.push(element("a", link.nodes, { href: link.href }));
      link = undefined;
    };
    for (const { look, nodes, href } of this.#runs) {
      const marked = withMarks(nodes, look);
      if (href !== link?.href) endLink();
      if (href === undefined) made.push(...marked);
      else if (link === undefined) link = { href, nodes: [...marked] };
      else link.nodes.push(...marked);
    }
    endLink();
    this.#runs.length = 0;
    return made;
  }
}

function withMarks(nodes: ChildNode[], look: Look): ChildNode[] {
  let made = nodes;
  if (look.code === true) made = [element("code", made)];
  if (look.raised !== undefined) made = [element(look.raised, made)];
  if (look.italic === true) made = [element("em", made)];
  if (look.bold === true) made = [element("strong", made)];
  if (look.strike === true) made = [element("del", made)];
  return made;
}

/** Whether any of the nodes is more than white space. */
export function hasContent(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => !isText(node) || node.data.trim() !== "");
}

/** Text that is code from its beginning to its end, or undefined. */
export function codeTextOf(nodes: readonly ChildNode[]): string | undefined {
  let code = "";
  let hasCode = false;
  for (const node of nodes) {
    const text = isText(node) ? undefined : markedCode(node);
    hasCode ||= text !== undefined && text !== "\n";
    // Spaces between runs of code may have another look.
    if (text === undefined && hasContent([node])) return undefined;
    code += text ?? (isText(node) ? node.data : "");
  }
  return hasCode ? code : undefined;
}

/** The text of code, parts of which may be bold, italic or deleted, as by syntax highlighting. */
function markedCode(node: ChildNode): string | undefined {
  if (!isTag(node)) return undefined;
  if (node.name === "br") return "\n";
  if (node.name === "code") return node.children.map((child) => (isText(child) ? child.data : "\n")).join("");
  return /^(?:strong|em|del)$/.test(node.name) ? codeTextOf(node.children) : undefined;
}
