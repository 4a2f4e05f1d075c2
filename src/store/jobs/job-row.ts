import { type Job } from "./job-store.ts";

const TEXTS = "id secretHash payer order sale payment paid transaction state reason".split(" ");
const COUNTS = "number limit maxKnown keptMs known open delivered paidThrough results bytes saved".split(" ");
const NUMBERS = [...COUNTS, "endsAt", "createdAt", "endedAt"];
const COLUMNS: Readonly<Record<string, string>> = { order: "orders", transaction: "tx", limit: "page_limit" };

/** The columns of a job that `jobOf` reads, in their order. Both databases have them; the counts by kind follow as JSON. */
export const JOB_COLUMNS = [...TEXTS, ...NUMBERS]
  .map((member) => COLUMNS[member] ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .join(", ");

/** A job from its row: the values of `JOB_COLUMNS`, then a JSON object with the counts by kind or null. */
export function jobOf(row: readonly unknown[]): Job {
  const texts = TEXTS.map((member, at) => [member, String(row[at])]);
  const numbers = NUMBERS.map((member, at) => [member, Number(row[TEXTS.length + at])]);
  // The members have no other values, and the database makes the last object from names and numbers.
  const { endsAt, ...job } = Object.fromEntries([...texts, ...numbers]) as Omit<Job, "maxRunMs" | "kinds"> & {
    readonly endsAt: number;
  };
  const kinds = (JSON.parse(String(row.at(-1))) ?? {}) as Job["kinds"];
  return { ...job, maxRunMs: endsAt - job.createdAt, kinds };
}
