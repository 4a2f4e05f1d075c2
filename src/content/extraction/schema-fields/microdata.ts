import { type Element } from "domhandler";
import { isTag } from "domhandler";
import { elementsOf } from "../selectors/select-all.ts";
import { type ShownPage } from "./shown-page.ts";
import { type FieldOrigin } from "../tree/page-fields.ts";
import { localName, type Place, type Thing, type ThingValue } from "./things.ts";

/** Elements with microdata or RDFa that are read. */
const MAX_ELEMENTS = 20_000;

/** The attributes of one of the two syntaxes. */
interface Syntax {
  readonly from: FieldOrigin;
  readonly scope: (element: Element) => string | undefined;
  readonly property: string;
}

const MICRODATA: Syntax = {
  from: "microdata",
  scope: ({ attribs }) => (attribs["itemscope"] === undefined ? undefined : (attribs["itemtype"] ?? "")),
  property: "itemprop",
};
const RDFA: Syntax = { from: "rdfa", scope: ({ attribs }) => attribs["typeof"], property: "property" };

/** Shown elements whose value is an attribute. */
const ATTRIBUTES = new Map(
  Object.entries({
    href: ["link", "a", "area"],
    src: ["img", "source"],
    datetime: ["time"],
    value: ["data"],
  }).flatMap(([attribute, names]) => names.map((name) => [name, attribute] as const)),
);

/** The things that a page describes in microdata and in RDFa. Hidden elements describe nothing. */
export function markedThings(page: ShownPage): readonly Thing[] {
  return [MICRODATA, RDFA].flatMap((syntax) => thingsIn(page, syntax));
}

function thingsIn(page: ShownPage, syntax: Syntax): readonly Thing[] {
  const things = new Map<Element, Thing>();
  const outer: Thing[] = [];
  let count = 0;
  for (const element of elementsOf(page.tree)) {
    const type = syntax.scope(element);
    const names = element.attribs[syntax.property];
    if (type === undefined && names === undefined) continue;
    if (++count > MAX_ELEMENTS) break;
    if (!isReadable(element, page)) continue;
    const place: Place = { from: syntax.from, element };
    const own: Thing | undefined =
      type === undefined ? undefined : { types: type.split(/\s+/).map(localName), properties: [], place };
    if (own !== undefined) things.set(element, own);
    const around = thingAround(element, things);
    if (around === undefined || names === undefined) {
      if (own !== undefined) outer.push(own);
      continue;
    }
    const { value, attribute } = own === undefined ? valueOf(element, page) : { value: own, attribute: undefined };
    for (const name of names.split(/\s+/)) {
      if (name !== "") around.properties.push({ name: localName(name), value, place: { ...place, attribute } });
    }
  }
  return [...outer, ...[...things.values()].filter((thing) => !outer.includes(thing))];
}

/** `meta` and `link` show nothing anywhere; they count if a reader sees the element around them. */
function isReadable(element: Element, page: ShownPage): boolean {
  if (page.isShown(element)) return true;
  const { parent, name } = element;
  return (name === "meta" || name === "link") && parent !== null && isTag(parent) && page.isShown(parent);
}

function thingAround({ parent }: Element, things: ReadonlyMap<Element, Thing>): Thing | undefined {
  for (let at = parent; at !== null && isTag(at); at = at.parent) {
    const thing = things.get(at);
    if (thing !== undefined) return thing;
  }
  return undefined;
}

function valueOf(element: Element, page: ShownPage): { value: ThingValue; attribute: string | undefined } {
  const { name, attribs } = element;
  for (const attribute of ["content", ATTRIBUTES.get(name) ?? "content"]) {
    const value = attribs[attribute];
    if (value === undefined) continue;
    const isAddress = attribute === "href" || attribute === "src";
    return { value: isAddress ? (URL.parse(value.trim(), page.base)?.href ?? value) : value, attribute };
  }
  return { value: page.text(element), attribute: undefined };
}
