import { type Element, isTag } from "domhandler";
import { type FieldPlan, type LeafPlan, type ListPlan, type ObjectPlan } from "./field-plan.ts";
import { type Found, isInside, type Scope } from "./found.ts";
import { declaredFound, leafValue, propertyLists } from "./leaf-values.ts";
import { elementFound, textFound } from "./visible-values.ts";
import { namesOf, normalName } from "./names.ts";
import { type PageFacts } from "./page-facts.ts";
import { isSubject, isThing, nameOf, type Thing } from "./things.ts";
import { TITLES } from "./vocabulary.ts";

/** Groups of equal elements that are compared, and the elements of each that are looked at for this. */
const MAX_GROUPS = 40;
const LOOKED = 3;
/** Characters of an item of a list of texts. */
const MAX_ITEM = 2_000;

/** The values of a list of texts or numbers. */
export function leafList({ items: leaf, names, max }: ListPlan & { items: LeafPlan }, scope: Scope): readonly Found[] {
  const own: LeafPlan = { ...leaf, names };
  const lists = [declaredList, labelledList, namedList].map((find) => () => find(own, scope));
  for (const list of lists) {
    const found = distinct(list()).slice(0, max);
    if (found.length > 0) return found;
  }
  const one = leafValue(own, scope);
  return one === undefined ? [] : [one];
}

function distinct(found: readonly Found[]): readonly Found[] {
  const values = new Map<unknown, Found>();
  for (const one of found) if (!values.has(one.value)) values.set(one.value, one);
  return [...values.values()];
}

function declaredList(leaf: LeafPlan, scope: Scope): readonly Found[] {
  for (const thing of scope.things) {
    if (scope.doubted.has(thing)) continue;
    for (const properties of propertyLists(leaf, thing)) {
      const [only] = properties;
      const isLine = properties.length === 1 && typeof only?.value === "string" && leaf.names.concept === "tags";
      const parts = isLine ? only.value.split(/\s*[,;|]\s*/) : undefined;
      const found = (
        parts?.map((value) => ({ ...only, name: "", value, place: only?.place ?? thing.place })) ?? properties
      ).flatMap((property) => declaredFound(leaf, property, scope) ?? []);
      if (found.length > 0) return found;
    }
  }
  return [];
}

function labelledList(leaf: LeafPlan, scope: Scope): readonly Found[] {
  const { page, labels } = scope.facts;
  for (const label of leaf.names.labels) {
    for (const { element, items, text, from } of labels.of(label).filter((one) => isInside(one.element, scope))) {
      if (items.length > 0) {
        const found = items.flatMap((item) =>
          page.lengthOf(item) > MAX_ITEM ? [] : (elementFound(leaf, item, from, page) ?? []),
        );
        if (found.length > 0) return found;
      }
      const parts = text.length > MAX_ITEM ? [] : text.split(/\s*(?:[,;|·•、]|\s\/\s)\s*/u);
      const found = parts
        .flatMap((part) => textFound(leaf, part, { from, element }, page) ?? [])
        .map((one) => ({ ...one, quote: text }));
      if (found.length > 0) return found;
    }
  }
  return [];
}

function namedList(leaf: LeafPlan, scope: Scope): readonly Found[] {
  const { page, labels } = scope.facts;
  const items = (element: Element): readonly Element[] => page.within(element).filter(({ name }) => name === "li");
  for (const name of [...leaf.names.own, ...leaf.names.labels]) {
    const elements = labels.named(name).filter((one) => isInside(one, scope));
    const [only] = elements;
    const parts = elements.length === 1 && only !== undefined && items(only).length > 0 ? items(only) : elements;
    const found = parts.flatMap((one) => elementFound(leaf, one, "class", page) ?? []);
    if (found.length > 0) return found;
  }
  const tagged = leaf.names.concept === "tags" ? page.elements.filter(({ attribs }) => attribs["rel"] === "tag") : [];
  return tagged.flatMap((one) => elementFound(leaf, one, "link", page) ?? []);
}

/** The parts of a page that each item of a list of objects is made of. */
export interface ItemScopes {
  readonly scopes: readonly Scope[];
  /** For tables: the member that each column has. */
  readonly cells?: readonly ReadonlyMap<string, Element>[];
}

