/** Writes another document into the text of a YAML file. */
import { isObject } from "../../../lib/is-object.ts";
import {
  isAlias,
  isMap,
  isSeq,
  type Document,
  parseDocument,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isSame, pairsOf } from "./json-difference.ts";

/** Scalars are read as strings. `#fresh` quotes strings that could be taken for a number or a keyword. */
const READING = { schema: "failsafe", resolveKnownTags: false, keepSourceTokens: true } as const;
const WRITING = { lineWidth: 0, flowCollectionPadding: true } as const;

/** The text of a new file. */
export function freshYaml(document: unknown): string {
  return stringify(document, { ...WRITING, aliasDuplicateObjects: false });
}

/**
 * `next` as a text with the comments, key order and styles of the document before; white space can change. Undefined if
 * the text has aliases, because a change at one place would change several places.
 */
export function yamlText(
  before: { readonly text: string; readonly document: unknown },
  next: unknown,
): string | undefined {
  if (isSame(before.document, next)) return before.text;
  const document = parseDocument(before.text, READING);
  if (hasAlias(document)) return undefined;
  const changed = new YamlRewriter(document).value(document.contents, before.document, next);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `value` gives back is a node of this document
  document.contents = changed as typeof document.contents;
  return document.toString(WRITING);
}

function hasAlias(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

class YamlRewriter {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** The node for `after` in place of `node`, whose value is `before`. */
  value(node: unknown, before: unknown, after: unknown): unknown {
    if (isSame(before, after)) return node;
    if (isAlias(node)) return this.#fresh(after);
    if (isMap(node) && isObject(before) && isObject(after)) return this.#members(node, before, after);
    if (isSeq(node) && Array.isArray(before) && Array.isArray(after)) return this.#items(node, before, after);
    return this.#fresh(after);
  }

  #members(map: YAMLMap, before: object, after: object): YAMLMap {
    map.items = map.items.filter(({ key }) => Object.hasOwn(after, String(key)));
    for (const pair of map.items) {
      const name = String(pair.key);
      const fresh = this.value(pair.value, Reflect.get(before, name), Reflect.get(after, name));
      if (fresh !== pair.value) pair.value = withCommentsOf(fresh, pair.value);
    }
    const known = new Set(map.items.map(({ key }) => String(key)));
    for (const [name, value] of Object.entries(after)) {
      if (!known.has(name)) map.items.push(this.#document.createPair(this.#fresh(name), this.#fresh(value)));
    }
    return map;
  }

  #items(list: YAMLSeq, before: readonly unknown[], after: readonly unknown[]): YAMLSeq {
    const pairs = pairsOf(before, after);
    list.items = after.map((item, i) => {
      const from = pairs[i] ?? -1;
      return from < 0 ? this.#fresh(item) : this.value(list.items[from], before[from], item);
    });
    return list;
  }

  /** Follows the rules of JSON for plain scalars, so that strings such as `true`, `12` and `""` are quoted. */
  #fresh(value: unknown): unknown {
    const { contents } = parseDocument(JSON.stringify(value), READING);
    visit(contents, {
      Collection(_key, node) {
        node.flow = node.items.length === 0;
      },
      Scalar(_key, node) {
        if (isPlain(node.value)) node.type = Scalar.PLAIN;
      },
    });
    return contents;
  }
}

/** True if the value is a string that needs no quotes at any place in the text. */
function isPlain(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z/][\w/.-]*$/.test(value) && !/^(?:true|false|null)$/.test(value);
}

function withCommentsOf(fresh: unknown, old: unknown): unknown {
  if (typeof fresh !== "object" || fresh === null || typeof old !== "object" || old === null) return fresh;
  for (const name of ["comment", "commentBefore", "spaceBefore"] as const) {
    const comment: unknown = Reflect.get(old, name);
    if (comment !== undefined) Reflect.set(fresh, name, comment);
  }
  return fresh;
}
