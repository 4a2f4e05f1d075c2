import { type Document, isDirective, isTag } from "domhandler";
import { serializeOuter } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";

/** The document in a browser's form: its type, and the outer HTML of its root element (WHATWG HTML §13.3). */
export function toHtml(tree: Document): string {
  const type = tree.children.find(isDirective);
  const root = tree.children.find(isTag);
  const html = root === undefined ? "" : serializeOuter(root, { treeAdapter: adapter });
  return type === undefined ? html : `<${type.data}>\n${html}`;
}
