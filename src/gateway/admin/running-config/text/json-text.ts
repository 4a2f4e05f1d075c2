/** Writes another document into the text of a JSON file, with or without comments. */
import { type Node, parseTree } from "jsonc-parser";
import { withoutMark } from "../../../config/formats/json.ts";
import { editedText, type Syntax, type TextNode, type TextPart } from "./text-edits.ts";
import { TextLines } from "./text-lines.ts";

const COMMENT = /\/\/[^\r\n]*|\/\*[^]*?\*\//y;

export interface WrittenDocument {
  readonly text: string;
  readonly document: unknown;
}

/** `next` as a text that differs from the text before only in the changed values. `isStrict`: no trailing commas. */
export function jsonText({ text, document }: WrittenDocument, next: unknown, isStrict: boolean): string {
  const body = withoutMark(text);
  const tree = parseTree(body, [], { allowTrailingComma: true });
  const lines = new TextLines(body, COMMENT);
  const root = tree === undefined ? SCALAR : nodeOf(tree);
  const edited = editedText(lines, root, { before: document, after: next }, syntaxOf(lines, isStrict));
  return text.slice(0, text.length - body.length) + edited;
}

const SCALAR: TextNode = { start: 0, end: 0, kind: "scalar", parts: [] };

function nodeOf({ offset, length, type, children = [] }: Node): TextNode {
  const range = { start: offset, end: offset + length };
  if (type === "object") return { ...range, kind: "flow", parts: children.map(memberOf) };
  if (type === "array") return { ...range, kind: "flow", parts: children.map(itemOf) };
  return { ...range, kind: "scalar", parts: [] };
}

function itemOf(node: Node): TextPart {
  const value = nodeOf(node);
  return { start: value.start, end: value.end, key: undefined, from: value.start, value };
}

function memberOf({ offset, length, colonOffset = offset, children = [] }: Node): TextPart {
  const [key, value] = children;
  return {
    start: offset,
    end: offset + length,
    key: String(key?.value),
    from: colonOffset + 1,
    value: value === undefined ? undefined : nodeOf(value),
  };
}

function syntaxOf({ text, indent, newline }: TextLines, isStrict: boolean): Syntax {
  const gap = /":\S/.test(text) && !/": /.test(text) ? "" : " ";
  const value: Syntax["value"] = (it, margin, { isWide }) => {
    if (isWide && indent !== "") return JSON.stringify(it, undefined, indent).replaceAll("\n", newline + margin);
    // Line ends within strings are escaped, so all remaining line ends are between parts.
    return gap === "" ? JSON.stringify(it) : JSON.stringify(it, undefined, 1).replaceAll(/\n */g, " ");
  };
  return {
    isStrict,
    gap,
    value,
    part: ({ key, after }, margin, layout) =>
      (key === undefined ? "" : `${JSON.stringify(key)}:${gap}`) + value(after, margin, layout),
  };
}
