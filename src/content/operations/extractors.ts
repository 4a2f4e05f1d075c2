import { object, record, string } from "../../lib/schema.ts";
import { createHash } from "node:crypto";
import { TurnpikeError } from "../../lib/errors.ts";
import { isObject } from "../../lib/is-object.ts";
import { pointerStep } from "../../lib/json-schema/json.ts";
import { type PageStore } from "../../store/page-store.ts";
import { type SchemaTask } from "../extraction/tree/extraction.ts";
import { type FieldRule, type PageFields } from "../extraction/tree/page-fields.ts";

/** Bytes of all learned extractors. @operator The ones that were learned longest ago are removed. */
export const EXTRACTOR_BYTES = 64 * 1024 * 1024;
/** Characters of an extractor's name. */
const ID_LENGTH = 32;

/** A schema, and the learned places of its fields on the pages of a template. */
export type LearnedExtractor = Pick<SchemaTask, "schema" | "locale"> & {
  readonly rules: Readonly<Record<string, FieldRule>>;
};

/**
 * Learned extractors in a store. The name of one is a digest of it and of its payer, so that a payer stores nothing twice, and no other payer
 * learns the same name. Without a payer, each name is new.
 */
export class Extractors {
  readonly #store: PageStore;
  readonly #now: () => number;
  readonly #newName: () => string;

  /** `now` gives Unix milliseconds, and `newName` a random text. */
  constructor(store: PageStore, now: () => number, newName: () => string) {
    this.#store = store;
    this.#now = now;
    this.#newName = newName;
  }

  async keep({ schema, locale, rules }: LearnedExtractor, payer: string): Promise<string> {
    const head = JSON.stringify({ schema, locale, rules });
    const owner = payer === "" ? this.#newName() : payer;
    const id = createHash("sha256")
      .update(JSON.stringify([owner, head]))
      .digest("base64url")
      .slice(0, ID_LENGTH);
    await this.#store.put(id, { at: this.#now(), head, body: new Uint8Array() });
    return id;
  }

  /** Throws `not-found`. */
  async find(id: string): Promise<LearnedExtractor> {
    const stored = await this.#store.get(id);
    if (stored === undefined) throw new TurnpikeError("not-found", "There is no such extractor: learn it again");
    // Only this class writes the store.
    return JSON.parse(stored.head) as LearnedExtractor;
  }
}

const rule = object({
  label: string().optional(),
  selector: string().optional(),
  attribute: string().optional(),
  pointer: string().optional(),
}).openapi("FieldRule", { description: "The learned place of a field: beside a label, or at a CSS selector" });

export const learnedShape = object({
  id: string().describe("The value of `extractor` in later requests"),
  rules: record(string(), rule).describe("By JSON Pointer of the field"),
})
  .optional()
  .openapi("LearnedExtractor", { description: "With `learn`: the places of fields that all pages share" });

/** The rules that find the values of every page, one for each field. */
export function commonRules(pages: readonly PageFields[]): LearnedExtractor["rules"] {
  const [first, ...others] = pages.map(({ rules = {} }) => rules);
  const common: Record<string, FieldRule> = Object.create(null);
  for (const [path, rules] of Object.entries(first ?? {})) {
    const elsewhere = others.map((page) => new Set((page[path] ?? []).map((one) => JSON.stringify(one))));
    const shared = rules.find((one) => elsewhere.every((known) => known.has(JSON.stringify(one))));
    if (shared !== undefined) common[path] = shared;
  }
  return common;
}

/** The single values of confirmed data, by JSON pointer. */
export function confirmedValues(data: unknown, path = ""): Record<string, string | number | boolean> {
  if (typeof data === "string" || typeof data === "number" || typeof data === "boolean") return { [path]: data };
  if (!isObject(data)) return {};
  const parts = Object.entries(data).map(([name, value]) => confirmedValues(value, path + pointerStep(name)));
  return Object.assign(Object.create(null), ...parts);
}
