/** YAML 1.2, limited to the values of JSON: one document, keys that are strings, no tags, no merge keys. */
import {
  type Alias,
  Composer,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
  Scalar,
} from "yaml";
import {
  HALF_CHARACTER,
  MAX_DEPTH,
  type ParsedJson,
  positionAt,
  positionText,
  type visitJson,
  withoutMark,
} from "./json.ts";
import { type TextFormat } from "./text-format.ts";

/** Characters of a YAML file. Parsing takes 1 s for 1.2 MB, a hundred times as long as for JSON. @internal */
export const MAX_YAML_LENGTH = 4 * 1024 * 1024;

/**
 * Values of a YAML document; a document with more is refused. Each alias counts as all values that it refers to,
 * because a few lines of aliases can expand to billions of values.
 */
const MAX_YAML_VALUES = 1_000_000;

/** Levels of the parser's stack that are not levels of the document: the document, and the current scalar. */
const PARSER_LEVELS = 4;

/** A plain scalar is a number only if JSON allows it, and otherwise a string, as the address 0x12ab. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["", null],
  ["~", null],
  ["null", null],
  ["true", true],
  ["false", false],
]);

const TAG = "a tag; write the value without it";

/** Messages for the parser's errors. They do not repeat the text, which may be a secret. */
const ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: "an alias has an anchor or a tag",
  BAD_ALIAS: "expected the name of an anchor",
  BAD_DIRECTIVE: "an unknown directive",
  BAD_DQ_ESCAPE: "a string holds an unknown escape",
  BAD_INDENT: "the indentation does not fit",
  BAD_PROP_ORDER: "an anchor or tag stands in the wrong place",
  BAD_SCALAR_START: "a value begins with a reserved character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a mapping begins in the line of a key",
  BLOCK_IN_FLOW: "a block stands within brackets",
  KEY_OVER_1024_CHARS: "a key has more than 1024 characters",
  MISSING_CHAR: "a character is missing: a colon, a comma, a quote or a closing bracket",
  MULTILINE_IMPLICIT_KEY: "a key is longer than a line",
  MULTIPLE_ANCHORS: "a value has two anchors",
  MULTIPLE_DOCS: "expected one document",
  TAB_AS_INDENT: "a tab indents; use spaces",
  TAG_RESOLVE_FAILED: TAG,
};

class YamlError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** YAML 1.2 with the values of JSON only: the format of `.yaml` and `.yml` files. */
export const YAML_FORMAT: TextFormat = {
  name: "yaml",
  parse(text) {
    return read(text, () => {});
  },
  visit: (text, visit) => void read(text, visit),
};

function read(source: string, visit: Parameters<typeof visitJson>[1]): ParsedJson {
  const text = withoutMark(source);
  try {
    return { ok: true, value: new ValueBuilder(visit).document(yamlDocument(text)) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { ok: false, error: `${positionText(positionAt(text, error.offset))}: ${error.message}` };
  }
}

/** The tree of a text without byte order mark, comments included. Throws YamlError. */
function yamlDocument(text: string): Document.Parsed | undefined {
  if (text.length > MAX_YAML_LENGTH) {
    throw new YamlError(0, `expected at most ${MAX_YAML_LENGTH} characters of YAML; write larger files as JSON`);
  }
  // This file resolves scalars and finds duplicate keys, because the library compares every key with every other.
  const composer = new Composer({
    schema: "failsafe",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
  });
  const documents: Document.Parsed[] = [];
  for (const document of composer.compose(tokensOf(text))) {
    documents.push(document);
    const [error] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (error !== undefined) throw new YamlError(error.pos[0], ERRORS[error.code] ?? "expected something else");
  }
  const second = documents[1];
  if (second !== undefined) throw new YamlError(second.range[0], "expected one document");
  return documents[0];
}

/** Parses token by token, so that the limit on nesting applies before deep nesting takes time and stack. */
function* tokensOf(text: string): ReturnType<Parser["parse"]> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH + PARSER_LEVELS) throw tooDeep(parser.offset);
  }
  yield* parser.end();
}

function tooDeep(offset: number): YamlError {
  return new YamlError(offset, `expected at most ${MAX_DEPTH} levels`);
}

function startOf(node: unknown, otherwise: number): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every node of a parsed text has a range
  return (node as Node | null)?.range?.[0] ?? otherwise;
}

/** Makes the value of a tree. Aliases are followed, and all values that they refer to are counted. */
class ValueBuilder {
  readonly #visit: Parameters<typeof visitJson>[1];
  readonly #path: (string | number)[] = [];
  readonly #anchors = new Map<string, Node>();
  /** The node of each alias. It is kept, because a later anchor can have the same name. */
  readonly #targets = new Map<Alias, Node>();
  #count = 0;

  constructor(visit: Parameters<typeof visitJson>[1]) {
    this.#visit = visit;
  }

  document(document: Document.Parsed | undefined): unknown {
    return document === undefined ? null : this.#value(document.contents, 0, 0);
  }

  #value(node: unknown, at: number, depth: number): unknown {
    const start = startOf(node, at);
    this.#count++;
    if (this.#count > MAX_YAML_VALUES) {
      throw new YamlError(start, `expected at most ${MAX_YAML_VALUES} values, with the values of each alias counted`);
    }
    if (depth > MAX_DEPTH) throw tooDeep(start);
    if (node === null || node === undefined) return null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- aliases, maps, lists and scalars are all nodes
    const { anchor, tag } = node as Node & { anchor?: string };
    if (tag !== undefined) throw new YamlError(start, TAG);
    if (isAlias(node)) return this.#value(this.#targetOf(node, start), start, depth);
    let value: unknown;
    if (isMap(node)) value = this.#map(node.items, depth);
    else if (isSeq(node))
      value = node.items.map((item, i) => this.#part(i, { node: item, at: startOf(item, start) }, depth));
    else if (isScalar(node)) value = scalarOf(node);
    if (typeof value === "string" && !value.isWellFormed()) throw new YamlError(start, HALF_CHARACTER);
    // Only after its members: an alias inside the node that it refers to would never end.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    if (anchor !== undefined) this.#anchors.set(anchor, node as Node);
    return value;
  }

  #map(pairs: readonly Pair[], depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      const at = startOf(key, 0);
      if (!isScalar(key) || typeof key.value !== "string" || (key.type === Scalar.PLAIN && key.value === "")) {
        throw new YamlError(at, "expected a key that is a string");
      }
      const name = key.value;
      if (!name.isWellFormed()) throw new YamlError(at, HALF_CHARACTER);
      if (name === "<<")
        throw new YamlError(at, "merge keys are not supported; write the members, or an alias of the whole");
      if (members.has(name)) throw new YamlError(at, `the key ${JSON.stringify(name)} appears twice`);
      members.set(name, this.#part(name, { node: value, at }, depth));
    }
    return Object.fromEntries(members);
  }

  #part(name: string | number, { node, at }: { readonly node: unknown; readonly at: number }, depth: number): unknown {
    this.#path.push(name);
    this.#visit(this.#path, at);
    const value = this.#value(node, at, depth + 1);
    this.#path.pop();
    return value;
  }

  #targetOf(alias: Alias, at: number): Node {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target === undefined) throw new YamlError(at, "an alias of an anchor that is not defined before it");
    this.#targets.set(alias, target);
    return target;
  }
}

function scalarOf({ type, value }: Scalar): unknown {
  const text = typeof value === "string" ? value : "";
  if (type !== Scalar.PLAIN && type !== undefined) return text;
  if (WORDS.has(text)) return WORDS.get(text);
  return NUMBER.test(text) ? Number(text) : text;
}