/** The items of a list of objects: things of structured data, rows of a table, or elements of one structure. */
export function objectItems({ names, max }: ListPlan, item: ObjectPlan, scope: Scope): ItemScopes {
  const title = titleOf(item);
  const made = (root: Element | undefined, things: readonly Thing[]): Scope => ({
    facts: scope.facts,
    root,
    things,
    doubted: NONE,
    isOwn: true,
    title,
  });
  const things = thingItems(names, item, scope).slice(0, max);
  if (things.length > 0) return { scopes: things.map((thing) => made(thing.place.element, [thing])) };
  const rows = tableRows(item, title, scope).slice(0, max);
  if (rows.length > 0) return { scopes: rows.map(({ row }) => made(row, [])), cells: rows.map(({ cells }) => cells) };
  const cards = cardsOf(names, item, scope, (card) => made(card, []));
  return { scopes: cards.slice(0, max).map((card) => made(card, [])) };
}

const NONE: ReadonlySet<Thing> = new Set();

/** The member of an object that is the name of the thing. */
export function titleOf({ members }: ObjectPlan): LeafPlan | undefined {
  const leaves = [...members.values()].filter(isLeaf);
  const titles = TITLES.map((concept) => leaves.find(({ names }) => names.concept === concept));
  return titles.find((one) => one !== undefined);
}

function thingItems(names: ListPlan["names"], item: ObjectPlan, scope: Scope): readonly Thing[] {
  for (const thing of scope.things) {
    for (const properties of propertyLists({ names }, thing)) {
      const found = properties.flatMap(({ value }) => (isThing(value) ? [value] : []));
      if (found.some((one) => membersOf(item, one) > 0)) return found;
    }
  }
  const groups = Map.groupBy(
    scope.facts.things.filter(isSubject),
    ({ types, place }) => `${place.from} ${types.join(" ")}`,
  );
  const scored = [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({ group, score: Math.max(...group.slice(0, LOOKED).map((one) => membersOf(item, one))) }))
    .toSorted((a, b) => b.score - a.score);
  const [best] = scored;
  if (best === undefined || best.score * 2 < item.members.size) return [];
  return isSeen(best.group, scope.facts) ? best.group : [];
}

/** Whether readers see the names of most of the things. */
function isSeen(group: readonly Thing[], { page }: PageFacts): boolean {
  const names = group.flatMap((thing) => nameOf(thing) ?? []);
  const shown = names.filter((name) => typeof name === "string" && page.shows(name));
  return names.length > 0 && shown.length * 2 > group.length;
}

/** The number of members of an object that a thing has. */
export function membersOf({ members }: ObjectPlan, thing: Thing): number {
  let count = 0;
  for (const { names } of members.values()) {
    if (propertyLists({ names }, thing).some((properties) => properties.length > 0)) count += 1;
  }
  return count;
}

const NAME = namesOf("name");

interface ListRow {
  readonly row: Element;
  readonly cells: ReadonlyMap<string, Element>;
}

/** The rows or columns of the table whose headers name most members. */
function tableRows({ members }: ObjectPlan, title: LeafPlan | undefined, scope: Scope): readonly ListRow[] {
  const { page } = scope.facts;
  let best: readonly ListRow[] = [];
  let most = Math.min(2, members.size) - 0.5;
  for (const table of page.elements) {
    if (table.name !== "table" || !isInside(table, scope)) continue;
    const grid = gridOf(table, page);
    if (grid === undefined) continue;
    for (const { head, items } of [grid, turned(grid)]) {
      const labels = head.map((cell) => normalName(page.text(cell)));
      const columns = columnsOf(members, title, labels);
      if (columns.size <= most) continue;
      most = columns.size;
      best = items.map(({ row, cells }) => ({ row, cells: cellsBy(columns, cells) }));
    }
  }
  return best;
}

interface Grid {
  readonly head: readonly Element[];
  readonly items: readonly { readonly row: Element; readonly cells: readonly Element[] }[];
}

/** A table whose first row has headers. */
function gridOf(table: Element, page: PageFacts["page"]): Grid | undefined {
  const rows = page.within(table).filter(({ name }) => name === "tr");
  const [first, ...others] = rows.map((row) => ({ row, cells: cellsOf(row) }));
  if (first === undefined || others.length === 0) return undefined;
  const { row, cells } = first;
  const isHead =
    cells.every(({ name }) => name === "th") ||
    (row.parent !== null && isTag(row.parent) && row.parent.name === "thead");
  if (!isHead || cells.length < 2) return undefined;
  return { head: cells, items: others.filter((one) => one.cells.length === cells.length) };
}

