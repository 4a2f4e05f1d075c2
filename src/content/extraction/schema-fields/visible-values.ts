import { type Element } from "domhandler";
import { personNameOf } from "../reader/people.ts";
import { type LeafPlan } from "./field-plan.ts";
import { type Found, isAddress, isInside, isSame, type Scope } from "./found.ts";
import { type Pair } from "./labels.ts";
import { type PageFacts } from "./page-facts.ts";
import { type Place } from "./things.ts";
import { type Scalar, typedValue } from "./values.ts";

/** The value beside the label of the field. */
export function labelledValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  if (!scope.isOwn && leaf.names.concept === "name") return undefined;
  for (const label of leaf.names.labels) {
    const pairs = scope.facts.labels.of(label).filter(({ element }) => isInside(element, scope));
    const found = onlyOne(pairs.flatMap((pair) => pairFound(leaf, pair, scope) ?? []));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value of a labelled text. */
export function pairFound(
  leaf: LeafPlan,
  { text, element, from, items }: Pair,
  { facts: { page } }: Scope,
): Found | undefined {
  // The options of a list are not one value.
  if (page.isStruck(element) || items.length > 1) return undefined;
  const value = typedValue(leaf, { value: text, isData: false, url: page.url, locale: page.locale });
  const attributed = value ?? attributeValue(leaf, element, page);
  return attributed === undefined
    ? undefined
    : { value: attributed, quote: text, isShown: true, place: { from, element } };
}

/** The value in an attribute of an element that shows the same in other words: a date or an address. */
function attributeValue(leaf: LeafPlan, element: Element, page: PageFacts["page"]): Scalar | undefined {
  for (const one of [element, ...page.within(element).slice(0, 10)]) {
    const text =
      one.name === "time"
        ? one.attribs["datetime"]
        : one.name === "a" && isAddress(leaf)
          ? one.attribs["href"]
          : undefined;
    const value = text && typedValue(leaf, { value: text, isData: true, url: page.url, locale: page.locale });
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** The value if all are the same. */
export function onlyOne(found: readonly Found[]): Found | undefined {
  const [first] = found;
  return first !== undefined && found.every(({ value }) => isSame(value, first.value)) ? first : undefined;
}

/** The value in an element whose class has the name of the field. */
export function classValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { page, labels } = scope.facts;
  if (!scope.isOwn && leaf.names.concept === "name") return undefined;
  for (const name of [...leaf.names.own, ...leaf.names.labels]) {
    const elements = labels.named(name).filter((one) => isInside(one, scope) && !page.isStruck(one));
    const found = elements.flatMap((element) => namedFound(leaf, element, page) ?? []);
    const only = onlyOne(found);
    if (only !== undefined) return only;
  }
  return undefined;
}

/** The value of an element that is named like the field. A text of several lines, or one that is too long, has more than the field. */
function namedFound(leaf: LeafPlan, element: Element, page: PageFacts["page"]): Found | undefined {
  const { concept = "" } = leaf.names;
  const isLong = concept === "description" || concept === "body" || concept === "address";
  if (!isLong && !isAddress(leaf) && (page.lengthOf(element) > MAX_SHORT || page.lines(element).length > 1))
    return undefined;
  const found = elementFound(leaf, element, "class", page);
  if (concept === "rating" && Number(found?.value) > MAX_RATING) return undefined;
  return concept === "author" && personNameOf(page.text(element)) === undefined ? undefined : found;
}

/** Characters of a named element with one short value, and the best rating. */
const MAX_SHORT = 120;
const MAX_RATING = 10;

/** Maximum characters of an element whose class names a field, except for descriptions. */
const MAX_NAMED = 300;

/** The value of one element. */
export function elementFound(
  leaf: LeafPlan,
  element: Element,
  from: Place["from"],
  page: PageFacts["page"],
): Found | undefined {
  const isLong = leaf.names.concept === "description" || leaf.names.concept === "body";
  if (page.lengthOf(element) > MAX_NAMED && !isLong) return undefined;
  if (isAddress(leaf)) {
    const inner = [element, ...page.within(element).slice(0, 10)].find(
      ({ attribs }) => attribs["src"] ?? attribs["href"],
    );
    const attribute = inner?.attribs["src"] === undefined ? "href" : "src";
    const address = inner?.attribs[attribute];
    const value = address && typedValue(leaf, { value: address, isData: true, url: page.url, locale: page.locale });
    if (inner === undefined || value === undefined || value === "") return undefined;
    return { value, quote: page.text(inner), isShown: true, place: { from, element: inner, attribute } };
  }
  const text = page.text(element);
  if (text === "") return undefined;
  const value =
    typedValue(leaf, { value: text, isData: false, url: page.url, locale: page.locale }) ??
    attributeValue(leaf, element, page);
  return value === undefined ? undefined : { value, quote: text, isShown: true, place: { from, element } };
}
