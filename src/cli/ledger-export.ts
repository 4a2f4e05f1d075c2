import { printable } from "./table.ts";
import { type LedgerRecord, RECORD_KEYS } from "./ledger-record.ts";

/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180 §2: quoted where it must be, quotes doubled. A cell that a spreadsheet would compute begins with an apostrophe. */
export function csvCell(value: string | number | boolean): string {
  const raw = String(value);
  const safe = typeof value === "string" && FORMULA.test(raw) ? `'${printable(raw)}` : printable(raw);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A way to write many payments. */
export interface ExportFormat {
  readonly head: string;
  readonly line: (record: LedgerRecord) => string;
}

export const CSV: ExportFormat = {
  head: `${RECORD_KEYS.join(",")}\r\n`,
  line: (record) => `${RECORD_KEYS.map((key) => csvCell(record[key])).join(",")}\r\n`,
};

export const JSON_LINES: ExportFormat = { head: "", line: (record) => `${JSON.stringify(record)}\n` };
