import { visibleJson, visibleText } from "../../lib/text/visible-text.ts";
import { type LedgerRecord, RECORD_KEYS } from "../common/ledger-record.ts";
import { RATE_KEYS, type Rates } from "./ledger-rates.ts";

/** The characters with which a spreadsheet formula begins. */
const FORMULA = /^[=+\-@]/;

/** One CSV cell (RFC 4180 §2). An apostrophe before a formula keeps a spreadsheet from computing it. @internal */
export function csvCell(value: string | number | boolean): string {
  const shown = visibleText(String(value));
  const safe = typeof value === "string" && FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A file format for an export of many payments. */
interface ExportFormat {
  readonly head: string;
  readonly line: (record: LedgerRecord) => string;
}

/**
 * Comma-separated values (RFC 4180): a line of column names, then one line for each payment. Or one JSON object on each
 * line. With `rates` each payment also has its value in a currency.
 */
export function exportFormat(format: "csv" | "jsonl", rates: Rates | undefined): ExportFormat {
  const valuesOf = (record: LedgerRecord): Readonly<Record<string, string | number | boolean>> =>
    rates === undefined ? record : { ...record, ...rates.valueOf(record) };
  if (format === "jsonl") return { head: "", line: (record) => `${visibleJson(valuesOf(record))}\n` };
  const keys = [...RECORD_KEYS, ...(rates === undefined ? [] : RATE_KEYS)];
  return {
    head: `${keys.join(",")}\r\n`,
    line: (record) => {
      const values = valuesOf(record);
      return `${keys.map((key) => csvCell(values[key] ?? "")).join(",")}\r\n`;
    },
  };
}
