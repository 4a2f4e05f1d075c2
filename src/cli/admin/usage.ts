import { type UsageBody, usage } from "../../gateway/admin/shapes/usage.ts";
import { amountText } from "../common/ledger-record.ts";
import { writeStandard } from "../common/standard-output.ts";
import { type Column } from "../common/table.ts";
import { UsageError } from "../common/usage-error.ts";
import { type AdminClient, queryOf } from "./admin-client.ts";
import {
  type AdminAction,
  type AdminCommand,
  print,
  readAs,
  tableText,
  textFlag,
  told,
  type Values,
} from "./admin-command.ts";
import { bytesText, timeText } from "../common/units.ts";
import { flagTable } from "../common/flags.ts";

const FLAGS = flagTable({
  "by KEY": "print one table: by consumer, by route, or by upstream (default: all three)",
  csv: "print a row for each consumer and route, as CSV",
  reset: "print the counters, then set them to 0; each request is counted before or after the reset",
});

/** The counters of one consumer, route or upstream, with its name. */
interface UpstreamRow extends Omit<UsageBody["upstreams"][number], "upstream"> {
  readonly name: string;
  readonly payments?: number;
  readonly amounts?: UsageBody["consumers"][number]["amounts"];
}

const KEYS = ["consumer", "route", "upstream"] as const;
type Key = (typeof KEYS)[number];

const COUNTS: readonly Column<UpstreamRow>[] = [
  { title: "REQUESTS", cell: ({ requests }) => String(requests), right: true },
  { title: "4XX", cell: ({ client_errors: errors }) => String(errors), right: true },
  { title: "5XX", cell: ({ server_errors: errors }) => String(errors), right: true },
  bytesColumn("IN", ({ request_bytes: bytes }) => bytes),
  bytesColumn("OUT", ({ response_bytes: bytes }) => bytes),
];
const SOLD: readonly Column<UpstreamRow>[] = [
  { title: "PAYMENTS", cell: ({ payments = 0 }) => String(payments), right: true },
  { title: "AMOUNT", cell: amountsText, right: true },
];
const LAST: readonly Column<UpstreamRow>[] = [{ title: "LAST", cell: ({ last_seen_ms: at }) => timeText(at) }];

/** `turnpike usage`: shows the usage of a running gateway. */
export const USAGE_COMMAND: AdminCommand = {
  about: "Shows the usage of a gateway since the last reset, the most requests first.",
  json: "print the whole response of GET /v1/usage",
  flags: FLAGS,
  forms: { "": { read } },
};

function read(_words: readonly string[], values: Values): AdminAction {
  const { json, csv } = values;
  const by = keyOf(textFlag(values, "by"));
  if (csv === true && (json === true || by !== undefined)) throw new UsageError("--csv excludes --json and --by");
  if (json === true && by !== undefined) throw new UsageError("--json excludes --by: it prints the whole response");
  const reset = values["reset"] === true ? "1" : undefined;
  return async (client) => {
    if (csv === true) return await printCsv(client, reset);
    const response = await client.json({ path: `/usage${queryOf({ reset })}` });
    const keys = by === undefined ? KEYS : [by];
    return await told(values, response, () => usageText(readAs(client, usage, response), keys));
  };
}

async function printCsv(client: AdminClient, reset: string | undefined): Promise<number> {
  const path = `/usage${queryOf({ format: "csv", reset })}`;
  const { text } = await client.send({ path, headers: { accept: "text/csv" } });
  if (process.stdout.isTTY) await print(text);
  // Written unchanged: RFC 4180 ends lines with CRLF.
  else await writeStandard(text);
  return 0;
}

function keyOf(text: string | undefined): Key | undefined {
  const key = KEYS.find((known) => known === text);
  if (text !== undefined && key === undefined) throw new UsageError(`--by "${text}" is not one of ${KEYS.join(", ")}`);
  return key;
}

function usageText(report: UsageBody, keys: readonly Key[]): string {
  const tables = keys.map((key) => {
    const columns = [
      { title: key.toUpperCase(), cell: nameText },
      ...COUNTS,
      ...(key === "upstream" ? [] : SOLD),
      ...LAST,
    ];
    const rows = rowsOf(report, key).toSorted((a, b) => b.requests - a.requests);
    return tableText<UpstreamRow>(columns, rows, `no requests by ${key}`);
  });
  const since = process.stdout.isTTY ? `since ${timeText(report.since_ms)}\n\n` : "";
  const full = report.full.map((list) => `too many ${list}: further ones are counted together, until --reset\n`);
  return since + tables.join("\n") + full.join("");
}

function rowsOf({ consumers, routes, upstreams }: UsageBody, key: Key): readonly UpstreamRow[] {
  if (key === "route") return routes.map(({ route, ...rest }) => ({ name: route, ...rest }));
  if (key === "upstream") return upstreams.map(({ upstream, ...rest }) => ({ name: upstream, ...rest }));
  return consumers.map((consumer) => ({
    ...consumer,
    name: consumer.anonymous === true ? "(anonymous)" : consumer.name,
  }));
}

function nameText({ name, other }: UpstreamRow): string {
  return other === true ? "(others)" : name;
}

function bytesColumn(title: string, bytesOf: (row: UpstreamRow) => number): Column<UpstreamRow> {
  return { title, cell: (row) => String(bytesOf(row)), short: (row) => bytesText(bytesOf(row)), right: true };
}

function amountsText({ amounts = [] }: UpstreamRow): string {
  return amounts.map(({ network, asset, amount }) => amountText({ network, token: asset, amount })).join(", ");
}
