import { fieldLine, type Fields, fieldValue, trimOws } from "../../../lib/http/fields.ts";
import { type CorsConfig } from "../../config/config.ts";
import { CORS_DEFAULTS } from "../../config/schema/cors.ts";
import { type ResponseSink } from "../../exchange/exchange.ts";
import { headValue } from "../../exchange/head-fields.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { FieldChanges } from "../field-changes.ts";
import { HeadEdit } from "../head-edit.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";
import { respondToPreflight, isPreflight } from "../preflight.ts";
import { createOriginMatch, type OriginMatch } from "./origins.ts";

const ANY = "*";

/** Fields that a paying script sends and reads (x402), on routes with a price. */
const PAYMENT_REQUEST = ["PAYMENT-SIGNATURE", "X-PAYMENT", "Payment-Stream"];
const PAYMENT_RESPONSE = [
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE",
  "X-PAYMENT-RESPONSE",
  "WWW-Authenticate",
  "Payment-Receipt",
  "Payment-Stream",
  "Retry-After",
];

/** The upstream's CORS fields: only the gateway sets them. Browsers reject two values (Fetch, CORS check). */
const OVERRULED = new FieldChanges({
  removed: [
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Expose-Headers",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers",
    "Access-Control-Max-Age",
    "Access-Control-Allow-Private-Network",
  ],
});

const VARY = fieldLine("Vary", "Origin");

const TOKENS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;
/** Maximum characters of a preflight field that the response repeats. A longer field is not repeated. */
const MAX_ECHOED = 4096;

interface Compiled {
  readonly allows: OriginMatch;
  /** Every origin gets the same response, so caches need not distinguish them. */
  readonly isForAll: boolean;
  readonly credentials: Fields;
  /** The line for responses that scripts may read. */
  readonly exposed: Fields;
  /** The line for preflights. Undefined: the response repeats the requested methods. */
  readonly methods: Fields | undefined;
  readonly headers: Fields | undefined;
  readonly maxAge: Fields;
}

/** Provides `cors`, with the values of `routes[].cors` in place of those of the whole gateway. */
export function provideCors({ config }: FeatureParts): PolicyFeature {
  return { policy: (route) => createCorsPolicy({ ...config.cors, ...route?.cors }, route?.x402 !== undefined) };
}

/**
 * The CORS protocol (Fetch). The gateway responds to a preflight itself, whatever the rest of the chain requires,
 * because a preflight has no credentials and no payment. It refuses no request: a browser that does not find the fields
 * refuses the script. `isPriced`: the fields of payments may be sent and read. Undefined if no origin is allowed.
 */
function createCorsPolicy(config: CorsConfig, isPriced: boolean): Policy | undefined {
  if (config.allow_origins === undefined || config.allow_origins.length === 0) return undefined;
  const compiled = compile(config, config.allow_origins, isPriced);
  return {
    name: "cors",
    runsOnLocalReply: true,
    request(exchange) {
      const { head } = exchange;
      // Browsers do not send gRPC calls.
      if (head.isGrpc) return "continue";
      const origin = headValue(head, "origin");
      if (origin !== undefined && isPreflight(exchange)) {
        respondToPreflight(exchange, preflightFields(compiled, origin, head.fields));
        return "responded";
      }
      exchange.response = new CorsEdit(exchange.response, compiled, origin);
      return "continue";
    },
  };
}

function compile(config: CorsConfig, origins: readonly string[], isPriced: boolean): Compiled {
  const { allow_methods, allow_headers, expose_headers, allow_credentials, max_age_s } = {
    ...CORS_DEFAULTS,
    ...config,
  };
  const exposed = [...expose_headers, ...(isPriced ? PAYMENT_RESPONSE : [])];
  return {
    allows: createOriginMatch(origins),
    isForAll: origins.includes(ANY),
    credentials: allow_credentials ? fieldLine("Access-Control-Allow-Credentials", "true") : "",
    exposed: listLine("Access-Control-Expose-Headers", exposed),
    methods: allow_methods.includes(ANY) ? undefined : listLine("Access-Control-Allow-Methods", allow_methods),
    headers: allow_headers.includes(ANY)
      ? undefined
      : listLine("Access-Control-Allow-Headers", [...allow_headers, ...(isPriced ? PAYMENT_REQUEST : [])]),
    maxAge: fieldLine("Access-Control-Max-Age", String(max_age_s)),
  };
}

function listLine(name: string, items: readonly string[]): Fields {
  return items.length === 0 ? "" : fieldLine(name, items.join(", "));
}

/** Empty if scripts of the origin may not send the request. `asked`: the fields of the preflight. */
function preflightFields(compiled: Compiled, origin: string, asked: Fields): Fields {
  const allowed = allowedFields(compiled, origin);
  if (allowed === "") return "";
  // "*" would not do: it excludes Authorization, and with credentials it has no special meaning (Fetch, CORS-preflight
  // fetch).
  const methods =
    compiled.methods ?? echo("Access-Control-Allow-Methods", fieldValue(asked, "access-control-request-method") ?? "");
  const headers =
    compiled.headers ?? echo("Access-Control-Allow-Headers", fieldValue(asked, "access-control-request-headers") ?? "");
  // Browsers read the exposed fields only in the response to the actual request. Gateway API's tests want them here too.
  return allowed + methods + headers + compiled.exposed + compiled.maxAge;
}

/** Repeats the requested value, if a browser could have sent it. */
function echo(name: string, value: string): Fields {
  return value.length <= MAX_ECHOED && TOKENS.test(value) ? fieldLine(name, value) : "";
}

/** Empty if scripts of the origin may not read the response. */
function allowedFields({ allows, isForAll, credentials }: Compiled, origin: string | undefined): Fields {
  if (isForAll) return `Access-Control-Allow-Origin: *\r\n`;
  if (origin === undefined || !allows(origin)) return "";
  return `Access-Control-Allow-Origin: ${origin}\r\n${credentials}`;
}

class CorsEdit extends HeadEdit {
  readonly #compiled: Compiled;
  readonly #origin: string | undefined;

  constructor(sink: ResponseSink, compiled: Compiled, origin: string | undefined) {
    super(sink);
    this.#compiled = compiled;
    this.#origin = origin;
  }

  protected edit(fields: Fields): Fields {
    const { isForAll, exposed } = this.#compiled;
    const clean = OVERRULED.apply(fields);
    const allowed = allowedFields(this.#compiled, this.#origin);
    const vary = isForAll || variesByOrigin(clean) ? "" : VARY;
    return clean + allowed + (allowed === "" ? "" : exposed) + vary;
  }
}

function variesByOrigin(fields: Fields): boolean {
  const value = fieldValue(fields, "vary");
  if (value === undefined) return false;
  const names = value.toLowerCase().split(",").map(trimOws);
  return names.includes("origin") || names.includes(ANY);
}
