/** Powers of 1000 of a byte. */
const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];
const COUNT_UNITS = ["", "k", "M", "G", "T"];
/** The latest time that a Date can hold, in Unix milliseconds. */
const MAX_TIME_MS = 8.64e15;

/** A time in UTC, to the second. */
export function timeText(ms: number): string {
  if (!(Math.abs(ms) <= MAX_TIME_MS)) return "-";
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

const AGO_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a day (`today`, in UTC), a time, or an age such as `15m` before `now`, to Unix milliseconds; undefined for other texts. */
export function parseTime(text: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (text === "today") return now - (now % 86_400_000);
  if (count !== undefined) return now - Number(count) * (AGO_MS[unit] ?? 0);
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Bytes in a few characters: `999 B`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  return scaled(bytes, BYTE_UNITS, " ");
}

/** A count in a few characters: `999`, `12.3k`. */
export function countText(count: number): string {
  return scaled(count, COUNT_UNITS, "");
}

/** Milliseconds in a few characters: `0.8 ms`, `12 ms`, `3.4 s`. */
export function durationText(ms: number): string {
  if (ms >= 10_000) return `${Math.round(ms / 1000)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toFixed(1))} ms`;
}

function scaled(value: number, units: readonly string[], between: string): string {
  let rest = value;
  let at = 0;
  // 999.95 would round to 1000.0.
  while (rest >= (at === 0 ? 1000 : 999.95) && at < units.length - 1) {
    rest /= 1000;
    at += 1;
  }
  const digits = at === 0 ? (Number.isInteger(rest) ? 0 : 1) : rest >= 99.95 ? 0 : 1;
  return `${rest.toFixed(digits)}${units[at] === "" ? "" : between}${units[at] ?? ""}`;
}
