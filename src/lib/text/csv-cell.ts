import { visibleText } from "./visible-text.ts";

/** The start of a text that a spreadsheet would take for a formula. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
const NUMBER = /^-[0-9]+(?:\.[0-9]+)?$/;

/** One CSV cell (RFC 4180 §2). An apostrophe before a formula keeps a spreadsheet from computing it. */
export function csvCell(value: string | number | boolean): string {
  const shown = visibleText(String(value));
  const safe = typeof value === "string" && FORMULA.test(shown) && !NUMBER.test(shown) ? `'${shown}` : shown;
  return /[",]|^ | $/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
