import { type Element } from "domhandler";
import { type FieldOrigin } from "../tree/page-fields.ts";
import { normalName } from "./names.ts";

export interface Place {
  readonly from: FieldOrigin;
  readonly element: Element;
  /** JSON pointer in the JSON-LD of the element. */
  readonly pointer?: string | undefined;
  /** The attribute of the element that has the value. Absent for a text that a reader sees. */
  readonly attribute?: string | undefined;
}

export type ThingValue = string | number | boolean | Thing;

/** A property of a thing. A name occurs once for each of its values. */
export interface Property {
  readonly name: string;
  readonly value: ThingValue;
  readonly place: Place;
}

/** A thing that a page describes in structured data. */
export interface Thing {
  /** Without the address of the vocabulary: `Product`. */
  readonly types: readonly string[];
  readonly properties: Property[];
  readonly place: Place;
}

/** Types that describe the site or the page and not what it is about. */
const OF_THE_SITE =
  /^(?:WebSite|WebPage|CollectionPage|ItemPage|SearchResultsPage|AboutPage|ContactPage|BreadcrumbList|SearchAction|ImageObject|SiteNavigationElement|WPHeader|WPFooter|WPSideBar|Organization|NewsMediaOrganization|Corporation|Brand|ListItem|ReadAction|SpeakableSpecification|EntryPoint|ContactPoint|PostalAddress|Offer|AggregateOffer|AggregateRating|Rating|Review|QuantitativeValue|MonetaryAmount)$/;

/** Whether a thing may be what its page is about. */
export function isSubject({ types, properties }: Thing): boolean {
  return properties.length > 1 && types.some((type) => !OF_THE_SITE.test(type));
}

/** The name of a thing. */
export function nameOf({ properties }: Thing): ThingValue | undefined {
  return properties.find(({ name }) => name === "name" || name === "headline" || name === "title")?.value;
}

/** Whether the value is a thing of its own. */
export function isThing(value: ThingValue): value is Thing {
  return typeof value === "object";
}

/** The values of properties with one of these normalised names. */
export function own({ properties }: Thing, names: ReadonlySet<string>): readonly Property[] {
  return properties.filter(({ name }) => names.has(normalName(name)));
}

/** The values at a path such as `offers.price`. */
export function at(thing: Thing, path: string): readonly Property[] {
  let found: readonly Property[] = [];
  let things: readonly Thing[] = [thing];
  for (const step of path.split(".")) {
    found = things.flatMap(({ properties }) => properties.filter(({ name }) => name === step));
    things = found.flatMap(({ value }) => (isThing(value) ? [value] : []));
  }
  return found;
}

/** Without the address of the vocabulary: `Product`, `InStock`. */
export function localName(text: string): string {
  return text.replace(/^(?:https?:\/\/(?:www\.)?(?:schema\.org|data-vocabulary\.org)\/|schema:)/i, "");
}
