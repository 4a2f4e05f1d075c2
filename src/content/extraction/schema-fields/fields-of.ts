import { type Document, type Element } from "domhandler";
import { fromPointerStep, type Json, type JsonObject, pointerStep, valueAt } from "../../../lib/json-schema/json.ts";
import { isObject } from "../../../lib/is-object.ts";
import { type FieldPlan, type LeafPlan, type ListPlan, type ObjectPlan, type SchemaPlan } from "./field-plan.ts";
import { type Found, type Scope } from "./found.ts";
import { leafValue, propertyLists } from "./leaf-values.ts";
import { suggestedValue } from "./suggested-value.ts";
import { elementFound } from "./visible-values.ts";
import { membersOf, leafList, objectItems, titleOf } from "./lists.ts";
import { LearnedRules } from "./learned-rules.ts";
import { PageFacts } from "./page-facts.ts";
import { type Sight } from "../../page/page.ts";
import { type SchemaTask } from "../tree/extraction.ts";
import { type FieldRule, type FieldSource, type MissingField, type PageFields } from "../tree/page-fields.ts";
import { wordsOf } from "./shown-page.ts";
import { plainText } from "./values.ts";
import { AMOUNTS } from "./vocabulary.ts";
import { isSubject, isThing, nameOf, type Thing } from "./things.ts";

/** Characters of a quote. */
const MAX_QUOTE = 200;
/** Rounds in which values that are not valid together are removed. */
const MAX_ROUNDS = 5;

interface FieldsPage extends SeenDocument, Omit<SchemaTask, "kind" | "schema"> {}

/** A document, and the known facts about its visible text. */
export interface SeenDocument {
  readonly tree: Document;
  readonly url: string;
  readonly sight?: Sight | undefined;
}

/** The fields of a page by a schema. Every value stands in the page; fields without a value are null. */
export function fieldsOf({ tree, url, locale, sight, ...options }: FieldsPage, plan: SchemaPlan): PageFields {
  return new Filler(new PageFacts(tree, { url, locale, sight }), options).fields(plan);
}

type FieldOptions = Omit<FieldsPage, "tree" | "url" | "locale" | "sight">;

const NOT_FOUND = "the page has no value for it";

class Filler {
  readonly #facts: PageFacts;
  readonly #sources: Record<string, FieldSource> = Object.create(null);
  readonly #missing: MissingField[] = [];

  readonly #options: FieldOptions;
  readonly #learned: LearnedRules | undefined;
  readonly #rules: Record<string, readonly FieldRule[]> = Object.create(null);
  readonly #drift: string[] = [];

  constructor(facts: PageFacts, options: FieldOptions) {
    this.#facts = facts;
    this.#options = options;
    this.#learned = (options.rules ?? options.learn) === undefined ? undefined : new LearnedRules(facts);
  }

