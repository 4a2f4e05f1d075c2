import { createHash } from "node:crypto";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type PageStore } from "../../store/page-store.ts";
import { type PageRequest } from "../page/page.ts";
import { type FieldChange, fieldDiff } from "./field-diff.ts";
import { lineDiff } from "./line-diff.ts";

/** Versions of a page that are kept for one client. The oldest is removed. */
export const MAX_VERSIONS = 10;

/** The version with which a page is compared, and the form of the differences. */
export interface ChangesOrder {
  /** The last one, or the last one at a time in Unix milliseconds. */
  readonly since: "last" | number;
  readonly mode: "diff" | "fields" | "state";
}

/** The differences between a page and an older version of it. */
export interface PageChanges {
  readonly state: "new" | "same" | "changed" | "removed";
  /** The time from which on the older version is known (RFC 3339). */
  readonly compared_with?: string;
  readonly diff?: string;
  readonly fields?: readonly FieldChange[];
  readonly truncated?: boolean;
}

/**
 * The key of a page's versions. Clients with different names never share a version. `kind` names the content that is
 * made of the page.
 */
export function versionKey(client: string, request: PageRequest, kind: string): string {
  const { url, engine, waitMs, waitUntil, selector = null, userAgent = null, stealth, own, steps } = request;
  const address = new URL(url);
  address.hash = "";
  const ours = (own ?? steps) === undefined ? [] : [own, steps];
  const parts = [client, address.href, kind, engine, waitMs, waitUntil, selector, userAgent, stealth, ...ours];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** The versions of pages that clients have seen. `now` gives Unix milliseconds. */
export class PageVersions {
  readonly #store: PageStore;
  readonly #now: () => number;

  constructor(store: PageStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Compares the content of a page with an older version. With `isKept`, the content becomes the newest version. */
  async compare(key: string, content: string, order: ChangesOrder, isKept: boolean): Promise<PageChanges> {
    const last = await this.#store.get(key);
    const then = order.since === "last" ? last : await this.#store.get(key, order.since);
    if (isKept) {
      const isSame = last !== undefined && decompressedText(last.body) === content;
      const at = isSame ? last.at : Math.max(this.#now(), (last?.at ?? 0) + 1);
      await this.#store.put(key, { at, head: "{}", body: new Uint8Array(Bun.zstdCompressSync(content)) });
    }
    if (then === undefined) return { state: "new" };
    const before = decompressedText(then.body);
    const known = { compared_with: new Date(then.at).toISOString() };
    if (before === content) return { state: "same", ...known };
    return { state: "changed", ...known, ...differences(before, content, order.mode) };
  }

  /** The report about a page that has gone. Undefined if no older version is known. */
  async gone(key: string, { since }: ChangesOrder): Promise<PageChanges | undefined> {
    const then = await this.#store.get(key, since === "last" ? undefined : since);
    return then && { state: "removed", compared_with: new Date(then.at).toISOString() };
  }
}

function decompressedText(body: Uint8Array<ArrayBuffer>): string {
  return Bun.zstdDecompressSync(body).toString();
}

function differences(before: string, after: string, mode: ChangesOrder["mode"]): Omit<PageChanges, "state"> {
  if (mode === "state") return {};
  const [old, now] = mode === "fields" ? [parsedJson(before), parsedJson(after)] : [];
  if (old !== undefined && now !== undefined) {
    const { fields, isCut } = fieldDiff(old, now);
    return { fields, ...(isCut ? { truncated: true } : {}) };
  }
  const { diff, isCut } = lineDiff(before, after);
  return { diff, ...(isCut ? { truncated: true } : {}) };
}
