/** Writes another document into the text of a YAML file. */
import {
  type CST,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Node,
  parseDocument,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { withoutMark } from "../../../config/formats/json.ts";
import { type WrittenDocument } from "./json-text.ts";
import { editedText, type Syntax, type TextNode, type TextPart } from "./text-edits.ts";
import { TextLines } from "./text-lines.ts";

/** Scalars are read as strings. `newText` quotes strings that could be taken for a number or a keyword. */
const READING = { schema: "failsafe", resolveKnownTags: false, keepSourceTokens: true, uniqueKeys: false } as const;
const WRITING = {
  lineWidth: 0,
  flowCollectionPadding: true,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/** The text of a new file. */
export function freshYaml(document: unknown): string {
  return stringify(document, { ...WRITING, aliasDuplicateObjects: false });
}

/**
 * `next` as a text that differs from the text before only in the changed values. A changed value with aliases changes
 * at each alias: the caller must compare the result.
 */
export function yamlText({ text, document }: WrittenDocument, next: unknown): string {
  const body = withoutMark(text);
  const { contents } = parseDocument(body, READING);
  const lines = new TextLines(body, /#[^\r\n]*/y);
  const root = contents === null ? undefined : new TreeBuilder(body).node(contents);
  const none: TextNode = { start: body.length, end: body.length, kind: "scalar", parts: [] };
  const edited = editedText(lines, root ?? none, { before: document, after: next }, syntaxOf(lines));
  return text.slice(0, text.length - body.length) + edited;
}

/** The positions in a text of this format. */
class TreeBuilder {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined for a value that is not written. */
  node(node: Node): TextNode | undefined {
    const [start, end] = node.range ?? [0, 0];
    if (!isCollection(node)) {
      return start === end ? undefined : { start, end: this.#endOf(start, end), kind: "scalar", parts: [] };
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every collection is a map or a list
    const parts = this.#parts(node as YAMLMap<Node, Node | null> | YAMLSeq<Node>);
    if (node.flow === true) return { start, end, kind: "flow", parts };
    return { start, end: parts.at(-1)?.end ?? start, kind: "block", parts };
  }

  /** A block scalar ends with a line end. All empty lines after it belong to it if its header has a `+`. */
  #endOf(start: number, end: number): number {
    const source = this.#text.slice(start, end);
    return start + (/^[|>]\d?\+/.test(source) ? source.replace(/\r?\n$/, "") : source.trimEnd()).length;
  }

  #parts(collection: YAMLMap<Node, Node | null> | YAMLSeq<Node>): TextPart[] {
    if (isMap(collection)) return collection.items.map((pair) => this.#member(pair));
    const { srcToken } = collection;
    const dashes = srcToken?.type === "block-seq" ? srcToken.items.filter(({ start }) => start.some(isDash)) : [];
    return collection.items.map((item, i) => this.#item(item, dashes[i]?.start ?? []));
  }

  #member({ key, value, srcToken }: YAMLMap<Node, Node | null>["items"][number]): TextPart {
    const [keyStart = 0, keyEnd = 0] = key.range ?? [];
    const from = endOfLast(srcToken?.sep ?? []) ?? keyEnd;
    const node = value === null ? undefined : this.node(value);
    return {
      start: srcToken?.start.find(isContent)?.offset ?? keyStart,
      end: node?.end ?? from,
      key: isScalar(key) ? String(key.value) : "",
      from,
      value: node,
    };
  }

  #item(item: Node, tokens: readonly CST.SourceToken[]): TextPart {
    // A pair in a flow list has no braces; the format refuses it nowhere, so that it stays or goes as a whole.
    const node = isPair(item) ? undefined : this.node(item);
    const start = tokens.find(isContent)?.offset ?? node?.start ?? 0;
    const from = endOfLast(tokens) ?? start;
    return { start, end: node?.end ?? from, key: undefined, from, value: node };
  }
}

function isDash({ type }: CST.SourceToken): boolean {
  return type === "seq-item-ind";
}

function isContent({ type }: CST.SourceToken): boolean {
  return !["space", "newline", "comment", "comma"].includes(type);
}

function endOfLast(tokens: readonly CST.SourceToken[]): number | undefined {
  const last = tokens.findLast(isContent);
  return last === undefined ? undefined : last.offset + last.source.length;
}

function syntaxOf({ newline }: TextLines): Syntax {
  const within = (text: string, margin: string): string => text.replaceAll("\n", newline + margin);
  return {
    isStrict: false,
    gap: " ",
    value: (value, margin, { inFlow }) => within(newText(value, inFlow), margin),
    part({ key, after }, margin, { inFlow }) {
      if (!inFlow) return within(newText(key === undefined ? [after] : { [key]: after }, false), margin);
      return key === undefined ? newText(after, true) : newText({ [key]: after }, true).slice(2, -2);
    },
  };
}

/** Follows the rules of JSON for plain scalars, so that strings such as `true`, `12` and `""` are quoted. */
function newText(value: unknown, inFlow: boolean): string {
  const document = parseDocument(JSON.stringify(value), READING);
  visit(document.contents, {
    Collection(_key, node) {
      node.flow = inFlow || node.items.length === 0;
    },
    Scalar(_key, node) {
      if (isPlain(node.value)) node.type = Scalar.PLAIN;
    },
  });
  return document.toString(WRITING).trimEnd();
}

/** True if the value is a string that needs no quotes at any place in the text. */
function isPlain(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z/][\w/.-]*$/.test(value) && !/^(?:true|false|null)$/.test(value);
}
