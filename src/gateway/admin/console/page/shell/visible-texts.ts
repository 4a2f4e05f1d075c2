import { options } from "preact";
import { isObject } from "../../../../../lib/is-object.ts";
import { visibleLines } from "../../../../../lib/text/visible-text.ts";

/** Shows the invisible characters of all texts on the page, which may be names and messages of strangers. */
export function showInvisible(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    // The node of a text has the text in place of properties.
    const props: unknown = vnode.props;
    if (typeof props === "string") Object.assign(vnode, { props: visibleLines(props) });
    else if (isObject(props) && typeof props["title"] === "string")
      Object.assign(props, { title: visibleLines(props["title"]) });
    before?.(vnode);
  };
}
