import { NewestMap } from "../../../../../lib/memory/newest-map.ts";
import { type Json, type JsonObject } from "../api/shapes.ts";

/** The start of a form: the whole configuration, and the item's place in it. */
export interface Base {
  readonly etag: string | undefined;
  readonly document: JsonObject;
  readonly index: number;
  /** Undefined: the item is new. */
  readonly item: JsonObject | undefined;
  readonly readAtMs: number;
}

export interface Draft {
  readonly base: Base;
  readonly value: JsonObject;
}

/** Forms that are kept while the user visits other views. If there are more, the oldest is dropped. */
const MAX_DRAFTS = 20;

const drafts = new NewestMap<string, Draft>(MAX_DRAFTS);

export function draftOf(name: string): Draft | undefined {
  return drafts.get(name);
}

export function keepDraft(name: string, draft: Draft): void {
  drafts.set(name, draft);
}

export function dropDraft(name: string): void {
  drafts.delete(name);
}

// Closing the page loses the drafts, so the browser asks first.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault();
});

/** The items of a section, such as `routes`. */
export function itemsOf(document: Json | undefined, section: string): readonly JsonObject[] {
  const list = (document as JsonObject | undefined)?.[section];
  return Array.isArray(list) ? (list as readonly JsonObject[]) : [];
}
