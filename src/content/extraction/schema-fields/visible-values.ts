import { type Element } from "domhandler";
import { personNameOf } from "../reader/people.ts";
import { type LeafPlan } from "./field-plan.ts";
import { type Found, isAddress, isInside, isSame, type Scope } from "./found.ts";
import { type Pair } from "./labels.ts";
import { rangeIn } from "./numbers.ts";
import { type ShownPage } from "./shown-page.ts";
import { type Place } from "./things.ts";
import { type Scalar, typedValue } from "./values.ts";

/** The value beside the label of the field. */
export function labelledValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  if (!scope.isOwn && leaf.names.concept === "name") return undefined;
  return besideLabel(leaf, scope, false);
}

/** A number or a date beside the label of the field without a mark between them. Running text can have such words. */
export function bareValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  return isCounted(leaf) ? besideLabel(leaf, scope, true) : undefined;
}

function besideLabel(leaf: LeafPlan, scope: Scope, isBare: boolean): Found | undefined {
  return byName(leaf.names.labels, (label) => {
    const pairs = pairsIn(scope, label).filter((pair) => (pair.isBare ?? false) === isBare);
    return pairs.flatMap((pair) => pairFound(leaf, pair, scope) ?? []);
  });
}

function pairsIn(scope: Scope, label: string): readonly Pair[] {
  return scope.facts.labels.of(label).filter(({ element }) => isInside(element, scope));
}

/** The only value by the first of several names that has one. */
function byName(names: Iterable<string>, find: (name: string) => readonly Found[]): Found | undefined {
  for (const name of names) {
    const found = onlyOne(find(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value of a labelled text. */
export function pairFound(
  leaf: LeafPlan,
  { text, element, from, items, isBare }: Pair,
  { facts: { page } }: Scope,
): Found | undefined {
  // The options of a list are not one value.
  const isOld = leaf.names.concept === "old price";
  if ((page.isStruck(element) && !isOld) || items.length > 1) return undefined;
  if (isBare === true && !isCounted(leaf)) return undefined;
  const isRating = leaf.names.concept === "rating" && isBare === true;
  const linked = isAddress(leaf) ? attributeFound(leaf, element, from, page) : undefined;
  if (linked !== undefined) return linked;
  const found = textFound(leaf, text, { from, element }, page);
  // "5 ratings" is their number.
  if (isRating && (Number.isInteger(found?.value) || Number(found?.value) > MAX_RATING)) return undefined;
  return found ?? attributeFound(leaf, element, from, page);
}

/** Whether the value is a number or a date, which is known by its form. */
function isCounted({ types, format = "", choices }: LeafPlan): boolean {
  if (choices !== undefined) return false;
  return types.every((type) => type === "number" || type === "integer") || /^date(?:-time)?$/.test(format);
}

/** One end of a range that stands beside the label of the range. */
export function rangeValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { end } = leaf.names;
  const { page } = scope.facts;
  return byName(end?.labels ?? [], (label) => {
    const pairs = pairsIn(scope, label).filter(({ element }) => !page.isStruck(element));
    return pairs.flatMap(({ text, element, from }) => rangeFound(leaf, text, { from, element }, page) ?? []);
  });
}

/** One end of a range in a text. */
export function rangeFound(leaf: LeafPlan, text: string, place: Place, page: ShownPage): Found | undefined {
  const { end } = leaf.names;
  const range = end && rangeIn(text, page.locale, end.isMoney);
  const value = range?.[end?.side === "max" ? 1 : 0];
  return value === undefined || !leaf.fits(value) ? undefined : { value, quote: text, isShown: true, place };
}

/** The value in an attribute of an element that shows the same in other words: a date, an address or a mailbox. */
function attributeFound(leaf: LeafPlan, outer: Element, from: Place["from"], page: ShownPage): Found | undefined {
  const isMail = leaf.names.concept === "email" || leaf.format === "email";
  for (const element of [outer, ...page.within(outer).slice(0, 10)]) {
    const { name, attribs } = element;
    const attribute = name === "time" ? "datetime" : name === "a" && (isAddress(leaf) || isMail) ? "href" : undefined;
    const text = attribute && attribs[attribute];
    if (attribute === undefined || !text || (isMail && !/^mailto:/i.test(text))) continue;
    const value = typedValue(leaf, text, page, true);
    if (value === undefined || value === "" || hasOtherHost(element, value, page)) continue;
    const isShown = isAddress(leaf) || page.shows(String(value));
    return { value, quote: isShown ? page.text(element) : text, isShown, place: { from, element, attribute } };
  }
  return undefined;
}

/** Whether a link shows the address of another host than that of the page to which it leads. */
function hasOtherHost(link: Element, address: Scalar, page: ShownPage): boolean {
  const [, shown] = /^(?:https?:\/\/)?(?:www\.)?((?:[\w-]+\.)+[a-z]{2,})(?:[/:?#…]|$)/i.exec(page.text(link)) ?? [];
  const host = URL.parse(String(address))?.hostname.replace(/^www\./, "");
  return shown !== undefined && host !== undefined && host !== "" && shown.toLowerCase() !== host;
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
  return byName([...leaf.names.own, ...leaf.names.labels], (name) => {
    const elements = labels.named(name).filter((one) => isInside(one, scope) && !page.isStruck(one));
    return elements.flatMap((element) => namedFound(leaf, element, page) ?? []);
  });
}

/** The value of an element that is named like the field. A text of several lines, or one that is too long, has more than the field. */
function namedFound(leaf: LeafPlan, element: Element, page: ShownPage): Found | undefined {
  const { concept = "" } = leaf.names;
  const isLong = concept === "description" || concept === "body" || concept === "address";
  if (!isLong && !isAddress(leaf) && (page.lengthOf(element) > MAX_SHORT || page.lines(element).length > 1))
    return undefined;
  const found = elementFound(leaf, element, "class", page);
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
  page: ShownPage,
): Found | undefined {
  const isLong = leaf.names.concept === "description" || leaf.names.concept === "body";
  if (page.lengthOf(element) > MAX_NAMED && !isLong) return undefined;
  if (isAddress(leaf)) {
    const inner = [element, ...page.within(element).slice(0, 10)].find(
      ({ attribs }) => attribs["src"] ?? attribs["href"],
    );
    const attribute = inner?.attribs["src"] === undefined ? "href" : "src";
    const address = inner?.attribs[attribute];
    const value = address && typedValue(leaf, address, page, true);
    if (inner === undefined || value === undefined || value === "" || hasOtherHost(inner, value, page))
      return undefined;
    return { value, quote: page.text(inner), isShown: true, place: { from, element: inner, attribute } };
  }
  const text = page.text(element);
  if (text === "") return undefined;
  return textFound(leaf, text, { from, element }, page) ?? attributeFound(leaf, element, from, page);
}

/** The value of a text that a reader sees. */
export function textFound(leaf: LeafPlan, text: string, place: Place, page: ShownPage): Found | undefined {
  const value = typedValue(leaf, text, page);
  return value === undefined ? undefined : { value, quote: text, isShown: true, place };
}
