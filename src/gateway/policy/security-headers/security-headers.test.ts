import { afterEach, expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type RouteConfig, type SecurityHeadersConfig } from "../../config/config.ts";
import { securityFields, sendSecurityFields } from "../../exchange/security-fields.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { provideSecurityHeaders } from "./security-headers.ts";

afterEach(() => sendSecurityFields(true));

interface Case {
  readonly common?: SecurityHeadersConfig;
  readonly own?: SecurityHeadersConfig;
  readonly disabled?: boolean;
  readonly scheme?: "http" | "https";
  readonly isGrpc?: boolean;
  readonly fields?: string;
}

/** The field lines that a client gets. Undefined: there is no policy. */
async function received({ common, own, disabled = false, ...request }: Case): Promise<string[] | undefined> {
  const { scheme = "http", isGrpc = false, fields = "" } = request;
  const config = { security_headers: common, server: { disable_middleware: disabled } };
  // No other members are read.
  const feature = provideSecurityHeaders({ config } as FeatureParts);
  const policy = feature.policy({ security_headers: own } as RouteConfig);
  if (policy === undefined) return undefined;
  expect([policy.name, policy.runsOnLocalReply]).toEqual(["security_headers", true]);
  const client = new Consumer();
  let got = "";
  client.start = (head) => (got = head.fields);
  const exchange = new ClientExchange(client, { scheme, isGrpc });
  expect(await policy.request(exchange)).toBe("continue");
  exchange.response.start({ status: 200, reason: "", fields, bodyLength: 0 });
  return got.split("\r\n").filter((line) => line !== "");
}

const DEFAULTS = [
  "Referrer-Policy: strict-origin-when-cross-origin",
  "X-Frame-Options: SAMEORIGIN",
  "X-Content-Type-Options: nosniff",
];
const HSTS = "Strict-Transport-Security: max-age=31536000";

test("defaults are sent where the upstream sends none, HSTS over TLS alone, and nothing with a gRPC call", async () => {
  expect(await received({ common: {} })).toEqual(DEFAULTS);
  expect(await received({ own: {}, scheme: "https" })).toEqual([...DEFAULTS, HSTS]);
  expect(await received({ common: {}, fields: "x-frame-options: DENY\r\n" })).toEqual([
    "x-frame-options: DENY",
    ...DEFAULTS.filter((line) => !line.startsWith("X-Frame")),
  ]);
  expect(await received({ common: {}, isGrpc: true, scheme: "https" })).toEqual([]);
});

const OWN: readonly [SecurityHeadersConfig, string, string][] = [
  [{ csp: "default-src 'self'" }, "Content-Security-Policy", "default-src 'self'"],
  [{ referrer_policy: "no-referrer" }, "Referrer-Policy", "no-referrer"],
  [{ frame_options: "DENY" }, "X-Frame-Options", "DENY"],
  [{ content_type_options: true }, "X-Content-Type-Options", "nosniff"],
];

test.each(OWN)("%j replaces the upstream's value", async (common, name, value) => {
  const lines = await received({ common, fields: `${name}: theirs\r\n` });
  expect(lines?.filter((line) => line.startsWith(name))).toEqual([`${name}: ${value}`]);
});

test.each<[SecurityHeadersConfig, string]>([
  [{ referrer_policy: "none" }, "Referrer-Policy: theirs"],
  [{ frame_options: "none" }, "X-Frame-Options: theirs"],
  [{ content_type_options: false }, "X-Content-Type-Options: theirs"],
])("%j leaves the upstream's value", async (common, line) => {
  const [name = ""] = line.split(":");
  expect(await received({ common, fields: `${line}\r\n` })).toContain(line);
  expect((await received({ common }))?.some((sent) => sent.startsWith(name))).toBe(false);
});

const OFF = { max_age_s: 9, include_subdomains: false, preload: false };

test.each([
  [{ ...OFF, enabled: true }, ["max-age=9"]],
  [{ ...OFF, enabled: true, include_subdomains: true }, ["max-age=9; includeSubDomains"]],
  [{ ...OFF, enabled: true, include_subdomains: true, preload: true }, ["max-age=9; includeSubDomains; preload"]],
  [{ ...OFF, enabled: false }, []],
])("HSTS of %j", async (hsts, values) => {
  const lines = await received({ common: { hsts }, scheme: "https" });
  const found = lines?.filter((line) => line.startsWith("Strict"));
  expect(found).toEqual(values.map((value) => `Strict-Transport-Security: ${value}`));
});

test("a route's values go before those of the gateway, and can disable the fields", async () => {
  const common: SecurityHeadersConfig = { frame_options: "DENY", referrer_policy: "no-referrer" };
  expect(await received({ common, own: { frame_options: "SAMEORIGIN" } })).toEqual([
    "Referrer-Policy: no-referrer",
    "X-Frame-Options: SAMEORIGIN",
    "X-Content-Type-Options: nosniff",
  ]);
  expect(await received({ common, own: { enabled: false } })).toBeUndefined();
  expect(await received({})).toBeUndefined();
  expect(await received({ common, disabled: true })).toBeUndefined();
});

test.each([true, false])(
  "without middleware (%p) the gateway's own responses have no such fields either",
  (disabled) => {
    const config = { server: { disable_middleware: disabled } };
    provideSecurityHeaders({ config } as FeatureParts).use?.();
    expect(securityFields() === "").toBe(disabled);
  },
);
