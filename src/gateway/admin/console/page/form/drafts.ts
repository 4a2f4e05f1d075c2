import { type Json, type JsonObject } from "../api/shapes.ts";

/** What a form began from: the whole configuration, and the item's place in it. */
export interface Base {
  readonly etag: string | undefined;
  readonly document: JsonObject;
  readonly index: number;
  /** Undefined: it is to be added. */
  readonly item: JsonObject | undefined;
  readonly readAtMs: number;
}

export interface Draft {
  readonly base: Base;
  readonly value: JsonObject;
}

/** Forms that can be left and come back to. The oldest is forgotten first. */
const MAX_DRAFTS = 20;

const drafts = new Map<string, Draft>();

export function draftOf(name: string): Draft | undefined {
  return drafts.get(name);
}

export function keepDraft(name: string, draft: Draft): void {
  drafts.delete(name);
  drafts.set(name, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > MAX_DRAFTS && oldest !== undefined) drafts.delete(oldest);
}

export function dropDraft(name: string): void {
  drafts.delete(name);
}

// A page that is closed takes them along.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault();
});

/** The items of a section, such as `routes`. */
export function itemsOf(document: Json | undefined, section: string): readonly JsonObject[] {
  const list = (document as JsonObject | undefined)?.[section];
  return Array.isArray(list) ? (list as readonly JsonObject[]) : [];
}
