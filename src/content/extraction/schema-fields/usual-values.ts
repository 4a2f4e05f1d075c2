import { type Element } from "domhandler";
import { hasNameLabel, personNameOf } from "../reader/people.ts";
import { type LeafPlan } from "./field-plan.ts";
import { elementsIn, type Found, isAddress, isInside, isVisible, type Scope } from "./found.ts";
import { namesOf } from "./names.ts";
import { type PageFacts } from "./page-facts.ts";
import { wordsOf } from "./shown-page.ts";
import { type Place } from "./things.ts";
import { typedValue } from "./values.ts";
import { elementFound, labelledValue, onlyOne } from "./visible-values.ts";
import { AMOUNTS } from "./vocabulary.ts";

/** Characters of a line that names an author. */
const MAX_BYLINE = 100;

/** The names of a price, beside which its currency stands. */
const PRICE = { ...namesOf("price", undefined, []), concept: "currency" };

/** The value at the usual place of its concept: the heading, the price below it, a byline, a link. */
export function usualValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { facts, isOwn } = scope;
  const { page } = facts;
  if (leaf === scope.title) return headingValue(leaf, scope);
  if (!isOwn) return undefined;
  const among = (from: Place["from"], test: (element: Element) => boolean): Found | undefined =>
    onlyOne(elementsIn(scope).flatMap((one) => (test(one) && elementFound(leaf, one, from, page)) || []));
  switch (leaf.names.concept ?? "") {
    case "price":
      return priceValue(leaf, scope);
    case "currency":
      return labelledValue({ ...leaf, names: PRICE }, scope) ?? priceValue(leaf, scope);
    case "author":
      return among("link", ({ attribs }) => attribs["rel"] === "author") ?? bylineValue(leaf, scope);
    case "date published":
    case "date posted":
      return dateValue(leaf, scope);
    case "email":
      return among("link", ({ attribs }) => /^mailto:/i.test(attribs["href"] ?? ""));
    case "phone":
      return among("link", ({ attribs }) => /^tel:/i.test(attribs["href"] ?? ""));
    case "image":
      return scope.root === undefined ? undefined : first(leaf, scope, "img");
    case "url":
      return scope.root === undefined ? undefined : first(leaf, scope, "a");
    default:
      return undefined;
  }
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
  const below = prices.filter(({ element }) => page.orderOf(element) > order);
  const [price] = below;
  const isOnly = new Set(below.map(({ money }) => money.amount)).size === 1;
  if (price === undefined || (!isOnly && (scope.root !== undefined || heading === undefined))) return undefined;
  const found = elementFound(leaf, price.element, "text", page);
  // Of several prices, the one of the thing has a line of its own that is named so.
  return isOnly || leaf.names.concept === "currency" ? found : undefined;
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

function dateValue(leaf: LeafPlan, scope: Scope): Found | undefined {
  const { page } = scope.facts;
  const times = elementsIn(scope).filter((one) => one.name === "time");
  return onlyOne(times.flatMap((one) => elementFound(leaf, one, "text", page) ?? []));
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
  const { page } = facts;
  const { concept = "" } = leaf.names;
  if (!isOwn || root !== undefined || (concept === "name" && leaf !== scope.title)) return undefined;
  if (AMOUNTS.has(concept) && facts.prices.length > 0) {
    const found = metaFound(leaf, META[concept] ?? [], facts);
    return found?.isShown === true ? found : undefined;
  }
  if (concept === "url" && facts.canonical !== undefined) {
    const href = facts.canonical.attribs["href"] ?? "";
    const value = typedValue(leaf, { value: href, isData: true, url: page.url, locale: page.locale });
    const place = { from: "meta", element: facts.canonical, attribute: "href" } as const;
    if (value !== undefined) return { value, quote: href, isShown: false, place };
  }
  if (concept === "language" && facts.root !== undefined) {
    const value = typedValue(leaf, {
      value: facts.root.attribs["lang"] ?? "",
      isData: true,
      url: page.url,
      locale: "",
    });
    const place = { from: "meta", element: facts.root, attribute: "lang" } as const;
    return value === undefined ? undefined : { value, quote: String(value), isShown: false, place };
  }
  return metaFound(leaf, META[concept] ?? [], facts);
}

function metaFound(leaf: LeafPlan, names: readonly string[], facts: PageFacts): Found | undefined {
  const { page } = facts;
  for (const name of names) {
    const meta = facts.content(name);
    if (meta === undefined || (/^https?:/i.test(meta.text) && !isAddress(leaf))) continue;
    const value = typedValue(leaf, { value: meta.text, isData: true, url: page.url, locale: page.locale });
    if (value === undefined) continue;
    const place = { from: "meta", element: meta.element, attribute: "content" } as const;
    return { value, quote: meta.text, isShown: isVisible(value, leaf, facts, false), place };
  }
  return undefined;
}
