import { TASK_DONE, TASK_OPEN } from "./document.ts";
import { type DomElement, type DomNode } from "./dom.ts";

/** Elements that begin on a line of their own. */
const BLOCKS = new Set(
  (
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre section summary table tbody tfoot " +
    "thead tr ul"
  ).split(" "),
);

const TEXT_NODE = 3;
const ELEMENT_NODE = 1;

/** The text of an element as a reader sees it: blocks on lines of their own, white space as a browser folds it. */
export function toText(root: DomElement): string {
  const lines: string[] = [];
  let line = "";
  const endLine = () => {
    const text = line
      .trim()
      .replace(/ *\t */g, "\t")
      .replace(/ {2,}/g, " ");
    if (text !== "") lines.push(text);
    line = "";
  };
  const walk = (node: DomNode, preformatted: boolean) => {
    if (node.nodeType === TEXT_NODE) {
      const text = node.textContent ?? "";
      if (!preformatted) line += text.replace(/\s+/g, " ");
      else {
        endLine();
        if (text.trim() !== "") lines.push(text.replace(/\n+$/, ""));
      }
      return;
    }
    if (node.nodeType !== ELEMENT_NODE) return;
    const name = node.nodeName.toLowerCase();
    if (name === "head") return;
    if (name === "br") return endLine();
    if (BLOCKS.has(name)) endLine();
    // Depth is bounded by MAX_DEPTH of document.ts.
    for (const child of node.childNodes) walk(child, preformatted || name === "pre");
    if (name === "td" || name === "th") line += "\t";
    if (BLOCKS.has(name)) endLine();
  };
  walk(root, false);
  endLine();
  return lines.join("\n").replaceAll(TASK_DONE, "[x]").replaceAll(TASK_OPEN, "[ ]");
}
