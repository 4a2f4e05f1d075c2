import { type Config } from "../../config/config.ts";
import type * as Methods from "../auth/create-method.ts";
import { createDecidingFieldsPolicy } from "./deciding-fields.ts";
import { type PolicyFeature } from "../policy.ts";

/** Loaded with the first route that authenticates (bench start). */
const authMethods = (): typeof Methods => require("../auth/create-method.ts");

const KEY_PREFIX = "header:";

/**
 * Provides the check of the fields by which a route decides: its tenant, rate limit, upstream and authentication service.
 * Fields in `match` of any route count for all routes, because a request that does not match one falls to another.
 */
export function provideDecidingFields({
  config: { routes },
}: {
  readonly config: Pick<Config, "routes">;
}): PolicyFeature {
  const matched: string[] = [];
  for (const { match } of routes) if (match !== undefined) for (const { name } of match.headers) matched.push(name);
  return {
    policy(route) {
      if (route === undefined) return undefined;
      const { tenant, rate_limit: limit, traffic_split_sticky: sticky, auth } = route;
      const names = [...matched];
      if (tenant !== undefined) names.push(tenant.header);
      if (limit?.key.startsWith(KEY_PREFIX) === true) names.push(limit.key.slice(KEY_PREFIX.length));
      if (sticky?.header !== undefined) names.push(sticky.header);
      if (auth.type !== "none") {
        for (const method of authMethods().methodsIn(auth)) {
          if (method.type === "forward_auth") names.push(...method.headers_forward);
        }
      }
      return createDecidingFieldsPolicy(names);
    },
  };
}
