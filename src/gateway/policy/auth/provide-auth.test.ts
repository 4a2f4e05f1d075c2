import { expect, test } from "bun:test";
import { loadValue } from "../../config/load.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";
import { provideAuth } from "./provide-auth.ts";
import { requestOf } from "./testing/exchange.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const JWT = {
  type: "jwt",
  algorithm: "HS256",
  secret: SECRET,
  claims_to_headers: [{ claim: "plan", header: "X-Plan" }],
};
const KEYS = { type: "api_key", keys: [{ key: "0123456789abcdef", name: "alice" }], header_name: "X-Key" };

function provide(auths: readonly (object | undefined)[], more: object = {}) {
  const { config, problems } = loadValue({
    upstreams: [{ name: "u", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: auths.map((auth, i) => ({ path_prefix: `/${i}`, upstream: "u", ...(auth === undefined ? {} : { auth }) })),
    ...more,
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  // Neither keys nor tokens with a secret need the network.
  const feature: PolicyFeature = provideAuth({ config, clock: Date.now } as FeatureParts);
  const policies = config.routes.map((route) => feature.policy(route));
  return { feature, policies };
}

/** The fields that the upstream gets from a request with these. */
async function passed(policy: Policy | undefined, fields: string): Promise<unknown> {
  const exchange = Object.assign(requestOf(fields), { isAuthorized: true, consumer: "", addedFields: "" });
  expect(await policy?.request(exchange)).toBe("continue");
  return exchange.head.fields;
}

test("every route removes the fields by which any route names clients, also an open one", async () => {
  const { feature, policies } = provide([JWT, undefined, KEYS]);
  const [, open, keys] = policies;
  expect([policies.map((policy) => policy?.name), feature.policy(undefined)]).toEqual([
    ["auth", "auth", "auth"],
    undefined,
  ]);
  expect(await passed(open, "X-Plan: gold\r\nA: 1\r\n")).toBe("A: 1\r\n");
  const admitted = "X-Plan: gold\r\nX-Key: 0123456789abcdef\r\nA: 1\r\n";
  expect(await passed(keys, admitted)).toBe("A: 1\r\nX-Consumer-Name: alice\r\n");
  feature.close?.(undefined);
});

test("open routes have no policy, except to remove the operator's own fields about payments", async () => {
  expect(provide([undefined]).policies).toEqual([undefined]);
  const { policies } = provide([undefined], { x402: { payment_fields: { payer: "X-Buyer" } } });
  expect(await passed(policies[0], "X-Buyer: 0x1\r\nX-Buyers: 2\r\n")).toBe("X-Buyers: 2\r\n");
});
