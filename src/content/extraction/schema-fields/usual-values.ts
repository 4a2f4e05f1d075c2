import { type Element } from "domhandler";
import { hasNameLabel, personNameOf } from "../reader/people.ts";
import { type LeafPlan } from "./field-plan.ts";
import { elementsIn, type Found, isAddress, isInside, isVisible, type Scope } from "./found.ts";
import { namesOf, normalName } from "./names.ts";
import { moneyIn } from "./numbers.ts";
import { type PageFacts } from "./page-facts.ts";
import { type ShownPage, wordsOf } from "./shown-page.ts";
import { type Place } from "./things.ts";
import { stockIn, typedValue } from "./values.ts";
import { elementFound, labelledValue, onlyOne, rangeFound } from "./visible-values.ts";
import { AMOUNTS } from "./vocabulary.ts";

/** Characters of a line that names an author. */
const MAX_BYLINE = 100;

/** The names of a price, beside which its currency stands. */
const PRICE = { ...namesOf("price"), concept: "currency" };

/** The value at the usual place of its concept: the heading, the price below it, a byline, a link. */
export function usualValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { facts, isOwn, root } = scope;
  const { page } = facts;
  if (leaf === scope.title) return headingValue(leaf, scope);
  if (!isOwn) return undefined;
  const among = (from: Place["from"], test: (element: Element) => boolean): Found | undefined =>
    onlyOne(elementsIn(scope).flatMap((one) => (test(one) && elementFound(leaf, one, from, page)) || []));
  const inLines = (test: (line: Element) => boolean): Found | undefined =>
    among("text", (one) => isLine(one, page) && test(one));
  if (leaf.names.end?.isMoney === true) return priceRange(leaf, scope);
  switch (leaf.names.concept ?? "") {
    case "old price":
      return inLines((one) => page.isStruck(one));
    case "availability":
      return stockValue(leaf, scope);
    case "rating":
      return inLines((one) => SCORE.test(page.text(one)));
    case "price":
      return priceValue(leaf, scope);
    case "currency":
      return labelledValue({ ...leaf, names: PRICE }, scope) ?? priceValue(leaf, scope);
    case "author":
      return among("link", ({ attribs }) => attribs["rel"] === "author") ?? bylineValue(leaf, scope);
    case "start date":
      // The only date of a whole page is rather that of its publication.
      return root === undefined ? undefined : among("text", ({ name }) => name === "time");
    case "date published":
    case "date posted":
      return among("text", ({ name }) => name === "time");
    case "email":
      return among("link", ({ attribs }) => /^mailto:/i.test(attribs["href"] ?? ""));
    case "phone":
      return among("link", ({ attribs }) => /^tel:/i.test(attribs["href"] ?? ""));
    case "image":
      return root === undefined ? undefined : first(leaf, scope, "img");
    case "url":
      return root === undefined ? undefined : first(leaf, scope, "a");
    default:
      return linkValue(leaf, scope);
  }
}

/** Characters of a line that states a price, a rating or whether there is stock. */
const MAX_LINE = 60;

/** Letters beside the two amounts of a range of prices. */
const MAX_BESIDE_RANGE = 8;

function isLine(element: Element, page: ShownPage): boolean {
  return page.lengthOf(element) > 0 && page.lengthOf(element) <= MAX_LINE;
}

/** A line such as "4.2 out of 5". */
const SCORE = /(?:^|\s)\d(?:[.,]\d{1,2})?\s*(?:\/|out of|von|sur|su|van)\s*(?:5|10)(?:[.,]0)?(?!\d)/iu;

/** One end of the only range of prices. */
function priceRange(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { page } = scope.facts;
  const lines = elementsIn(scope).filter((one) => isLine(one, page) && !page.isStruck(one));
  const ranges = lines.filter((one) => {
    const text = page.text(one);
    return moneyIn(text, page.locale).length === 2 && text.replace(/[^\p{L}]+/gu, "").length <= MAX_BESIDE_RANGE;
  });
  return onlyOne(ranges.flatMap((one) => rangeFound(leaf, page.text(one), { from: "text", element: one }, page) ?? []));
}

/** The only line about stock. */
function stockValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { page } = scope.facts;
  const stated = elementsIn(scope).filter((one) => isLine(one, page) && stockIn(page.text(one)) !== undefined);
  // "Not <b>in stock</b>" states the opposite of its part.
  if (new Set(stated.map((one) => stockIn(page.text(one)))).size > 1) return undefined;
  const [line, ...others] = page.innermost(stated);
  // Of several lines, each may be about another size or colour.
  return line === undefined || others.length > 0 ? undefined : elementFound(leaf, line, "text", page);
}

/** The address of the only link whose text is the name of the field: "Download" for `download_url`. */
function linkValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  if (!isAddress(leaf)) return undefined;
  const { page } = scope.facts;
  const names = new Set([...leaf.names.own].map((name) => name.replace(/ (?:url|link|uri|href|address)$/, "")));
  const links = elementsIn(scope).filter((one) => one.name === "a" && names.has(normalName(page.text(one))));
  return onlyOne(links.flatMap((one) => elementFound(leaf, one, "link", page) ?? []));
}

