import { canonicalAddress } from "../../payments/x402/address.ts";
import { SETTLEMENT_GUARD_S } from "../../payments/signatures/validity.ts";
import { isEvm, isForeign } from "../../payments/x402/networks.ts";
import { createAllowedHosts } from "../../lib/http/allowed-hosts.ts";
import { type Steps } from "../../lib/slices.ts";
import { HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";
import { messageOf } from "../../lib/caught.ts";
import { MAX_FILL_MS } from "../../lib/memory/token-buckets.ts";
import { type PaymentRequirements } from "../../payments/x402/messages.ts";
import { PriceError } from "../../payments/x402/price.ts";
import type * as X402Terms from "../../payments/x402/terms.ts";
import { type RouteConfig, type RouteX402Config } from "./config.ts";
import { type Condition, conditionOfConsumers, conditionOfRule, covers } from "./covers.ts";
import { type Draft, firstWith, type Report } from "./draft.ts";
import { formatPath, listAt, valueAt } from "./diagnostic.ts";
import { type ParseCache } from "./parse.ts";
import { checkAuth } from "./rules-auth.ts";
import { checkBodySchema } from "./rules-body-schema.ts";
import { checkActions } from "./rules-actions.ts";
import { OWN_PATHS } from "./own-paths.ts";
import { checkConditions, checkMatch, isUnseen, Repetitions } from "./rules-match.ts";
import { checkFacilitator } from "./rules-x402.ts";
import { referencesOf } from "./upstream-references.ts";

/** Loaded with the first priced route (bench start). */
const x402Terms = (): typeof X402Terms => require("../../payments/x402/terms.ts");

/** Names of all upstreams, including upstreams with problems. */
function upstreamNames(raw: unknown): Set<unknown> {
  return new Set(listAt(raw, ["upstreams"]).map((item) => valueAt(item, ["name"])));
}

/** Checks that the upstreams of routes exist. Reads the file's own values, to check invalid routes too. */
function* references({ raw }: Draft, report: Report): Steps<void> {
  const names = upstreamNames(raw);
  for (const [i, route] of listAt(raw, ["routes"]).entries()) {
    yield;
    for (const { path, name } of referencesOf(route, i)) {
      const hint = /[:/]/.test(name) ? "; name one of upstreams[], whose servers have the addresses" : "";
      if (!names.has(name))
        report.problem(formatPath(path), `${JSON.stringify(name)} is not a defined upstream${hint}`);
    }
  }
}

function destination(route: RouteConfig, path: string, report: Report): void {
  checkActions(route, path, report);
  const split = route.traffic_split ?? [];
  if (split.length > 0 && split.every(({ weight }) => weight === 0)) {
    report.problem(`${path}.traffic_split`, "expected a weight above 0");
  }
  if (route.traffic_split_sticky !== undefined) {
    const { header, cookie } = route.traffic_split_sticky;
    const at = `${path}.traffic_split_sticky`;
    if ((header === undefined) === (cookie === undefined)) report.problem(at, 'expected either "header" or "cookie"');
    else if (split.length === 0) report.warning(at, "has no effect without traffic_split");
    else if (route.cache !== undefined) report.warning(at, "does not apply to responses from the cache");
  }
  if (route.rewrite_replacement !== "" && route.rewrite_pattern === undefined) {
    report.warning(`${path}.rewrite_replacement`, "has no effect without rewrite_pattern");
  }
  if (route.path_prefix.includes("*")) {
    report.warning(`${path}.path_prefix`, '"*" stands for itself; for other paths use match.path_pattern');
  }
  if (OWN_PATHS.includes(route.path_prefix)) {
    report.warning(`${path}.path_prefix`, `${route.path_prefix} itself is served by the gateway`);
  }
}

const FRAMING = new Set(HOP_BY_HOP_FIELDS);

function upstreamHeaders(route: RouteConfig, path: string, report: Report): void {
  let hasHost = false;
  for (const [i, { name, value }] of route.upstream_headers.entries()) {
    const at = `${path}.upstream_headers[${i}]`;
    const lower = name.toLowerCase();
    if (FRAMING.has(lower)) report.problem(`${at}.name`, `${JSON.stringify(name)} is set by the gateway only`);
    if (lower !== "host") continue;
    if (hasHost) report.problem(`${at}.name`, "Host appears twice");
    if (!/^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/.test(value)) {
      report.problem(`${at}.value`, "expected a host name, with or without port");
    }
    hasHost = true;
  }
}

/** Checks that a bucket fills within three days. Its time has few bits, so a slower one could look full. */
function rateLimit({ rate_limit: limit, x402 }: RouteConfig, path: string, report: Report): void {
  if (limit === undefined) return;
  if (limit.key === "payer" && x402 === undefined)
    report.problem(`${path}.rate_limit.key`, "needs a price: the route has no x402");
  const most = Math.floor((limit.requests_per_second * MAX_FILL_MS) / 1000);
  if (limit.burst_size <= most) return;
  const found = `found ${limit.burst_size}`;
  if (most > 0)
    report.problem(`${path}.rate_limit.burst_size`, `expected at most the tokens of three days (${most}), ${found}`);
  else report.problem(`${path}.rate_limit.requests_per_second`, "expected at least one request in three days");
}

/** Refuses names of request fields that policies never see. With such a key, all clients would have the same value. */
function fieldNames(
  { rate_limit: limit, tenant, cache, traffic_split_sticky: sticky, auth }: RouteConfig,
  path: string,
  report: Report,
): void {
  const key = limit?.key.startsWith("header:") === true ? limit.key.slice("header:".length) : undefined;
  if (key !== undefined && isHidden(key))
    report.problem(
      `${path}.rate_limit.key`,
      `${JSON.stringify(key)} of clients is not available to policies; use "ip" for the client's address`,
    );
  if (tenant === undefined && cache === undefined && sticky === undefined && auth.type === "none") return;
  // A tenant's key and a cache key may be the Host.
  const names: (readonly [at: string, name: string | undefined, refuses: (name: string) => boolean])[] = [
    [`${path}.tenant.header`, tenant?.header, isUnseen],
    ...(cache?.vary ?? []).map((name, i) => [`${path}.cache.vary[${i}]`, name, isUnseen] as const),
    [`${path}.traffic_split_sticky.header`, sticky?.header, isHidden],
    ...authNames(auth, `${path}.auth`).map(([at, name]) => [at, name, isHidden] as const),
  ];
  for (const [at, name, refuses] of names) {
    if (name !== undefined && refuses(name))
      report.problem(at, `${JSON.stringify(name)} of clients is not available to policies`);
  }
}

/** True if a policy does not find this field. The Host is not among the fields of a request. */
function isHidden(name: string): boolean {
  return name.toLowerCase() === "host" || isUnseen(name);
}

/** The request fields that authentication reads. */
function authNames(auth: RouteConfig["auth"], path: string): (readonly [at: string, name: string])[] {
  if (auth.type === "chain") return auth.methods.flatMap((method, i) => authNames(method, `${path}.methods[${i}]`));
  if (auth.type === "api_key") return [[`${path}.header_name`, auth.header_name]];
  if (auth.type === "forward_auth")
    return auth.headers_forward.map((name, i) => [`${path}.headers_forward[${i}]`, name] as const);
  return [];
}

/** The payment requirements of `terms`. If a client could not pay them, reports a problem and returns undefined. */
function compiled(
  terms: X402Terms.Terms,
  path: string,
  report: Report,
  pricePath = path,
): PaymentRequirements | undefined {
  try {
    return x402Terms().compileTerms(terms);
  } catch (error) {
    report.problem(error instanceof PriceError ? pricePath : path, messageOf(error));
    return undefined;
  }
}

const CHANNEL = "batch-settlement";
const TOO_SHORT = `every payment is refused: ${SETTLEMENT_GUARD_S} s of its time must be left for the settlement`;
const MISTYPED = "the letter case is not the checksum of this address (EIP-55); a digit may be mistyped";

/** An EVM address has many spellings. */
function spelled(value: unknown): unknown {
  return typeof value === "string" ? canonicalAddress(value) : value;
}

/** Checks that clients can use each way of paying, that each is different, and that its scheme fits `settle`. */
export function acceptsRules(x402: RouteX402Config, path: string, report: Report): void {
  const seen = new Map<string, string>();
  for (const [i, terms] of [x402, ...x402.accepts].entries()) {
    const at = i === 0 ? path : `${path}.accepts[${i - 1}]`;
    const requirements = compiled(terms, at, report, `${at}.price`);
    if (requirements === undefined) continue;
    if (isEvm(requirements.network) && requirements.maxTimeoutSeconds < SETTLEMENT_GUARD_S && terms.scheme !== CHANNEL)
      report.warning(`${at}.max_timeout_seconds`, TOO_SHORT);
    for (const key of x402Terms().mistypedIn(terms)) report.warning(`${at}.${key}`, MISTYPED);
    const { scheme, network, asset, payTo, amount, extra } = requirements;
    const key = JSON.stringify([scheme, network, asset, payTo, amount, extra["assetTransferMethod"]].map(spelled));
    const other = firstWith(seen, key, at);
    if (other !== undefined) report.problem(at, `is the same payment method as ${other}`);
    if (isForeign(network) && x402.settle !== "before") {
      const why = "only its facilitator can read them, and the same payment can be written in many ways";
      report.problem(`${at}.network`, `payments on ${network} need settle "before": ${why}`);
    }
    if (scheme === "upto" && x402.settle === "before") {
      report.problem(`${at}.scheme`, '"upto" is charged by the response, so it excludes settle "before"');
    }
  }
  priceRules(x402, path, report);
  unreached(x402, path, report);
  if (x402.meter !== undefined) meterRules(x402, path, report);
  if (x402.inline_receipt && x402.settle === "before") {
    report.warning(`${path}.inline_receipt`, 'has no effect with settle "before", which does not buffer responses');
  }
}

/**
 * A metered response needs a channel, which pays while the response flows. A free one could flow forever, so the route
 * must have no free responses.
 */
function meterRules(
  { scheme, accepts, free_per_day: quota, settle }: RouteX402Config,
  path: string,
  report: Report,
): void {
  for (const [i, one] of [{ scheme }, ...accepts].entries()) {
    const at = i === 0 ? path : `${path}.accepts[${i - 1}]`;
    if (one.scheme !== CHANNEL)
      report.problem(`${at}.scheme`, `"${one.scheme}" pays once: a route with a meter needs "batch-settlement"`);
  }
  if (quota !== undefined)
    report.problem(`${path}.free_per_day`, "excludes meter: a free response could last for ever");
  if (settle === "before")
    report.problem(`${path}.settle`, '"before" excludes meter, which charges as a response flows');
}

/** Warns about rules that never decide, because an earlier one matches all their requests. */
function unreached({ rules, exempt_consumers: exempt }: RouteX402Config, path: string, report: Report): void {
  const earlier: { name: string; condition: Condition }[] =
    exempt.length === 0 ? [] : [{ name: "exempt_consumers", condition: conditionOfConsumers(exempt) }];
  for (const [i, rule] of rules.entries()) {
    const own = conditionOfRule(rule);
    const first = earlier.find(({ condition }) => covers(condition, own));
    if (first !== undefined)
      report.warning(`${path}.rules[${i}]`, `has no effect, because ${first.name} decides for all its requests`);
    earlier.push({ name: `rules[${i}]`, condition: own });
  }
}

/** Checks that each rule has one result, and that its prices are valid for all ways of paying. */
function priceRules(x402: RouteX402Config, path: string, report: Report): void {
  for (const [i, { match, price, unit_price: unit, free, refuse, body_bytes: bytes, body }] of x402.rules.entries()) {
    const at = `${path}.rules[${i}]`;
    const results = [price, unit, free, refuse].filter((result) => result !== undefined);
    if (results.length !== 1) report.problem(at, 'expected one of "price", "unit_price", "free" and "refuse"');
    checkConditions(match, `${at}.match`, report);
    if (bytes !== undefined && bytes.min > bytes.max) report.problem(`${at}.body_bytes`, "expected min at most max");
    for (const [j, { value, min = -Infinity, max = Infinity }] of body.entries()) {
      if (min > max) report.problem(`${at}.body[${j}]`, "expected min at most max");
      if (value !== undefined && (min > -Infinity || max < Infinity))
        report.problem(`${at}.body[${j}]`, '"value" excludes "min" and "max"');
    }
    const items = Object.entries(unit?.items?.prices ?? {}).map(
      ([name, text]) => [`unit_price.items.prices.${name}`, text] as const,
    );
    const prices: Readonly<Record<string, string | undefined>> = {
      price,
      "unit_price.price": unit?.price,
      "unit_price.min": unit?.min,
      "unit_price.max": unit?.max,
      ...Object.fromEntries(items),
    };
    const amounts = new Map<string, bigint>();
    for (const [key, text] of Object.entries(prices)) {
      if (text === undefined) continue;
      for (const terms of [x402, ...x402.accepts]) {
        const requirements = compiled({ ...terms, price: text }, `${at}.${key}`, report);
        if (requirements === undefined) break;
        amounts.set(key, BigInt(requirements.amount));
      }
    }
    const [least, most] = [amounts.get("unit_price.min"), amounts.get("unit_price.max")];
    if (least !== undefined && most !== undefined && least > most)
      report.problem(`${at}.unit_price`, "expected min at most max");
  }
  const { free_per_day: quota, settle, rules } = x402;
  const gift = rules.findIndex(({ payers, free }) => payers.length > 0 && free === true);
  if (gift >= 0 && settle === "before")
    report.problem(
      `${path}.rules[${gift}].free`,
      'for payers needs settle "after": a payment that is settled first is charged',
    );
  if (quota?.key === "payer" && settle === "before")
    report.problem(
      `${path}.free_per_day.key`,
      '"payer" needs settle "after": a payment that is settled first is charged',
    );
}

/** Checks that prices by consumer have authentication, and that "*" does not include clients without credentials. */
function consumerNames(
  { rules, exempt_consumers: exempt }: RouteX402Config,
  auth: RouteConfig["auth"],
  { path, report }: { readonly path: string; readonly report: Report },
): void {
  const lists = [exempt, ...rules.map(({ consumers }) => consumers)];
  for (const [i, names] of lists.entries()) {
    if (names.length === 0) continue;
    const at = i === 0 ? `${path}.exempt_consumers` : `${path}.rules[${i - 1}].consumers`;
    const methods = auth.type === "chain" ? auth.methods : [auth];
    if (auth.type === "none") report.problem(at, "needs authentication: the route has no auth");
    else if (names.includes("*") && methods.some(({ type }) => type === "anonymous"))
      report.problem(at, '"*" would include clients without credentials: use "none" in place of "anonymous"');
  }
}

interface Context {
  readonly draft: Draft;
  readonly report: WatchedReport;
  /** Ways of paying, as text, that have no errors. Many routes are sold alike. */
  readonly payable: Set<string>;
}

function payment(route: RouteConfig, path: string, context: Context): void {
  if (route.x402 === undefined) return;
  const terms = JSON.stringify({ ...route.x402, description: "", resource_url: "" });
  consumerNames(route.x402, route.auth, { path: `${path}.x402`, report: context.report });
  const { diagnostics } = context.report;
  if (!context.payable.has(terms)) acceptsRules(route.x402, `${path}.x402`, context.report);
  if (context.report.diagnostics === diagnostics) context.payable.add(terms);
  const global = context.draft.x402;
  if (global === undefined) return;
  if (!global.enabled) {
    // Without this problem the gateway would serve a priced route free of charge.
    context.report.problem(`${path}.x402`, "requires x402.enabled");
  } else {
    checkFacilitator(route.x402, `${path}.x402`, { x402: global, report: context.report });
  }
}

/** Checks that a route with tenants has filters and a control socket, which start the tenants. */
function tenants({ raw, routes }: Draft, report: Report): void {
  const matches = new Set(listAt(raw, ["wasm_filters"]).map((item) => valueAt(item, ["match"])));
  const hasSocket = (valueAt(raw, ["wasm_control_socket"]) ?? "") !== "";
  for (const [i, route] of routes.entries()) {
    if (route?.tenant === undefined) continue;
    const path = `routes[${i}].tenant`;
    const match = JSON.stringify(route.path_prefix);
    if (!matches.has(route.path_prefix))
      report.problem(path, `requires an entry of wasm_filters whose match is ${match}`);
    else if (!hasSocket) report.warning(path, "without wasm_control_socket no filter can start a tenant");
  }
}

/** Checks `routes[]`. */
export function* checkRoutes(draft: Draft, report: Report, cache: ParseCache): Steps<void> {
  yield* references(draft, report);
  tenants(draft, report);
  const repetitions = new Repetitions(report);
  const watched = new WatchedReport(report);
  const payable = new Set<string>();
  const { allowed_hosts: allowed = [] } = draft.server ?? {};
  const isAllowed = createAllowedHosts(allowed);
  for (const [i, route] of draft.routes.entries()) {
    if (route === undefined) continue;
    yield;
    const path = `routes[${i}]`;
    repetitions.check(route, i);
    const { host = "*" } = route;
    if (allowed.length > 0 && !host.startsWith("*") && !isAllowed(host))
      report.warning(`${path}.host`, "has no effect, because it is not in server.allowed_hosts");
    if (cache.isClean(route, draft.x402)) continue;
    const { diagnostics } = watched;
    checkRoute(route, path, { draft, report: watched, payable });
    if (watched.diagnostics === diagnostics) cache.setClean(route, draft.x402);
  }
}

/** Checks one route by itself, and with `x402`. */
function checkRoute(route: RouteConfig, path: string, context: Context): void {
  const { report } = context;
  destination(route, path, report);
  checkMatch(route, `${path}.match`, report);
  upstreamHeaders(route, path, report);
  rateLimit(route, path, report);
  fieldNames(route, path, report);
  checkAuth(route.auth, `${path}.auth`, report);
  checkBodySchema(route, `${path}.body_schema`, report);
  payment(route, path, context);
}

/** Counts the diagnostics that it passes on. */
class WatchedReport implements Report {
  readonly #report: Report;
  diagnostics = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  problem(path: string, message: string): void {
    this.diagnostics++;
    this.#report.problem(path, message);
  }

  warning(path: string, message: string): void {
    this.diagnostics++;
    this.#report.warning(path, message);
  }

  notice(path: string, message: string): void {
    this.diagnostics++;
    this.#report.notice(path, message);
  }
}
