import { type Document, type Element } from "domhandler";
import { MARK, type PageSource } from "../page/page.ts";
import { type ExtractionOutcome, type ExtractionTask, type FieldValue } from "./tree/extraction.ts";
import { pageTitle } from "./tree/page-title.ts";
import { baseOf } from "./tree/addresses.ts";
import { isShadowRoot } from "./signs/survey.ts";
import { elementText } from "./text.ts";
import { parseSelector } from "./selectors/parse-selector.ts";
import { DocumentElements, elementsOf } from "./selectors/select-all.ts";

/** Maximum number of elements that one selector may match. */
const MAX_MATCHES = 10_000;
/** Maximum number of characters of all values of a page. Nested elements repeat their texts. */
const MAX_TEXT = 5_000_000;

/** Attributes that hold one address. Their values are made absolute, like the DOM's properties. */
const ADDRESSES = new Set(["action", "background", "cite", "data", "formaction", "href", "longdesc", "poster", "src"]);

type FieldsTask = Extract<ExtractionTask, { kind: "fields" }>;

/** For each field, the elements of a document that its selector matches, in the document's order. */
type Matches = ReadonlyMap<string, readonly Element[]>;

/**
 * The value of each selector. In a page from a browser, the browser has marked the matches. Otherwise they are matched
 * here.
 */
export function toFields(tree: Document, source: PageSource, task: FieldsTask): ExtractionOutcome {
  const matches = source.engine === "browser" ? markedElements(tree, task) : matchedElements(tree, source, task);
  if (matches === undefined) return { outcome: "needs-browser", sign: "selector" };
  const base = baseOf(tree, source.finalUrl);
  // It has no prototype, since the caller chooses the names.
  const fields: Record<string, FieldValue> = Object.create(null);
  let left = MAX_TEXT;
  let truncated = false;
  for (const [name, elements] of matches) {
    const attribute = Object.hasOwn(task.attributes, name) ? task.attributes[name] : undefined;
    const values: string[] = [];
    for (const element of elements) {
      if (values.length === MAX_MATCHES || left <= 0) {
        truncated = true;
        break;
      }
      const value = attribute === undefined ? elementText(element) : attributeValue(element, attribute, base);
      if (value === undefined) continue;
      left -= value.length;
      values.push(value);
    }
    fields[name] = values.length > 1 ? values : (values[0] ?? null);
  }
  return { outcome: "content", extraction: { content: "", title: pageTitle(tree), fields, truncated } };
}

/** Undefined if only a browser can match the selectors exactly. */
function matchedElements(tree: Document, source: PageSource, { selectors }: FieldsTask): Matches | undefined {
  const all = new DocumentElements(tree);
  // In XML, names are case-sensitive. A shadow root is not an element among its siblings.
  if (/xml/i.test(source.contentType) || all.some(isShadowRoot)) return undefined;
  const matches = new Map<string, readonly Element[]>();
  for (const [name, selector] of Object.entries(selectors)) {
    const list = parseSelector(selector);
    if (typeof list === "string") return undefined;
    matches.set(name, all.matching(list));
  }
  return matches;
}

function markedElements(tree: Document, { selectors }: FieldsTask): Matches {
  const names = Object.keys(selectors);
  const found = names.map((): Element[] => []);
  for (const element of elementsOf(tree)) {
    const mark = Object.hasOwn(element.attribs, MARK) ? element.attribs[MARK] : undefined;
    if (mark === undefined) continue;
    for (const place of mark.split(" ")) found[Number(place)]?.push(element);
  }
  return new Map(names.map((name, place) => [name, found[place] ?? []]));
}

/** Names are in lower case, except for some of SVG. */
function attributeValue({ attribs, name }: Element, asked: string, base: string): string | undefined {
  const attribute = [asked, asked.toLowerCase()].find((known) => Object.hasOwn(attribs, known));
  const value = attribute === undefined ? undefined : attribs[attribute];
  if (attribute === undefined || value === undefined || value === "" || !ADDRESSES.has(attribute)) return value;
  if (attribute === "data" && name !== "object") return value;
  return URL.parse(value, base)?.href ?? value;
}
