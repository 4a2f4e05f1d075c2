import type * as Auth from "./auth.ts";
import type * as Methods from "./create-method.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { type PolicyFeature } from "../policy.ts";
import { PAYMENT_FIELDS } from "../../../lib/http/field-roles.ts";
import { type Config } from "../../config/config.ts";

/** Loaded with the first route that authenticates its clients (bench start). */
const auths = (): typeof Auth => require("./auth.ts");
const methods = (): typeof Methods => require("./create-method.ts");

/** Provides `routes[].auth`. Every route removes the fields by which any of them describes clients or payments to upstreams. */
export function provideAuth({ config, wheel, buffers, onError, clock, log }: FeatureParts): PolicyFeature {
  const { routes, x402 } = config;
  const names = new Set(ownPaymentNames(x402.payment_fields));
  for (const { auth } of routes) {
    // Of 10,000 routes most are open: with flatMap over all of them, this took a fifth of a reload (bench admin).
    if (auth.type !== "none") for (const name of methods().identityNames(auth)) names.add(name);
  }
  const identityNames = [...names];
  const made: Auth.AuthPolicy[] = [];
  return {
    isTraced: true,
    policy(route) {
      if (route === undefined || (route.auth.type === "none" && identityNames.length === 0)) return undefined;
      const where = `route ${JSON.stringify(route.path_prefix)}`;
      const deps = { wheel, buffers, onError, clock, log, where };
      const policy = auths().createAuthPolicy({ auth: route.auth, identityNames }, deps);
      if (policy !== undefined) made.push(policy);
      return policy;
    },
    close() {
      for (const policy of made.splice(0)) policy.close();
    },
  };
}

/** Names of `x402.payment_fields` in lower case, without the default ones, which codecs remove from requests. */
function ownPaymentNames(fields: Config["x402"]["payment_fields"]): string[] {
  const defaults = new Set<string>(Object.values(PAYMENT_FIELDS));
  return Object.entries(fields)
    .filter(([key, name]) => key !== "secret_env" && name !== "" && !defaults.has(name))
    .map(([, name]) => name.toLowerCase());
}
