import { visibleJson, visibleText } from "../../lib/text/visible-text.ts";
import { type LedgerRecord, RECORD_KEYS } from "../common/ledger-record.ts";

/** The characters with which a spreadsheet formula begins. */
const FORMULA = /^[=+\-@]/;

/** One CSV cell (RFC 4180 §2). An apostrophe before a formula keeps a spreadsheet from computing it. @internal */
export function csvCell(value: string | number | boolean): string {
  const shown = visibleText(String(value));
  const safe = typeof value === "string" && FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A file format for an export of many payments. */
export interface ExportFormat {
  readonly head: string;
  readonly line: (record: LedgerRecord) => string;
}

/** Comma-separated values (RFC 4180): a line of column names, then one line for each payment. */
export const CSV: ExportFormat = {
  head: `${RECORD_KEYS.join(",")}\r\n`,
  line: (record) => `${RECORD_KEYS.map((key) => csvCell(record[key])).join(",")}\r\n`,
};

/** One JSON object on each line, for each payment. */
export const JSON_LINES: ExportFormat = { head: "", line: (record) => `${visibleJson(record)}\n` };
