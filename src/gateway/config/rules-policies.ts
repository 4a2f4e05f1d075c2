import { type Steps } from "../../lib/slices.ts";
import { FIELD_ROLES, HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";
import { type Config, type CorsConfig, type RouteConfig } from "./config.ts";
import { type Draft, firstWith, type Report } from "./draft.ts";

/** Fields that control a connection or frame a message (RFC 9110 §7.6.1), and of WebSocket handshakes (RFC 6455). */
const FRAMING = [
  ...HOP_BY_HOP_FIELDS,
  ...FIELD_ROLES.proxy,
  "content-encoding",
  "host",
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "x-request-id",
];
/** Request fields that only the gateway sets. */
const OF_REQUESTS = new Set([...FRAMING, ...FIELD_ROLES.trusted, "grpc-timeout", ...FIELD_ROLES.payment]);
/** Request fields that `forward_client_address` controls. */
const CLIENT_ADDRESS = new Set(["x-forwarded-for", "x-real-ip"]);
/** Response fields that only the gateway sets. */
const OF_RESPONSES = new Set([
  ...FRAMING,
  "age",
  "alt-svc",
  "cache-status",
  "content-range",
  "date",
  "grpc-message",
  "grpc-status",
  "payment-required",
  "payment-response",
  "x-payment-response",
]);

/** A field name in lower case, with hyphens for underscores: CGI treats both characters as the same. */
function policyFieldName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** Names of the fields that identify the client to an upstream of the route. */
function identityNames(auth: RouteConfig["auth"]): string[] {
  if (auth.type === "chain") return auth.methods.flatMap(identityNames);
  if (auth.type === "jwt") return auth.claims_to_headers.map(({ header }) => policyFieldName(header));
  return auth.type === "forward_auth" ? auth.headers_upstream.map(policyFieldName) : [];
}

type Rules = NonNullable<RouteConfig["headers"]>["request"];

/** Every field name of the rules, with its path. */
function* namesOf({ set, add, remove }: Rules, path: string): Generator<readonly [name: string, at: string]> {
  for (const [i, { name }] of set.entries()) yield [name, `${path}.set[${i}].name`];
  for (const [i, { name }] of add.entries()) yield [name, `${path}.add[${i}].name`];
  for (const [i, name] of remove.entries()) yield [name, `${path}.remove[${i}]`];
}

function twice({ set, add, remove }: Rules, path: string, report: Report): void {
  const taken = new Map<string, string>();
  const once: (readonly [string, string])[] = [
    ...set.map(({ name }, i) => [name, `set[${i}]`] as const),
    ...remove.map((name, i) => [name, `remove[${i}]`] as const),
  ];
  for (const [name, at] of once) {
    const other = firstWith(taken, name.toLowerCase(), at);
    if (other !== undefined) report.problem(`${path}.${at}`, `${JSON.stringify(name)} is in ${other} already`);
  }
  for (const [i, { name }] of add.entries()) {
    const other = taken.get(name.toLowerCase());
    if (other !== undefined) report.problem(`${path}.add[${i}]`, `${JSON.stringify(name)} is in ${other} already`);
  }
}

function headerRules({ headers, auth }: Pick<RouteConfig, "headers" | "auth">, path: string, report: Report): void {
  if (headers === undefined) return;
  const { request, response } = headers;
  const identity = new Set(identityNames(auth));
  for (const [name, at] of namesOf(request, `${path}.request`)) {
    const known = policyFieldName(name);
    if (OF_REQUESTS.has(known)) {
      const hint = CLIENT_ADDRESS.has(known) ? '; "forward_client_address": false leaves it out' : "";
      report.problem(at, `${JSON.stringify(name)} is set by the gateway only${hint}`);
    } else if (identity.has(known)) report.problem(at, `${JSON.stringify(name)} is set by authentication only`);
  }
  for (const [name, at] of namesOf(response, `${path}.response`)) {
    const known = policyFieldName(name);
    if (OF_RESPONSES.has(known)) report.problem(at, `${JSON.stringify(name)} is set by the gateway only`);
    // Caches need the fields by which a response was chosen, so the rules can only add to them.
    else if (known === "vary" && !at.includes(".add[")) report.problem(at, `"${name}" can be added to, not replaced`);
  }
  twice(request, `${path}.request`, report);
  twice(response, `${path}.response`, report);
}

/** Checks the header rules of the upstreams of a traffic split. */
function shareRules({ traffic_split: shares = [], auth }: RouteConfig, path: string, report: Report): void {
  for (const [i, { headers }] of shares.entries()) {
    if (headers !== undefined) headerRules({ headers, auth }, `${path}[${i}].headers`, report);
  }
}

const NO_ORIGINS = "has no effect without allow_origins";

function corsRules(settings: CorsConfig, path: string, report: Report): void {
  if (settings.allow_credentials !== true) return;
  for (const open of ["*", "null"]) {
    if (!settings.allow_origins?.includes(open)) continue;
    // Any page can send a request with the origin null from a sandboxed frame.
    const risk = "lets scripts of every site act as the visitor; list the origins that may";
    report.problem(path, `allow_credentials with the origin "${open}" ${risk}`);
  }
  if (settings.expose_headers?.includes("*")) {
    report.problem(path, '"*" in expose_headers means a header of that name with allow_credentials (Fetch)');
  }
}

/** Checks `cors`, `routes[].cors` and `routes[].headers`, each route's keys with those that it inherits. */
export function* checkPolicies(draft: Draft, report: Report): Steps<void> {
  const common: Config["cors"] = draft.cors;
  if (common !== undefined) {
    corsRules(common, "cors", report);
    const isUsed = common.allow_origins !== undefined || draft.routes.some((route) => route?.cors?.allow_origins);
    if (!isUsed) report.warning("cors", NO_ORIGINS);
  }
  for (const [i, route] of draft.routes.entries()) {
    if (route === undefined) continue;
    yield;
    const path = `routes[${i}]`;
    if (route.cors !== undefined) {
      const settings = { ...common, ...route.cors };
      corsRules(settings, `${path}.cors`, report);
      if (settings.allow_origins === undefined) {
        report.warning(`${path}.cors`, NO_ORIGINS);
      }
    }
    headerRules(route, `${path}.headers`, report);
    shareRules(route, `${path}.traffic_split`, report);
  }
}
