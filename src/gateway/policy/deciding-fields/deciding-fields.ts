import type * as Methods from "../auth/create-method.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { foldCase } from "../../../lib/text/fold-case.ts";
import { respondWithError } from "../../exchange/local-response.ts";
import { GuardedBody } from "../auth/guarded-body.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";
import { endsAtBoundary } from "../../../lib/http/url-path.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";

/** Loaded with the first route that authenticates (bench start). */
const authMethods = (): typeof Methods => require("../auth/create-method.ts");

const KEY_PREFIX = "header:";
/** In place of a prefix. The precedence of a gRPC route does not depend on its prefix. */
const EVERYWHERE = "";

/**
 * Provides the check of the fields and query parameters by which a route decides: its tenant, rate limit, upstream and
 * authentication service. Fields in `match` of any route count for all routes, because a request that does not match one
 * falls to another. Query parameters are often repeated, so they count only for the routes to which such a request can fall.
 */
export function provideDecidingFields({ config: { routes } }: FeatureParts): PolicyFeature {
  const matched = new Set<string>();
  /** By the prefix of a route. */
  const parameters = new Map<string, Set<string>>();
  for (const { path_prefix: prefix, match } of routes) {
    for (const { name } of match?.headers ?? []) matched.add(name);
    for (const { name } of match?.query ?? []) {
      for (const above of match?.grpc === undefined ? prefixesOf(prefix) : [EVERYWHERE])
        parameters.set(above, (parameters.get(above) ?? new Set()).add(name));
    }
  }
  const common = createDecidingFieldsPolicy({ fields: [...matched], parameters: [] });
  return {
    policy(route) {
      if (route === undefined) return undefined;
      const { path_prefix: prefix, tenant, rate_limit: limit, traffic_split_sticky: sticky, auth, x402 } = route;
      const names = [...matched];
      if (tenant !== undefined) names.push(tenant.header);
      if (limit?.key.startsWith(KEY_PREFIX) === true) names.push(limit.key.slice(KEY_PREFIX.length));
      if (sticky?.header !== undefined) names.push(sticky.header);
      const priced = (x402?.rules ?? []).map(({ match }) => match);
      names.push(...priced.flatMap(({ headers }) => headers.map(({ name }) => name)));
      if (auth.type !== "none") {
        for (const method of authMethods().methodsIn(auth)) {
          if (method.type === "forward_auth") names.push(...method.headers_forward);
        }
      }
      const counting = [EVERYWHERE, prefix].flatMap((one) => [...(parameters.get(one) ?? [])]);
      counting.push(...priced.flatMap(({ query }) => query.map(({ name }) => name)));
      if (names.length === matched.size && counting.length === 0) return common;
      return createDecidingFieldsPolicy({ fields: names, parameters: counting });
    },
  };
}

/** The prefixes that cover a prefix, and the prefix itself. */
function* prefixesOf(prefix: string): Generator<string> {
  for (let length = 1; length <= prefix.length; length++) {
    if (endsAtBoundary(prefix, length)) yield prefix.slice(0, length);
  }
}

export interface DecidingNames {
  readonly fields: readonly string[];
  /** Query parameters, decoded. */
  readonly parameters: readonly string[];
}

/**
 * Refuses requests with two lines of a field, or two values of a query parameter, by which the gateway decides: the upstream
 * could read the other one. Some programs separate parameters by `;` too, or read names without regard to case. CGI and its successors map `X-User` and `X_User` to one name, so the two count as one field, and
 * only the configured spelling is accepted. The policy removes such fields from trailers. Undefined without names. @internal
 */
export function createDecidingFieldsPolicy({ fields: names, parameters }: DecidingNames): Policy | undefined {
  if (names.length + parameters.length === 0) return undefined;
  const lowerNames = [...new Set(names.map((name) => name.toLowerCase()))];
  const spelled = new Set(lowerNames);
  const patterns = lowerNames.map((name) =>
    name.replaceAll(/[^a-z0-9]/g, String.raw`\$&`).replaceAll(/\\[-_]/g, "[-_]"),
  );
  const line = new RegExp(`^(?:${patterns.join("|")})(?=:)`, "gim");
  const error = new TurnpikeError(
    "bad-request",
    `send each of these fields once, in this spelling: ${names.join(", ")}`,
  );
  const parametersError = new TurnpikeError(
    "bad-request",
    `send each of these query parameters once, in this spelling: ${[...new Set(parameters)].join(", ")}`,
  );
  const spelledParameters = new Set(parameters);
  const folded = new Set(parameters.map(foldName));
  return {
    name: "deciding_fields",
    guards: true,
    request(exchange) {
      const { head } = exchange;
      if (isUnclear(head.fields, line, spelled)) {
        respondWithError(exchange, error);
        return "responded";
      }
      if (parameters.length > 0 && isUnclearQuery(head.query, { spelled: spelledParameters, folded })) {
        respondWithError(exchange, parametersError);
        return "responded";
      }
      if (head.bodyLength !== 0) exchange.body = new GuardedBody(exchange.body, lowerNames);
      return "continue";
    },
  };
}

interface Parameters {
  readonly spelled: ReadonlySet<string>;
  /** The names as `foldName` makes them. */
  readonly folded: ReadonlySet<string>;
}

/** True if another program could find another value of one of the parameters. */
function isUnclearQuery(query: string, { spelled, folded }: Parameters): boolean {
  const seen = new Set<string>();
  for (const part of query.slice(1).split("&")) {
    for (const [name] of new URLSearchParams(part.replaceAll(";", "&"))) {
      const whole = foldName(name);
      const key = folded.has(whole) ? whole : whole.replace(/\[.*/s, "");
      if (!folded.has(key)) continue;
      if (seen.has(key) || !spelled.has(name) || part.includes(";")) return true;
      seen.add(key);
    }
  }
  return false;
}

/** A name as the least exact programs compare it: PHP ends it at a NUL, skips spaces and writes `_` for `.` and space. */
function foldName(name: string): string {
  return foldCase(name.trimStart().replace(/\0.*/s, "").replaceAll(/[. ]/g, "_"));
}

/** True if another program could read one of the fields in another way. */
function isUnclear(fields: Fields, line: RegExp, spelled: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  for (const [name] of fields.matchAll(line)) {
    const lowerName = name.toLowerCase();
    const key = lowerName.replaceAll("_", "-");
    if (seen.has(key) || !spelled.has(lowerName)) return true;
    seen.add(key);
  }
  return false;
}
