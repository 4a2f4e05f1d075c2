import { csvCell } from "../../lib/text/csv-cell.ts";
import { visibleJson } from "../../lib/text/visible-text.ts";
import { RECORD_KEYS } from "../common/ledger-record.ts";
import { type ExportRow } from "./export-rows.ts";
import { GAS_RATE_KEY, RATE_KEYS, type Rates } from "./ledger-rates.ts";

interface ExportFormat {
  readonly head: string;
  readonly line: (row: ExportRow) => string;
}

/**
 * Comma-separated values (RFC 4180): a line of column names, then one line for each payment. Or one JSON object on each
 * line. With `rates` each row also has its value in a currency, with `hasGas` also its gas.
 */
export function exportFormat(format: "csv" | "jsonl", rates: Rates | undefined, hasGas: boolean): ExportFormat {
  const valuesOf = ({ record, gas }: ExportRow): Readonly<Record<string, string | number | boolean>> => ({
    ...record,
    ...(hasGas ? { gas_wei: gas } : {}),
    ...rates?.valueOf(record),
    ...(hasGas && rates !== undefined ? { [GAS_RATE_KEY]: rates.gasOf(record, gas) } : {}),
  });
  if (format === "jsonl") return { head: "", line: (row) => `${visibleJson(valuesOf(row))}\n` };
  const keys = [
    ...RECORD_KEYS,
    ...(hasGas ? ["gas_wei"] : []),
    ...(rates === undefined ? [] : [...RATE_KEYS, ...(hasGas ? [GAS_RATE_KEY] : [])]),
  ];
  return {
    head: `${keys.join(",")}\r\n`,
    line: (row) => {
      const values = valuesOf(row);
      return `${keys.map((key) => csvCell(values[key] ?? "")).join(",")}\r\n`;
    },
  };
}
