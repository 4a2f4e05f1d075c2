import { type Element, isTag, isText } from "domhandler";
import { textContent } from "domutils";
import { walkNodes } from "../tree/walk.ts";

/** Elements that begin on a line of their own. */
const BLOCKS = new Set(
  (
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre section summary table " +
    "tbody tfoot thead tr ul"
  ).split(" "),
);

/** Code and embedded content. It is not part of the text around it, but is text if it is selected itself. */
const APART = new Set(["script", "style", "template", "noscript", "iframe", "noembed", "noframes", "head"]);

/** The text of an element as a reader sees it: blocks on separate lines, white space folded except in `pre`. */
export function elementText(element: Element): string {
  if (APART.has(element.name) && element.name !== "head") return textContent(element).trim();
  const text = new LineText();
  let preformatted = 0;
  walkNodes(element, {
    enter(node) {
      if (isText(node)) text.add(node.data, preformatted > 0);
      if (!isTag(node)) return false;
      if (node !== element && APART.has(node.name)) return false;
      if (node.name === "br" || BLOCKS.has(node.name)) text.endLine();
      if (isPreformatted(node)) preformatted += 1;
      return true;
    },
    leave(node) {
      if (isPreformatted(node)) preformatted -= 1;
      if (node.name === "td" || node.name === "th") text.endCell();
      if (BLOCKS.has(node.name)) text.endLine();
    },
  });
  return text.end();
}

function isPreformatted({ name }: Element): boolean {
  return name === "pre" || name === "textarea";
}

class LineText {
  readonly #lines: string[] = [];
  #line = "";
  /** Whether white space of the line is kept. */
  #keeps = false;

  add(text: string, preformatted: boolean): void {
    if (!preformatted) {
      this.#line += text.replace(/[ \t\n\r\f]+/g, " ");
      return;
    }
    const [first = "", ...rest] = text.split("\n");
    this.#line += first;
    for (const line of rest) {
      this.#lines.push(this.#line.trimEnd());
      this.#line = line;
    }
    this.#keeps = true;
  }

  endCell(): void {
    this.#line += "\t";
  }

  endLine(): void {
    const line = this.#keeps ? this.#line.trimEnd() : fold(this.#line);
    if (line !== "") this.#lines.push(line);
    this.#line = "";
    this.#keeps = false;
  }

  end(): string {
    this.endLine();
    return this.#lines.join("\n").trim();
  }
}

function fold(line: string): string {
  return line
    .trim()
    .replace(/(?<! ) *\t */g, "\t")
    .replace(/ {2,}/g, " ");
}
