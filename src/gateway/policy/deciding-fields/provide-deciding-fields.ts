import { endsAtBoundary } from "../../../lib/http/url-path.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import type * as Methods from "../auth/create-method.ts";
import { createDecidingFieldsPolicy } from "./deciding-fields.ts";
import { type PolicyFeature } from "../policy.ts";

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
