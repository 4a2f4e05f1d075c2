import { expect, test } from "bun:test";
import { checkProtection } from "./listen.ts";

const TLS = { cert: "certificate", key: "key" };
const token = "a-token-of-the-fleet";
const far = { hostname: "0.0.0.0", port: 1 };

test.each([
  [far, {}, "there is no token"],
  [far, { tls: TLS }, "there is no token"],
  [far, { allowPlaintext: true }, "there is no token"],
  [{ hostname: "::", port: 1 }, {}, "there is no token"],
  [{ hostname: "content.internal", port: 1 }, {}, "there is no token"],
  [far, { token }, "in clear text"],
  [{ unix: "/run/content.sock" }, { token }, "has no token"],
])("a service on %p with %p does not start", (listen, protection, reason) => {
  expect(() => checkProtection(listen, protection)).toThrow(reason);
});

test.each([
  [far, { token, tls: TLS }],
  [far, { token, allowPlaintext: true }],
  [{ hostname: "127.0.0.3", port: 1 }, {}],
  [{ hostname: "::1", port: 1 }, {}],
  [{ unix: "/run/content.sock" }, {}],
])("a service on %p with %p starts", (listen, protection) => {
  expect(() => checkProtection(listen, protection)).not.toThrow();
});
