import { type FailedPage } from "./gather.ts";

/** Maximum number of pages that are listed by address, and characters of an address. */
const MAX_NAMED = 8;
const MAX_ADDRESS = 200;

/** Facts about a resolution that did not decide it. */
export interface Circumstances {
  readonly failed: readonly FailedPage[];
  readonly copies: readonly string[];
  readonly searches: number;
  readonly failedSearches: number;
  readonly invented: number;
  readonly orders: number;
  readonly modelError?: string;
}

/** The complete reasoning: what decided, what could not be read, and what was left out. */
export function reasoningOf(decided: string, about: Circumstances): string {
  const { failed, copies, searches, failedSearches, invented, orders, modelError } = about;
  const sentences = [
    modelError === undefined ? "" : `The language model failed (${modelError}), so the embedded analyst judged.`,
    decided,
    failedSearches === 0 ? "" : `${failedSearches} of ${failedSearches + searches} searches failed.`,
    ...failed.slice(0, MAX_NAMED).map(({ url, reason }) => `${shown(url)} gave no source: ${reason}.`),
    more(failed.length - MAX_NAMED, "Other pages that gave no source"),
    ...copies.slice(0, MAX_NAMED).map((url) => `${shown(url)} repeats the text of another source and does not count.`),
    more(copies.length - MAX_NAMED, "Other pages that repeat a source"),
    dropped(invented, "is in no source", "are in no source"),
    dropped(orders, "gives orders to its reader", "give orders to their reader"),
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function more(count: number, what: string): string {
  return count <= 0 ? "" : `${what}: ${count}.`;
}

function dropped(count: number, one: string, many: string): string {
  if (count === 0) return "";
  return count === 1 ? `1 quote ${one} and was dropped.` : `${count} quotes ${many} and were dropped.`;
}

function shown(url: string): string {
  return url.length <= MAX_ADDRESS ? url : `${url.slice(0, MAX_ADDRESS)}…`;
}
