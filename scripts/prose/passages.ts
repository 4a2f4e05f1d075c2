/** Finds the passages of prose in a file. Code and markup in them are masked, so that offsets stay those of the file. */
import { parse } from "@babel/parser";
import { type Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { SKIP, visit } from "unist-util-visit";

/** A paragraph, a heading, a table cell or a comment. */
export interface Passage {
  /** Offset of its first character in the file. */
  readonly start: number;
  /** Its text, as long as in the file. */
  readonly text: string;
}

/** Stands for code, an address or a value: one word to the rules. */
function placeholder(length: number): string {
  return "X".repeat(length);
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

/** The passages of a Markdown document. */
export function passagesOfMarkdown(source: string): Passage[] {
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const passages: Passage[] = [];
  visit(tree, (node) => {
    if (node.type !== "paragraph" && node.type !== "heading" && node.type !== "tableCell") return undefined;
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? start;
    passages.push({ start, text: maskedMarkdown(node, source, start, end) });
    return SKIP;
  });
  return passages;
}

/** Keeps the text nodes, makes one word of each piece of code, and blanks the markup between them. */
function maskedMarkdown(block: Nodes, source: string, start: number, end: number): string {
  let text = "";
  visit(block, (node) => {
    const from = node.position?.start.offset ?? start;
    const to = node.position?.end.offset ?? from;
    if (node.type === "text") text += blank(source.slice(start + text.length, from)) + source.slice(from, to);
    if (node.type === "inlineCode") text += blank(source.slice(start + text.length, from)) + placeholder(to - from);
  });
  return text + blank(source.slice(start + text.length, end));
}

/** The least words of a string literal that is read as prose. */
const MIN_LITERAL_WORDS = 5;

/** Statements; as are messages with line ends, they are not prose. */
const SQL = /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) /;

/** The comments of a TypeScript file, and its literals that are sentences, such as error texts. */
export function passagesOfTypeScript(source: string, path: string): Passage[] {
  const file = parse(source, {
    sourceType: "module",
    plugins: path.endsWith("x") ? ["typescript", "jsx"] : ["typescript"],
    tokens: true,
  });
  const passages: Passage[] = [];
  for (const comment of file.comments ?? []) {
    const { start = 0, end = 0 } = comment;
    const last = passages.at(-1);
    const text = maskedComment(source.slice(start, end));
    // Line comments that follow each other are one passage.
    const between = last === undefined ? "x" : source.slice(last.start + last.text.length, start);
    if (comment.type === "CommentLine" && last !== undefined && /^\n[ \t]*$/.test(between)) {
      passages[passages.length - 1] = { start: last.start, text: last.text + between + text };
    } else passages.push({ start, text });
  }
  return [...passages, ...literalsOf(source)];
}

function maskedComment(text: string): string {
  return (
    text
      .replaceAll(/^\/\/\/?|^\/\*\*?|\*\/$|^[ \t]*\*(?!\/)/gm, blank)
      // Tags stand between sentences.
      .replaceAll(/@(?:bound|internal|operator)\b/g, blank)
      .replaceAll(/`[^`\n]*`|https?:\/\/\S+|\{@link [^}]*\}/g, (code) => placeholder(code.length))
  );
}

/** String and template literals on one line that hold a sentence. */
function literalsOf(source: string): Passage[] {
  const passages: Passage[] = [];
  for (const match of source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g)) {
    const literal = match[1] ?? match[2] ?? "";
    if (literal.split(" ").length < MIN_LITERAL_WORDS || !/^(?:[A-Z$]|\w+ \w+ \w+)/.test(literal)) continue;
    if (SQL.test(literal) || literal.includes("\\r\\n")) continue;
    const text = literal
      .replaceAll(/\$\{[^}]*\}+|\\`[^`]*\\`|`[^`]*`/g, (code) => placeholder(code.length))
      .replaceAll(/\\./g, "  ");
    passages.push({ start: match.index + 1, text });
  }
  return passages;
}
