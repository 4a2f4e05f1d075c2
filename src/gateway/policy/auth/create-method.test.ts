import { expect, test } from "bun:test";
import { asksCredentials } from "../../config/guards.ts";
import { type Auth, createMethod, credentialNames, identityNames, keyParameters, methodsIn } from "./create-method.ts";
import { type KeySetDeps } from "./jwks.ts";

const KEY = { type: "api_key", keys: [], header_name: "X-Key", query_param: "key", consumers: [] };
const JWT = { type: "jwt", claims_to_headers: [{ claim: "a", header: "X-A" }] };
const FORWARD = { type: "forward_auth", headers_forward: ["X-Session"], headers_upstream: ["X-User", "Cookie"] };
const NONE = { type: "none" };
const ANYBODY = { type: "anonymous", subject: "guest" };

function chain(...methods: readonly object[]): Auth {
  // The schema's defaults are not needed here.
  return { type: "chain", methods } as unknown as Auth;
}

test("nested chains are flattened", () => {
  const all = chain(KEY, chain(chain(JWT), FORWARD), NONE);
  expect([...methodsIn(all)].map(({ type }) => type)).toEqual(["api_key", "jwt", "forward_auth", "none"]);
  expect(keyParameters(all)).toEqual(["key"]);
  expect(identityNames(all)).toEqual(["x-a", "x-user", "cookie"]);
  expect(credentialNames(all)).toStrictEqual(["x-key", "authorization", "x-session", "cookie"]);
});

test("credentials are required unless a method admits clients without them", () => {
  expect([KEY, JWT, FORWARD].map((method) => asksCredentials(chain(method)))).toEqual([true, true, true]);
  expect([NONE, ANYBODY].map((method) => asksCredentials(chain(KEY, method)))).toEqual([false, false]);
});

test("each type creates its method", () => {
  const forward = { ...FORWARD, url: "http://127.0.0.1:9/", headers_forward: [], consumer_header: "" };
  const methods = [KEY, { ...JWT, algorithm: "HS256", secret: "s" }, forward, NONE, ANYBODY, chain(KEY)];
  const made = methods.map((auth) => createMethod(auth as Auth, {} as KeySetDeps).type);
  expect(made).toEqual(["api_key", "jwt", "forward_auth", "none", "anonymous", "chain"]);
  expect(() => createMethod({ type: "other" } as unknown as Auth, {} as KeySetDeps)).toThrow("no such method");
});
