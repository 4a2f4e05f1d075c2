import { type Document } from "domhandler";
import { textContent } from "domutils";
import { isObject } from "../../../lib/is-object.ts";
import { pointerStep } from "../../../lib/json-schema/json.ts";
import { elementsOf } from "../selectors/select-all.ts";
import { tolerantJson } from "../tree/tolerant-json.ts";
import { isThing, localName, type Place, type Property, type Thing, type ThingValue } from "./things.ts";

/** Scripts of a page with JSON-LD, their characters, their objects and lists, and levels. More is not read. */
const MAX_SCRIPTS = 50;
const MAX_LENGTH = 2_000_000;
const MAX_NODES = 20_000;
const MAX_DEPTH = 20;
/** Characters of a value. */
const MAX_TEXT = 20_000;

/** The things that a page describes in JSON-LD: those of the outermost level, of `@graph` and of lists first. */
export function jsonLdThings(tree: Document): readonly Thing[] {
  const reader = new Reader();
  let [scripts, length] = [0, 0];
  for (const element of elementsOf(tree)) {
    const { name, attribs } = element;
    if (name !== "script" || !/^\s*application\/ld\+json\b/i.test(attribs["type"] ?? "")) continue;
    const text = textContent(element);
    scripts += 1;
    length += text.length;
    if (scripts > MAX_SCRIPTS || length > MAX_LENGTH) break;
    const value = tolerantJson(text);
    if (value !== undefined) reader.read(value, { from: "json-ld", element, pointer: "" });
  }
  return reader.linked();
}

const SUBJECTS = new Set(["mainEntity", "mainEntityOfPage", "itemListElement"]);

class Reader {
  readonly #things: Thing[] = [];
  readonly #byId = new Map<string, Thing>();
  /** Properties whose value is only the `@id` of another thing. */
  readonly #references: { readonly property: { value: ThingValue }; readonly id: string }[] = [];
  #nodes = 0;

  read(value: unknown, place: Place): void {
    if (++this.#nodes > MAX_NODES) return;
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries()) this.read(one, below(place, at));
      return;
    }
    if (!isObject(value)) return;
    if (value["@graph"] !== undefined) this.read(value["@graph"], below(place, "@graph"));
    if (value["@type"] === undefined && value["@graph"] !== undefined) return;
    const thing = this.#thing(value, place, 0);
    this.#things.push(thing);
    // The subject of a page and the items of a list are things of their own.
    for (const { name, value: inner } of thing.properties) {
      if (!SUBJECTS.has(name) || !isThing(inner)) continue;
      const item = inner.properties.find((one) => one.name === "item")?.value;
      this.#things.push(item !== undefined && isThing(item) ? item : inner);
    }
  }

  linked(): readonly Thing[] {
    for (const { property, id } of this.#references) property.value = this.#byId.get(id) ?? property.value;
    return this.#things;
  }

  #thing(value: Readonly<Record<string, unknown>>, place: Place, depth: number): Thing {
    const types = [value["@type"]].flat().filter((type) => typeof type === "string");
    const thing: Thing = { types: types.map(localName), properties: [], place };
    const id = value["@id"];
    if (typeof id === "string" && Object.keys(value).length > 1 && !this.#byId.has(id)) this.#byId.set(id, thing);
    if (depth > MAX_DEPTH) return thing;
    for (const [name, given] of Object.entries(value)) {
      if (name === "@type" || name === "@context" || name === "@graph") continue;
      const isList = Array.isArray(given);
      for (const [at, one] of [given].flat().entries()) {
        if (++this.#nodes > MAX_NODES) return thing;
        const own = isList ? below(below(place, name), at) : below(place, name);
        this.#property(thing, localName(name), one, own, depth);
      }
    }
    return thing;
  }

  // oxlint-disable-next-line max-params -- each is one part of the property
  #property(thing: Thing, name: string, value: unknown, place: Place, depth: number): void {
    const property = { name, value: "" as ThingValue, place };
    if (typeof value === "string") property.value = value.slice(0, MAX_TEXT);
    else if (typeof value === "number" || typeof value === "boolean") property.value = value;
    else if (!isObject(value)) return;
    else if (value["@value"] !== undefined) {
      return this.#property(thing, name, value["@value"], below(place, "@value"), depth);
    } else {
      property.value = this.#thing(value, place, depth + 1);
      const id = value["@id"];
      if (typeof id === "string" && Object.keys(value).length === 1) this.#references.push({ property, id });
    }
    thing.properties.push(property satisfies Property);
  }
}

function below(place: Place, step: string | number): Place {
  return { ...place, pointer: `${place.pointer ?? ""}${pointerStep(step)}` };
}