/** A table whose first column has headers, with its columns as items. */
function turned({ head, items }: Grid): Grid {
  if (!items.every(({ cells }) => cells[0]?.name === "th")) return { head: [], items: [] };
  const rows = [head, ...items.map(({ cells }) => cells)];
  const heads = rows.flatMap((cells) => cells[0] ?? []);
  const columns = head.slice(1).map((cell, at) => ({ row: cell, cells: rows.flatMap((cells) => cells[at + 1] ?? []) }));
  return { head: heads, items: columns };
}

function columnsOf(
  members: ObjectPlan["members"],
  title: LeafPlan | undefined,
  labels: readonly string[],
): Map<string, number> {
  const columns = new Map<string, number>();
  for (const [name, member] of members) {
    const own = labels.findIndex((label) => label !== "" && member.names.labels.has(label));
    const named = labels.findIndex((label) => NAME.labels.has(label));
    // A first header without text is that of the items' names.
    const column = own !== -1 || member !== title ? own : named !== -1 || labels[0] !== "" ? named : 0;
    if (column !== -1) columns.set(name, column);
  }
  return columns;
}

function cellsBy(columns: ReadonlyMap<string, number>, cells: readonly Element[]): ReadonlyMap<string, Element> {
  return new Map([...columns].flatMap(([name, at]) => (cells[at] === undefined ? [] : [[name, cells[at]]])));
}

function cellsOf({ children }: Element): readonly Element[] {
  return children.filter((child): child is Element => isTag(child) && (child.name === "td" || child.name === "th"));
}

const HEADING = /^h[1-6]$/;
/** Members that cards of several members have on average, at least. */
const LEAST_MEMBERS = 1.5;

/** Names of lists whose items stand in parts of a page that are not about its main thing. */
const OF_MINOR = /review|comment|related|similar|recommend/;

/** Elements of one parent with the same name and classes, of which each has most members. */
function cardsOf(
  names: ListPlan["names"],
  item: ObjectPlan,
  scope: Scope,
  made: (card: Element) => Scope,
): readonly Element[] {
  const { page } = scope.facts;
  const isMinorList = [...names.own].some((name) => OF_MINOR.test(name));
  const groups: { readonly cards: readonly Element[]; readonly length: number }[] = [];
  for (const parent of page.elements) {
    if (scope.root !== undefined ? !isInside(parent, scope) : page.isMinor(parent) !== isMinorList) continue;
    const children = parent.children.filter(
      (child): child is Element => isTag(child) && page.lengthOf(child) > 0 && !HEADING.test(child.name),
    );
    if (children.length < 2) continue;
    for (const cards of Map.groupBy(children, signatureOf).values()) {
      const length = cards.reduce((sum, card) => sum + page.lengthOf(card), 0);
      if (cards.length > 1) groups.push({ cards, length });
    }
  }
  const scored = groups
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_GROUPS)
    .map(({ cards, length }) => ({ cards, length, score: coverage(cards, item, made) }))
    .toSorted((a, b) => b.score - a.score || b.length - a.length);
  const [best] = scored;
  const least = Math.max(item.members.size / 2, Math.min(item.members.size, LEAST_MEMBERS));
  return best === undefined || best.score < least ? [] : best.cards;
}

function coverage(cards: readonly Element[], { members }: ObjectPlan, made: (card: Element) => Scope): number {
  const looked = cards.slice(0, LOOKED);
  let found = 0;
  for (const card of looked) {
    const scope = made(card);
    found += [...members.values()].filter((one) => isLeaf(one) && leafValue(one, scope) !== undefined).length;
  }
  return found / Math.max(looked.length, 1);
}

function isLeaf(plan: FieldPlan): plan is LeafPlan {
  return plan.kind === "leaf";
}

/** The name and the classes of an element, without those of states and places. */
function signatureOf({ name, attribs }: Element): string {
  const classes = (attribs["class"] ?? "")
    .slice(0, 300)
    .split(/\s+/)
    .filter((one) => !/\d|^(?:first|last|odd|even|active|selected|featured|new|sale|current|is-|has-)/.test(one));
  return `${name} ${classes.join(" ")}`;
}
