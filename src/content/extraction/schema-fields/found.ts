import { type Element } from "domhandler";
import { type LeafPlan } from "./field-plan.ts";
import { type PageFacts } from "./page-facts.ts";
import { wordsOf } from "./shown-page.ts";
import { type Place, type Thing } from "./things.ts";
import { type Scalar } from "./values.ts";
import { AMOUNTS } from "./vocabulary.ts";

/** A value of a field, and its place. */
export interface Found {
  readonly value: Scalar;
  readonly place: Place;
  /** The text of the page that states the value. */
  readonly quote: string;
  /** Whether a reader sees the value. */
  readonly isShown: boolean;
  /** A declared value that the visible text contradicts. */
  readonly conflict?: { readonly value: Scalar; readonly place: Place };
}

/** The part of a page in which fields are searched. */
export interface Scope {
  readonly facts: PageFacts;
  /** Undefined: the whole page. */
  readonly root: Element | undefined;
  /** The things that describe it, the best first. */
  readonly things: readonly Thing[];
  /** Whether the things are those of the object around it. */
  readonly isBorrowed?: boolean;
  /** Things whose names the page does not show: only their names are compared with it. */
  readonly doubted: ReadonlySet<Thing>;
  /** Whether the field is one of the thing itself, and not of another one that belongs to it. */
  readonly isOwn: boolean;
  /** The field that is the name of the thing. */
  readonly title: LeafPlan | undefined;
}

/** Whether an element is in the part of the page. */
export function isInside(element: Element, { facts: { page }, root }: Scope): boolean {
  return root === undefined ? !page.isMinor(element) : page.contains(root, element);
}

/** The shown elements of a part of a page. */
export function elementsIn(scope: Scope): readonly Element[] {
  const { facts, root } = scope;
  if (root === undefined) return facts.page.major;
  return facts.page.isShown(root) ? [root, ...facts.page.within(root)] : [];
}

/** Whether two values have the same words. */
export function isSame(a: Scalar, b: Scalar): boolean {
  return a === b || wordsOf(String(a)) === wordsOf(String(b));
}

/** Whether the value of a field is an address. */
export function isAddress({ format = "", names: { concept = "" } }: LeafPlan): boolean {
  return /^(?:uri|url|iri|uri-reference)$/.test(format) || ["url", "image", "website"].includes(concept);
}

/** Whether a reader sees the value somewhere in the page. */
export function isVisible(value: Scalar, leaf: LeafPlan, facts: PageFacts): boolean {
  if (typeof value === "number") return facts.showsNumber(value, AMOUNTS.has(leaf.names.concept ?? ""));
  return typeof value === "string" && facts.page.shows(value);
}
