import { OTHER_CONSUMERS } from "../../../store/usage-store.ts";
import { csvCell } from "../../../lib/text/csv-cell.ts";
import { type SoldCounts } from "../shapes/usage.ts";

/** The usage of one route by one consumer. The names mean the same as in `RouteUse`. */
export interface PairUse extends SoldCounts {
  readonly consumer: string;
  readonly route: string;
}

const COLUMNS = [
  "consumer",
  "kind",
  "route",
  "requests",
  "request_bytes",
  "response_bytes",
  "client_errors",
  "server_errors",
  "payments",
  "amounts",
  "last_seen",
];

/** Usage as CSV (RFC 4180) with a header line. An apostrophe is put before names that a spreadsheet would calculate. */
export function usageCsv(uses: readonly PairUse[]): string {
  return [COLUMNS, ...uses.map(cellsOf)].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

function cellsOf(use: PairUse): string[] {
  const { consumer, route, amounts, last_seen_ms: lastSeen } = use;
  const isOther = route === "" || consumer === OTHER_CONSUMERS;
  const kind = isOther ? "other" : consumer === "" ? "anonymous" : "named";
  const { requests, request_bytes, response_bytes, client_errors, server_errors, payments } = use;
  return [
    isOther ? "" : consumer,
    kind,
    route,
    ...[requests, request_bytes, response_bytes, client_errors, server_errors, payments].map(String),
    amounts.map(({ network, asset, amount }) => `${network}/${asset}=${amount}`).join(" "),
    lastSeen === 0 ? "" : new Date(lastSeen).toISOString(),
  ];
}
