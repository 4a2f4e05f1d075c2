import { FIELD_ROLES, HOP_BY_HOP_FIELDS, PAYMENT_FIELDS } from "../../lib/http/field-roles.ts";
import { isEvm, isForeign, isSolana, type Network, parseNetwork } from "../../payments/x402/networks.ts";
import type * as Template from "../../payments/x402/template.ts";
import { type Config, type RouteX402Config } from "./config.ts";
import { type Draft, firstWith, type Report } from "./draft.ts";

/** Loaded with the first payment template (bench start). */
const template = (): typeof Template => require("../../payments/x402/template.ts");

type X402 = Config["x402"];

/** Fields that frame a request to a facilitator or describe its content. */
const TAKEN = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

type Headers = X402["facilitator_headers"];

function headers(list: Headers, key: string, report: Report): void {
  const seen = new Map<string, number>();
  for (const [i, { name }] of list.entries()) {
    const path = `${key}[${i}].name`;
    const lower = name.toLowerCase();
    const other = firstWith(seen, lower, i);
    if (TAKEN.has(lower)) report.problem(path, `${JSON.stringify(name)} is set by the gateway only`);
    else if (other !== undefined) report.problem(path, `is also the name of ${key}[${other}]`);
  }
}

/** The name of the embedded facilitator in `x402.facilitators`. */
const EMBEDDED = "embedded";

/** Without a name of its own, the gateway would sign what it offers under any name that a client sends. */
function signedReceipts({ signed_receipts: { key_env: name }, public_url: url }: X402, report: Report): void {
  if (name !== "" && url === "") report.problem("x402.signed_receipts.key_env", "requires x402.public_url");
}

function facilitators({ facilitators: list, facilitator_url: url, embedded }: X402, report: Report): void {
  const names = new Map<string, number>();
  const urls = new Map<string, number>();
  for (const [i, entry] of list.entries()) {
    const path = `x402.facilitators[${i}]`;
    headers(entry.headers, `${path}.headers`, report);
    const same = firstWith(names, entry.name, i);
    if (same !== undefined) report.problem(`${path}.name`, `is also the name of x402.facilitators[${same}]`);
    if (entry.name === EMBEDDED) {
      if (entry.url !== "") report.problem(`${path}.url`, "the embedded facilitator has no URL; choose another name");
      if (!embedded.enabled) report.problem(`${path}.name`, "requires x402.embedded.enabled");
      continue;
    }
    const twin = firstWith(urls, entry.url, i);
    if (entry.url === "") report.problem(`${path}.url`, "is missing");
    else if (twin !== undefined) report.problem(`${path}.url`, `is also the URL of x402.facilitators[${twin}]`);
  }
  if (list.length === 0) return;
  if (url !== "") report.warning("x402.facilitator_url", "has no effect, because x402.facilitators is set");
  if (embedded.enabled && !names.has(EMBEDDED))
    report.problem("x402.facilitators", 'does not list the embedded facilitator: add { "name": "embedded" }');
}

/** Fields that clients need, or that have another meaning to upstreams. Names of payment fields are removed from requests. */
const NOT_OF_PAYMENTS = new Set([
  ...HOP_BY_HOP_FIELDS,
  ...FIELD_ROLES.trusted,
  ...FIELD_ROLES.proxy,
  ...FIELD_ROLES.payment,
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "host",
]);

function paymentFields({ payment_fields: fields }: X402, report: Report): void {
  const defaults = new Set<string>(Object.values(PAYMENT_FIELDS));
  const seen = new Map<string, string>();
  for (const [key, name] of Object.entries(fields)) {
    if (key === "secret_env" || name === "") continue;
    const path = `x402.payment_fields.${key}`;
    const lower = name.toLowerCase().replaceAll("_", "-");
    const other = firstWith(seen, lower, key);
    if (other !== undefined) report.problem(path, `is also the name of x402.payment_fields.${other}`);
    else if (NOT_OF_PAYMENTS.has(lower) && !defaults.has(name))
      report.problem(path, `${JSON.stringify(name)} has another meaning`);
  }
}

/** True if the embedded facilitator has a key for the network. */
function settlesOn({ embedded }: Pick<X402, "embedded">, network: Network | undefined): boolean {
  if (network === undefined) return false;
  return isEvm(network) || (isSolana(network) && embedded.solana_key_env !== "");
}

function chains({ chains: list, embedded, enabled }: X402, report: Report): void {
  const seen = new Map<string, number>();
  for (const [i, { network: name }] of list.entries()) {
    const path = `x402.chains[${i}].network`;
    const network = parseNetwork(name);
    if (network === undefined || isForeign(network)) {
      const expected = 'expected an EVM chain, as in "eip155:84532", or Solana';
      report.problem(path, `${expected}, found ${JSON.stringify(name)}`);
      continue;
    }
    const other = firstWith(seen, network, i);
    if (other !== undefined) report.problem(path, `${network} is also the network of x402.chains[${other}]`);
  }
  const isAny = list.some(({ network }) => settlesOn({ embedded }, parseNetwork(network)));
  if (embedded.enabled && !isAny)
    report.problem("x402.embedded.enabled", "requires an EVM chain in x402.chains, or Solana and solana_key_env");
  if (embedded.enabled && !enabled)
    report.warning("x402.embedded.enabled", "has no effect, because x402.enabled is off");
}

/** Checks `x402`, apart from the rules of routes and listeners. */
export function checkX402({ x402 }: Draft, report: Report): void {
  if (x402 === undefined) return;
  headers(x402.facilitator_headers, "x402.facilitator_headers", report);
  facilitators(x402, report);
  signedReceipts(x402, report);
  paymentFields(x402, report);
  if (x402.mpp !== undefined && !x402.enabled) report.problem("x402.mpp", "requires x402.enabled");
  chains(x402, report);
  if (x402.payment_required_b64 === "") return;
  const ignored = template().ignoredMembers(x402.payment_required_b64);
  if (ignored.length === 0) return;
  const path = "x402.payment_required_b64";
  report.warning(path, `ignored, since each route's challenge has its own: ${ignored.join(", ")}`);
}

/** Checks that a facilitator settles the payments of a route on each chain that the route names. */
export function checkFacilitator(route: RouteX402Config, path: string, context: { x402: X402; report: Report }): void {
  const { x402, report } = context;
  const isElsewhere = x402.facilitators.some(({ name }) => name !== EMBEDDED);
  if (x402.test_mode || route.facilitator_url !== "" || isElsewhere) return;
  if (!x402.embedded.enabled) {
    if (x402.facilitator_url !== "") return;
    report.problem(
      path,
      "has no facilitator; set x402.facilitator_url, x402.facilitators or x402.embedded, or x402.test_mode for a trial",
    );
    return;
  }
  const known = x402.chains.map(({ network }) => parseNetwork(network));
  for (const [i, { network: name }] of [route, ...route.accepts].entries()) {
    const network = parseNetwork(name);
    if (network === undefined || (settlesOn(x402, network) && known.includes(network))) continue;
    const why = settlesOn(x402, network)
      ? "is not one of x402.chains, on which x402.embedded settles"
      : isSolana(network)
        ? "needs x402.embedded.solana_key_env, with which x402.embedded settles"
        : "is not an EVM chain, on which x402.embedded settles";
    const at = i === 0 ? path : `${path}.accepts[${i - 1}]`;
    report.problem(`${at}.network`, `${network} ${why}`);
  }
}
