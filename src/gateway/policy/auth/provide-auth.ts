import { ownPaymentNames } from "../../config/payment-names.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { type PolicyFeature } from "../policy.ts";
import type * as Auth from "./auth.ts";
import type * as Methods from "./create-method.ts";

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