function first(leaf: LeafPlan, scope: Scope, name: string): Found | undefined {
  const { page } = scope.facts;
  const element = elementsIn(scope).find((one) => one.name === name);
  return element === undefined ? undefined : elementFound(leaf, element, name === "a" ? "link" : "text", page);
}

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** The heading of the page or of a card. */
export function headingValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { page } = scope.facts;
  const names = scope.root === undefined ? ["h1"] : HEADINGS;
  const headings = elementsIn(scope).filter((one) => names.includes(one.name));
  const found = headings.flatMap((one) => elementFound(leaf, one, "heading", page) ?? []);
  if (scope.root !== undefined) return found[0] ?? first(leaf, scope, "a");
  const site = wordsOf(scope.facts.content("og:site_name")?.text ?? "");
  const only = onlyOne(found.filter(({ quote }) => wordsOf(quote) !== site));
  if (only !== undefined || found.length < 2) return only;
  const title = wordsOf(scope.facts.content("og:title")?.text ?? "");
  return found.find(({ value }) => wordsOf(String(value)) === title);
}

/** The first price below the heading. In a card, its only price. */
function priceValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { facts } = scope;
  const { page } = facts;
  const prices = facts.prices.filter(({ element }) => isInside(element, scope));
  const heading = elementsIn(scope).find((one) => one.name === "h1");
  const order = heading === undefined || scope.root !== undefined ? 0 : page.orderOf(heading);
  const below = prices.filter(({ element }) => page.orderOf(element) > order && !isOtherAmount(element, page));
  const [price] = below;
  const isOnly = new Set(below.map(({ money }) => money.amount)).size === 1;
  if (price === undefined || (!isOnly && (scope.root !== undefined || heading === undefined))) return undefined;
  const found = elementFound(leaf, price.element, "text", page);
  // Of several prices, the one of the thing has a line of its own that is named so.
  const isCurrency = leaf.names.concept === "currency" && new Set(below.map(({ money }) => money.currency)).size === 1;
  return isOnly || isCurrency ? found : undefined;
}

/** Words beside an amount that is not the price: of shipping, of savings, of credits, and of old prices. */
const OTHER_AMOUNT =
  /shipping|delivery|postage|versand|liefer|livraison|env[ií]o|frete|spedizion|verzend|dostaw|\bsave\b|savings|spar|économ|ahorr|risparm|bespaar|emi\b|instal+ment|finan[zc]|\braten?\b|\d\s?x\s|deposit|kaution|\b(?:mrp|rrp|msrp|uvp|was|statt|list price|regular price)\b/iu;

/** Whether the line of an amount names something else than the price. */
function isOtherAmount(element: Element, page: ShownPage): boolean {
  const { parent } = element;
  const line = parent !== null && "attribs" in parent && page.lengthOf(parent) <= MAX_LINE ? parent : element;
  const isOnlyOne = new Set(moneyIn(page.text(line), page.locale).map(({ amount }) => amount)).size === 1;
  return OTHER_AMOUNT.test(page.text(isOnlyOne ? line : element));
}

function bylineValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { page } = scope.facts;
  for (const element of elementsIn(scope)) {
    const length = page.lengthOf(element);
    if (length < 4 || length > MAX_BYLINE) continue;
    const text = page.text(element);
    if (!hasNameLabel(text)) continue;
    const name = personNameOf(text);
    if (name !== undefined && leaf.fits(name))
      return { value: name, quote: text, isShown: true, place: { from: "text", element } };
  }
  return undefined;
}

/** `meta` elements by concept, the best first. Readers do not see them. */
const META: Readonly<Record<string, readonly string[]>> = {
  name: ["og:title", "twitter:title"],
  description: ["description", "og:description", "twitter:description"],
  image: ["og:image:secure_url", "og:image", "twitter:image"],
  author: ["author", "article:author", "parsely-author", "citation_author"],
  "date published": [
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "pubdate",
    "citation_publication_date",
  ],
  "date modified": ["article:modified_time", "og:updated_time"],
  price: ["product:price:amount", "og:price:amount"],
  currency: ["product:price:currency", "og:price:currency"],
  brand: ["product:brand", "og:brand"],
  availability: ["product:availability", "og:availability"],
  sku: ["product:retailer_item_id"],
  publisher: ["og:site_name"],
  section: ["article:section"],
  tags: ["keywords", "article:tag"],
  url: ["og:url"],
  isbn: ["book:isbn"],
};

/** The value in the `meta` elements of the page. */
export function metaValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { facts, isOwn, root } = scope;
  const { concept = "" } = leaf.names;
  if (!isOwn || root !== undefined || (concept === "name" && leaf !== scope.title)) return undefined;
  if (concept === "language" && [...leaf.names.own][0] !== "languages")
    return attributeFound(leaf, facts.root, "lang", facts);
  const canonical = concept === "url" ? attributeFound(leaf, facts.canonical, "href", facts) : undefined;
  const elements = (META[concept] ?? []).flatMap((name) => facts.content(name)?.element ?? []);
  const [found] = elements.flatMap((element) => attributeFound(leaf, element, "content", facts) ?? []);
  // A page that shows prices, but not this one, contradicts it.
  if (AMOUNTS.has(concept) && facts.prices.length > 0 && found?.isShown !== true) return undefined;
  return canonical ?? found;
}

function attributeFound(
  leaf: LeafPlan,
  element: Element | undefined,
  attribute: string,
  facts: PageFacts,
): Found | undefined {
  const text = element?.attribs[attribute]?.trim();
  if (element === undefined || text === undefined || (/^https?:/i.test(text) && !isAddress(leaf))) return undefined;
  const value = typedValue(leaf, text, facts.page, true);
  if (value === undefined) return undefined;
  const isShown = attribute === "content" && isVisible(value, leaf, facts);
  return { value, quote: text, isShown, place: { from: "meta", element, attribute } };
}
