import { type FailedPage } from "./gather.ts";

/** Maximum number of pages that are listed by address, and characters of an address. */
const MAX_NAMED = 8;
const MAX_ADDRESS = 200;

const DISPUTED = "of what the language model says, by the embedded reading, so the question stays open";

/** Facts about a resolution that did not decide it. */
export interface Circumstances {
  readonly failed: readonly FailedPage[];
  readonly copies: readonly string[];
  readonly searches: number;
  readonly failedSearches: number;
  readonly invented: number;
  readonly orders: number;
  readonly unrelated: number;
  readonly unstated: number;
  readonly disputed: number;
  readonly omitted: number;
  readonly modelError?: string;
}

/** The complete reasoning: what decided, what could not be read, and what was left out. */
export function reasoningOf(decided: string, about: Circumstances): string {
  const { failed, copies, searches, failedSearches, modelError } = about;
  const sentences = [
    modelError === undefined ? "" : `The language model failed (${modelError}), so the embedded analyst judged.`,
    decided,
    quotes(about.disputed, `states the opposite ${DISPUTED}`, `state the opposite ${DISPUTED}`),
    about.omitted === 0 ? "" : `The language model left out sentences that contradict it: ${about.omitted}.`,
    failedSearches === 0 ? "" : `${failedSearches} of ${failedSearches + searches} searches failed.`,
    ...failed.slice(0, MAX_NAMED).map(({ url, reason }) => `${shown(url)} gave no source: ${reason}.`),
    more(failed.length - MAX_NAMED, "Other pages that gave no source"),
    ...copies.slice(0, MAX_NAMED).map((url) => `${shown(url)} repeats the text of another source and does not count.`),
    more(copies.length - MAX_NAMED, "Other pages that repeat a source"),
    quotes(about.invented, "is in no source and was dropped", "are in no source and were dropped"),
    quotes(about.orders, "gives orders to its reader and was dropped", "give orders to their reader and were dropped"),
    quotes(
      about.unrelated,
      "does not bear on the question and was dropped",
      "do not bear on the question and were dropped",
    ),
    quotes(
      about.unstated,
      "does not state the outcome and decides nothing",
      "do not state the outcome and decide nothing",
    ),
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function more(count: number, what: string): string {
  return count <= 0 ? "" : `${what}: ${count}.`;
}

function quotes(count: number, one: string, many: string): string {
  if (count === 0) return "";
  return count === 1 ? `1 quote ${one}.` : `${count} quotes ${many}.`;
}

function shown(url: string): string {
  return url.length <= MAX_ADDRESS ? url : `${url.slice(0, MAX_ADDRESS)}…`;
}