  fields({ root, schema }: SchemaPlan): PageFields {
    const value = this.#object(root, this.#scope(root), "") ?? {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const problems = schema.problemsOf(withoutNulls(value));
      const invalid = problems.filter(({ path }) => Object.hasOwn(this.#sources, path));
      for (const { path, message } of invalid) {
        clear(value, path);
        delete this.#sources[path];
        this.#missing.push({ path, reason: `the value of the page is not valid: it ${message}`, required: false });
      }
      if (invalid.length > 0) continue;
      for (const { path, message } of problems) {
        const isKnown = this.#missing.some((one) => one.required && one.path.startsWith(path));
        if (!isKnown) this.#missing.push({ path, reason: message, required: true });
      }
      break;
    }
    const { rules, learn, withText } = this.#options;
    const { isCertain, unread } = this.#facts.page;
    return {
      value,
      ...(isCertain ? {} : { unread }),
      sources: this.#sources,
      missing: this.#missing,
      ...(withText === true ? { text: this.#facts.page.visibleText() } : {}),
      ...(learn === undefined ? {} : { rules: this.#rules }),
      ...(rules === undefined ? {} : { drift: this.#drift }),
    };
  }

  #scope(root: ObjectPlan): Scope {
    const facts = this.#facts;
    const plan = wholeOf(root) ?? root;
    const things = mainThings(plan, facts);
    const doubted = new Set(things.filter((thing) => isDoubted(thing, facts)));
    return { facts, root: undefined, things, doubted, isOwn: true, title: titleOf(plan) };
  }

  #fill(plan: FieldPlan, scope: Scope, path: string): Json | undefined {
    if (plan.kind === "leaf") return this.#leaf(plan, scope, path);
    if (plan.kind === "object") return this.#object(plan, scope, path);
    const { items } = plan;
    if (items.kind === "leaf") {
      const found = leafList({ ...plan, items }, scope);
      const shown = found.filter((one) => this.#isShown(one) || this.#options.shownOnly !== true);
      return shown.length === 0 ? undefined : shown.map((one, at) => this.#keep(`${path}/${at}`, one) ?? null);
    }
    return items.kind === "object" ? this.#objects(plan, items, scope, path) : undefined;
  }

  #leaf(leaf: LeafPlan, scope: Scope, path: string): Json | undefined {
    const { rules = {}, learn = {} } = this.#options;
    const rule = Object.hasOwn(rules, path) ? rules[path] : undefined;
    const ruled = rule && this.#learned?.found(rule, leaf, scope);
    if (rule !== undefined && ruled === undefined) this.#drift.push(path);
    const found = ruled ?? leafValue(leaf, scope) ?? this.#suggested(leaf, path);
    const confirmed = Object.hasOwn(learn, path) ? learn[path] : found?.value;
    if (this.#options.learn !== undefined && confirmed !== undefined) {
      this.#rules[path] = this.#learned?.of(confirmed, leaf, found) ?? [];
    }
    return this.#keep(path, found);
  }

  /** A language model's value, if a reader sees its quote, and the quote has the value. */
  #suggested(leaf: LeafPlan, path: string): Found | undefined {
    const { suggestions = {} } = this.#options;
    const suggestion = Object.hasOwn(suggestions, path) ? suggestions[path] : undefined;
    return suggestion && suggestedValue(leaf, suggestion, this.#facts.page);
  }

  /** Whether a reader is known to see the value. */
  #isShown(found: Found): boolean {
    return found.isShown && this.#facts.page.isCertain;
  }

  #keep(path: string, found: Found | undefined): Json | undefined {
    if (found === undefined || (this.#options.shownOnly === true && !this.#isShown(found))) return undefined;
    const { place, quote, conflict } = found;
    const { from, element, pointer, attribute } = place;
    this.#sources[path] = {
      from,
      selector: this.#facts.page.selectorOf(element),
      pointer,
      attribute,
      quote: quote.replace(/\s+/g, " ").slice(0, MAX_QUOTE).toWellFormed(),
      shown: this.#isShown(found),
      ...(conflict === undefined ? {} : { conflict: conflict.value }),
    };
    return found.value;
  }

  #object(plan: ObjectPlan, scope: Scope, path: string, cells?: ReadonlyMap<string, Found>): Json | undefined {
    const value: JsonObject = Object.create(null);
    const missing: MissingField[] = [];
    let isFound = false;
    for (const [name, member] of plan.members) {
      const place = path + pointerStep(name);
      const cell = cells?.get(name);
      const inner = member === wholeOf(plan) && path === "" ? scope : scopeOf(member, scope);
      const own = cell === undefined ? this.#fill(member, inner, place) : this.#keep(place, cell);
      value[name] = own ?? null;
      if (own === undefined) missing.push({ path: place, reason: NOT_FOUND, required: plan.required.has(name) });
      else isFound = true;
    }
    if (!isFound && path !== "") return undefined;
    this.#missing.push(...missing);
    return value;
  }

  #objects(plan: ListPlan, item: ObjectPlan, scope: Scope, path: string): Json | undefined {
    const { scopes, cells } = objectItems(plan, item, scope);
    const values: Json[] = [];
    for (const [at, inner] of scopes.entries()) {
      const place = `${path}/${values.length}`;
      const row = cells?.[at];
      const before = this.#missing.length;
      const value = this.#object(item, inner, place, row && this.#cells(item, row));
      const isWhole = !this.#missing
        .slice(before)
        .some(({ required, path: one }) => required && one.lastIndexOf("/") === place.length);
      if (value !== undefined && isWhole) {
        values.push(value);
        continue;
      }
      // The element only has the form of an item: an advertisement, or the heading of a part.
      this.#missing.length = before;
      for (const key of Object.keys(this.#sources)) if (key.startsWith(`${place}/`)) delete this.#sources[key];
    }
    return values.length === 0 ? undefined : values;
  }

  #cells({ members }: ObjectPlan, row: ReadonlyMap<string, Element>): ReadonlyMap<string, Found> {
    const found = new Map<string, Found>();
    for (const [name, element] of row) {
      const member = members.get(name);
      const cell = member?.kind === "leaf" ? elementFound(member, element, "table", this.#facts.page) : undefined;
      if (cell !== undefined) found.set(name, cell);
    }
    return found;
  }
}

/** The only member of an object, if it is an object: the thing itself, as in `{"product": {...}}`. */
function wholeOf({ members }: ObjectPlan): ObjectPlan | undefined {
  const [first, second] = members.values();
  return second === undefined && first?.kind === "object" ? first : undefined;
}

/** Objects that are a value of the thing in several fields, such as `{"amount": 5, "currency": "EUR"}`. */
function isValue({ names: { concept = "" } }: ObjectPlan): boolean {
  return AMOUNTS.has(concept) || concept === "rating";
}

/** The scope of a member: an object inside of another one is about another thing. */
function scopeOf(member: FieldPlan, scope: Scope): Scope {
  if (member.kind !== "object") return scope;
  const inner = scope.things.flatMap((thing) =>
    propertyLists({ names: member.names }, thing)
      .flatMap((properties) => properties.flatMap(({ value }) => (isThing(value) ? [value] : [])))
      .toArray(),
  );
  const isBorrowed = inner.length === 0;
  return { ...scope, things: isBorrowed ? scope.things : inner, isBorrowed, isOwn: isValue(member), title: undefined };
}

/** The things that the page is about, the best first. None if several fit equally. */
function mainThings(plan: ObjectPlan, { things, page }: PageFacts): readonly Thing[] {
  const heading = page.elements.find(({ name }) => name === "h1");
  const title = heading === undefined ? "" : page.text(heading).toLowerCase();
  const scored = things
    .map((thing, at) => {
      const name = thingName(thing).toLowerCase();
      const isNamed = name !== "" && title !== "" && (title.includes(name) || name.includes(title));
      return { thing, at, name, score: membersOf(plan, thing) + (isNamed ? 2 : 0) + (isSubject(thing) ? 1 : 0) };
    })
    .filter(({ score }) => score > 1)
    .toSorted((a, b) => b.score - a.score || a.at - b.at);
  const [best] = scored;
  if (best === undefined) return [];
  const rivals = scored.filter(
    ({ thing, name, score }) => score === best.score && name !== best.name && thing.types[0] === best.thing.types[0],
  );
  if (rivals.length > 0) return [];
  return scored
    .filter(({ name, thing }) => thing === best.thing || (name !== "" && name === best.name))
    .map(({ thing }) => thing);
}

/** Whether the heading of the page names something else, and the page does not show the name of the thing. */
function isDoubted(thing: Thing, { page }: PageFacts): boolean {
  const heading = page.elements.find((one) => one.name === "h1" && page.lengthOf(one) > 0);
  const name = wordsOf(thingName(thing));
  if (heading === undefined || name === "") return false;
  return !isAlike(name, wordsOf(page.text(heading)));
}

/** Whether half of the words of two names are the same. */
function isAlike(a: string, b: string): boolean {
  const [own, other] = [new Set(a.split(" ")), new Set(b.split(" "))];
  return [...own].filter((word) => other.has(word)).length * 2 >= Math.min(own.size, other.size);
}

function thingName(thing: Thing): string {
  const name = nameOf(thing);
  return typeof name === "string" ? plainText(name) : "";
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const own = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(own.map(([name, one]) => [name, withoutNulls(one)]));
}

function clear(value: Json, path: string): void {
  const end = path.lastIndexOf("/");
  const holder = valueAt(value, path.slice(0, end));
  if (Array.isArray(holder) || isObject(holder)) Reflect.set(holder, fromPointerStep(path.slice(end + 1)), null);
}
