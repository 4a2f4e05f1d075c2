import { type LeafPlan } from "./field-plan.ts";
import { elementsIn, type Found, isAddress, isSame, isVisible, type Scope } from "./found.ts";
import { wordsOf } from "./shown-page.ts";
import { at, isThing, own, type Property, type Thing } from "./things.ts";
import { headingValue, metaValue, usualValue } from "./usual-values.ts";
import { typedValue } from "./values.ts";
import { bareValue, classValue, elementFound, labelledValue, onlyOne, rangeValue } from "./visible-values.ts";
import { AMOUNTS, SHOWN_CONCEPTS } from "./vocabulary.ts";

/** The value of a field: a declared one if the visible text does not contradict it, or else the one that is shown. */
export function leafValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const declared = declaredValue(leaf, scope);
  // "Name" and "title" are labels of many other things.
  const labelled = leaf === scope.title ? headingValue(leaf, scope) : labelledValue(leaf, scope);
  if (declared === undefined) {
    return (
      labelled ??
      labelledValue(leaf, scope) ??
      rangeValue(leaf, scope) ??
      classValue(leaf, scope) ??
      usualValue(leaf, scope) ??
      bareValue(leaf, scope) ??
      metaValue(leaf, scope)
    );
  }
  const { concept = "" } = leaf.names;
  if (concept === "availability") return stockOf(leaf, declared, usualValue(leaf, scope));
  if (labelled !== undefined) return agreed(labelled, declared, scope);
  if (declared.isShown) return declared;
  const shown = SHOWN_CONCEPTS.has(concept) ? (classValue(leaf, scope) ?? usualValue(leaf, scope)) : undefined;
  if (shown !== undefined) return agreed(shown, declared, scope);
  // A page that shows prices, but not this one, contradicts it.
  const isMoney = AMOUNTS.has(concept);
  return isMoney && (scope.facts.prices.length > 0 || declared.value === 0) ? undefined : declared;
}

/** Whether there is stock: no value if the page shows the opposite of what it declares, because it may be that of a variant. */
function stockOf(leaf: LeafPlan, declared: Found, shown: Found | undefined): Found | undefined {
  const isText = leaf.choices === undefined && typeof shown?.value === "string";
  if (shown === undefined || isText) return declared;
  return shown.value === declared.value ? shown : undefined;
}

/** The declared value if readers see the same, or else the visible one, and that the other contradicts it. */
function agreed(shown: Found, declared: Found, scope: Scope): Found {
  // Of several headings, the one that structured data names is that of the thing.
  if (shown.place.from === "heading" && scope.title?.names.own.has("name") === true && isHeading(declared, scope))
    return { ...declared, isShown: true };
  if (shown.value === declared.value) return shown.place.from === "heading" ? declared : shown;
  const [a, b] = [wordsOf(String(shown.value)), wordsOf(String(declared.value))];
  const isPart =
    typeof shown.value === "string" && b !== "" && (` ${a} `.includes(` ${b} `) || ` ${b} `.includes(` ${a} `));
  if (a === b || isPart) return { ...declared, isShown: true };
  return { ...shown, conflict: { value: declared.value, place: declared.place } };
}

function isHeading({ value }: Found, scope: Scope): boolean {
  const { page } = scope.facts;
  return elementsIn(scope).some((one) => /^h[2-6]$/.test(one.name) && isSame(page.text(one), value));
}

/** The value in the structured data of the thing. */
function declaredValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  // A name in an object of its own is not that of the thing around it.
  if (scope.isBorrowed === true && leaf.names.concept === "name") return undefined;
  for (const thing of scope.things) {
    if (scope.doubted.has(thing) && leaf !== scope.title) continue;
    if (isOtherMoney(leaf, thing)) continue;
    for (const properties of propertyLists(leaf, thing)) {
      const values = properties.flatMap((property) => declaredFound(leaf, property, scope) ?? []);
      const [first] = values;
      if (first === undefined) continue;
      // Of several offers or names, none is the one, unless the page shows only it.
      const only = onlyOne(values) ?? onlyOne(values.filter(({ isShown }) => isShown));
      if (only !== undefined) return only;
      if (MANY.has(leaf.names.concept ?? "")) return joined(values, leaf);
      if (leaf.names.concept === "image") return first;
    }
  }
  return undefined;
}

/** Whether a thing declares another currency than the one that the field's name states. */
function isOtherMoney({ names: { money } }: LeafPlan, thing: Thing): boolean {
  if (money === undefined) return false;
  const declared = ["offers.priceCurrency", "priceCurrency", "baseSalary.currency", "currency"].flatMap((path) =>
    at(thing, path),
  );
  return declared.some(({ value }) => typeof value === "string" && value !== money);
}

/** Concepts of which a text may have several. */
const MANY = new Set(["author", "tags", "performer", "cuisine", "category", "instructions", "opening hours"]);

function joined(values: readonly Found[], leaf: LeafPlan): Found | undefined {
  const [first] = values;
  const value = [...new Set(values.map((one) => String(one.value)))].join(", ");
  return first !== undefined && leaf.fits(value) ? { ...first, value } : undefined;
}

/** The properties of a thing that may have the field, the best first. */
export function* propertyLists(leaf: Pick<LeafPlan, "names">, thing: Thing): Generator<readonly Property[]> {
  yield own(thing, leaf.names.own);
  for (const path of leaf.names.paths) yield at(thing, path);
}

/** The value of one property. */
export function declaredFound(leaf: LeafPlan, { value: given, place }: Property, scope: Scope): Found | undefined {
  const { facts } = scope;
  const { page } = facts;
  const property = isThing(given) ? propertyOf(given, leaf) : { value: given, place };
  if (property === undefined || isThing(property.value)) return undefined;
  const { element, attribute } = property.place;
  // The address of a link is not a name.
  const isLink = (attribute === "href" || attribute === "src") && !isAddress(leaf);
  const text = isLink ? page.text(element) : property.value;
  const isData = property.place.from === "json-ld" || (attribute !== undefined && !isLink);
  const value = typedValue(leaf, text, page, isData);
  if (value === undefined) return undefined;
  // A reader sees the text of the element, and not another value in its attribute.
  const shown =
    attribute === "content" || attribute === "value"
      ? elementFound(leaf, element, property.place.from, page)
      : undefined;
  if (shown !== undefined && !isSame(shown.value, value)) return shown;
  const isShown = !isData || isVisible(value, leaf, facts);
  const quote = isData ? String(property.value) : page.text(element);
  return { value, quote, isShown, place: isLink ? { from: property.place.from, element } : property.place };
}

/** The name, value or address of a thing that stands for a text or a number. */
function propertyOf(thing: Thing, leaf: LeafPlan): Property | undefined {
  const names = isAddress(leaf)
    ? ["url", "contentUrl", "@id"]
    : ["name", "value", "text", "ratingValue", "price", "url"];
  for (const name of names) {
    const found = thing.properties.find((property) => property.name === name && !isThing(property.value));
    if (found !== undefined) return found;
  }
  return undefined;
}
