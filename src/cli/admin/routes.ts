import * as z from "zod";
import { isObject } from "../../lib/is-object.ts";
import { type Column } from "../common/table.ts";
import { type AdminClient, type AdminRequest } from "./admin-client.ts";
import { wordsOf } from "../common/problem-text.ts";
import { AdminRefused } from "./admin-refused.ts";
import { type AdminCommand, FORCE, IF_MATCH, showForm, STRICT, tableText } from "./admin-command.ts";
import { itemForms } from "./item-forms.ts";
import { type FlagTable, flagTable } from "../common/flags.ts";

/** The flags that select one of several routes of a prefix. They are query parameters too. */
export const SELECTION = flagTable({
  "host H": 'if several routes have the prefix: the host of the route; "" for the route without a host',
  "name N": 'if several routes of a host have the prefix: the name of the route; "" for the route without a name',
});

const FLAGS = {
  ...SELECTION,
  ...IF_MATCH,
  ...STRICT,
  ...FORCE,
} as const satisfies FlagTable;

const routesSchema = z.object({ routes: z.array(z.looseObject({ path_prefix: z.string(), auth: z.string() })) });
type Route = z.output<typeof routesSchema>["routes"][number];

/** The default rate of a limit, as in the reference of the configuration. */
const DEFAULT_RATE = 100;

const COLUMNS: readonly Column<Route>[] = [
  { title: "PREFIX", cell: ({ path_prefix: prefix }) => prefix },
  { title: "HOST", cell: ({ host }) => (typeof host === "string" ? host : "") },
  { title: "MATCH", cell: matchText },
  { title: "TO", cell: targetText },
  { title: "AUTH", cell: ({ auth }) => auth },
  { title: "PRICE", cell: ({ x402 }) => priceText(x402), right: true },
  { title: "LIMIT", cell: ({ rate_limit: limit }) => limitText(limit), right: true },
  { title: "CACHE", cell: ({ cache }) => (isObject(cache) ? "yes" : "") },
  { title: "FILTER", cell: filterText },
];

const list = showForm("/routes", routesSchema, ({ routes }) => tableText(COLUMNS, routes, "no routes"));

/** `turnpike routes`: lists, adds, changes and removes routes of a running gateway. */
export const ROUTES: AdminCommand = {
  about: "Lists and changes the routes of a running gateway.",
  notes:
    "A change is made completely or not at all, and is in use when the command ends. It is in memory until turnpike persist.",
  flags: FLAGS,
  forms: {
    list: { about: "list all routes", ...list },
    ...itemForms({
      noun: "route",
      word: "PREFIX",
      flags: ["if-match", "strict", "force"],
      selection: Object.keys(SELECTION),
      send: askOfOne,
    }),
  },
};

function filterText({ wasm_filter: isFiltered, wasm_required: isClosed }: Route): string {
  if (isClosed === true) return "not loaded";
  return isFiltered === true ? "yes" : "";
}

/** Sends a request for one route. If several routes have the prefix, the error explains how to name one. */
export async function askOfOne(client: AdminClient, request: AdminRequest, prefix: string): Promise<unknown> {
  try {
    return await client.json(request);
  } catch (error) {
    if (!(error instanceof AdminRefused) || error.code !== "ambiguous_route") throw error;
    const { hosts, names } = error.problem;
    const [ofHosts, flag] = new Set(listed(hosts)).size > 1 ? [listed(hosts), "--host"] : [listed(names), "--name"];
    const several = ofHosts.length === 0 ? "several routes" : ofHosts.map((text) => `"${text}"`).join(", ");
    throw new Error(`Cannot tell which route is meant: ${several} have the prefix "${prefix}"; name one with ${flag}`, {
      cause: error,
    });
  }
}

function listed(value: unknown): string[] {
  return Array.isArray(value) ? value.map(wordsOf) : [];
}

/** The name of a route, and its conditions on requests. */
function matchText({ name, match }: Route): string {
  const shown = typeof name === "string" ? [`#${name}`] : [];
  if (!isObject(match)) return shown.join(" ");
  const { exact_path: isExact, path_pattern: pattern, methods, headers, query, grpc } = match;
  if (isExact === true) shown.push("exact");
  if (typeof pattern === "string") shown.push(`~${pattern}`);
  if (Array.isArray(methods) && methods.length > 0) shown.push(methods.join(","));
  for (const [kind, conditions] of [["header", headers] as const, ["query", query] as const]) {
    if (!Array.isArray(conditions)) continue;
    for (const { name: key } of conditions.filter(isObject)) shown.push(`${kind}:${String(key)}`);
  }
  if (isObject(grpc)) shown.push(`grpc:${wordsOf(grpc["service"] ?? "*")}/${wordsOf(grpc["method"] ?? "*")}`);
  return shown.join(" ");
}

function statusOf({ status }: Readonly<Record<string, unknown>>, usual: number): number {
  return typeof status === "number" ? status : usual;
}

function targetText({ upstream, tenant, traffic_split: split, redirect, fixed_response: fixed }: Route): string {
  if (isObject(redirect)) return `(redirect ${statusOf(redirect, 302)})`;
  if (isObject(fixed)) return `(responds ${statusOf(fixed, 200)})`;
  if (Array.isArray(split) && split.length > 0) {
    return split
      .filter(isObject)
      .map(({ upstream: name, redirect: to, weight }) => {
        const where = isObject(to) ? `(redirect ${statusOf(to, 302)})` : String(name);
        return `${where}*${typeof weight === "number" ? weight : 1}`;
      })
      .join(" ");
  }
  if (typeof upstream === "string") return upstream;
  return isObject(tenant) ? "(tenants)" : "";
}

function priceText(x402: unknown): string {
  if (!isObject(x402)) return "";
  const accepts = Array.isArray(x402["accepts"]) ? x402["accepts"].filter(isObject) : [];
  const { price = accepts[0]?.["price"] } = x402;
  const most = x402["scheme"] === "upto" ? "up to " : "";
  return typeof price === "string" ? `${most}${price}${accepts.length > 1 ? " …" : ""}` : "";
}

function limitText(limit: unknown): string {
  if (!isObject(limit)) return "";
  const { requests_per_second: rate = DEFAULT_RATE } = limit;
  return `${String(rate)}/s`;
}
