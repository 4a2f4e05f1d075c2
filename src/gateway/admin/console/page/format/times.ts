import { ageText } from "../../../../../lib/time/age-text.ts";

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

function isToday(time: Date): boolean {
  return time.toDateString() === new Date().toDateString();
}

/** Local time: 14:03:05 today, 21 Nov 2026 14:03:05 on other days. */
export function clock(timeMs: number): string {
  const time = new Date(timeMs);
  if (Number.isNaN(time.getTime())) return "";
  return isToday(time) ? CLOCK.format(time) : `${DAY.format(time)}, ${CLOCK.format(time)}`;
}

/** The whole date and time, with the time zone. */
export function fullTime(timeMs: number): string {
  const time = new Date(timeMs);
  return Number.isNaN(time.getTime()) ? "" : FULL.format(time);
}

export function isoTime(timeMs: number): string {
  const time = new Date(timeMs);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

/** For example, "3 min 20 s ago". */
export function ago(timeMs: number, nowMs: number): string {
  const passed = nowMs - timeMs;
  return passed < 1_000 ? "just now" : `${ageText(passed)} ago`;
}
