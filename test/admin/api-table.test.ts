import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, type CallOptions, KEY, READ_KEY } from "../support/admin.ts";

setDefaultTimeout(patient(60_000));

const ORIGIN = { name: "origin", servers: [{ address: "127.0.0.1", port: 9 }] };
const CONFIG = {
  upstreams: [ORIGIN, { name: "other", servers: [{ unix: "/nowhere.socket" }, { address: "::1", port: 9 }] }],
  routes: [
    { path_prefix: "/a", upstream: "origin", auth: { type: "api_key", keys: [{ key: "hunter2", name: "alice" }] } },
    { path_prefix: "/b", host: "one.test", upstream: "origin" },
    { path_prefix: "/b", host: "two.test", upstream: "origin" },
    { path_prefix: "/b", upstream: "origin" },
  ],
};

const JSON_TYPE = "application/json";
const deep = "[".repeat(100_000) + "]".repeat(100_000);

type Row = readonly [
  what: string,
  method: string,
  path: string,
  options: CallOptions,
  status: number,
  code?: string | object,
];

/** In this order, because some rows undo the changes of others. */
const ROWS: readonly Row[] = [
  ["the routes", "GET", "/v1/routes", {}, 200],
  ["the routes, by HEAD", "HEAD", "/v1/routes", {}, 200],
  ["the routes, by the key of readers", "GET", "/v1/routes", { key: READ_KEY }, 200],
  ["the routes, by Bearer", "GET", "/v1/routes", { key: "", headers: { authorization: `Bearer ${KEY}` } }, 200],
  [
    "the routes, by bearer in small letters",
    "GET",
    "/v1/routes",
    { key: "", headers: { authorization: `bearer ${KEY}` } },
    200,
  ],
  ["a route", "POST", "/v1/routes", { body: { path_prefix: "/c", upstream: "origin" } }, 201, { created: "/c" }],
  ["it again", "POST", "/v1/routes", { body: { path_prefix: "/c", upstream: "origin" } }, 409, "already_exists"],
  [
    "one with a host",
    "POST",
    "/v1/routes",
    { body: { path_prefix: "/c", host: "c.test", upstream: "origin" } },
    201,
    { created: "/c", host: "c.test" },
  ],
  [
    "one with a name and conditions",
    "POST",
    "/v1/routes",
    { body: { path_prefix: "/c", name: "put", upstream: "origin", match: { methods: ["PUT"] } } },
    201,
    { created: "/c", name: "put" },
  ],
  [
    "one with a broken pattern",
    "POST",
    "/v1/routes",
    { body: { path_prefix: "/c", name: "x", upstream: "origin", match: { path_pattern: "/(" } } },
    400,
    "invalid_configuration",
  ],
  ["a change of one of several names", "PATCH", "/v1/routes/%2Fc?host=", { body: {} }, 409, "ambiguous_route"],
  [
    "a change by name",
    "PATCH",
    "/v1/routes/%2Fc?host=&name=put",
    { body: { match: { methods: ["POST"] } } },
    200,
    { changed: "/c" },
  ],
  ["the end of one by name", "DELETE", "/v1/routes/%2Fc?name=put", {}, 200, { deleted: "/c" }],
  [
    "one to nowhere",
    "POST",
    "/v1/routes",
    { body: { path_prefix: "/d", upstream: "none" } },
    400,
    "invalid_configuration",
  ],
  ["one without anything", "POST", "/v1/routes", { body: {} }, 400, "invalid_configuration"],
  ["one that is null", "POST", "/v1/routes", { body: null, type: JSON_TYPE }, 400, "invalid_configuration"],
  ["one that is a list", "POST", "/v1/routes", { body: [] }, 400, "invalid_configuration"],
  ["one that is a number", "POST", "/v1/routes", { body: 1 }, 400, "invalid_configuration"],
  [
    "one with a placeholder for a secret that is not there",
    "POST",
    "/v1/routes",
    {
      body: {
        path_prefix: "/e",
        upstream: "origin",
        auth: { type: "api_key", keys: [{ key: "<secret>", name: "x" }] },
      },
    },
    400,
    "invalid_configuration",
  ],
  [
    "one by the key of readers",
    "POST",
    "/v1/routes",
    { key: READ_KEY, body: { path_prefix: "/d", upstream: "origin" } },
    403,
    "forbidden",
  ],
  ["no body", "POST", "/v1/routes", { headers: { "content-type": JSON_TYPE } }, 400, "bad_request"],
  ["a body of no type", "POST", "/v1/routes", { body: "{}", type: "" }, 415, "unsupported_media_type"],
  ["a body of another type", "POST", "/v1/routes", { body: "{}", type: "text/plain" }, 415, "unsupported_media_type"],
  [
    "a body in another charset",
    "POST",
    "/v1/routes",
    { body: "{}", type: "application/json; charset=latin1" },
    415,
    "unsupported_media_type",
  ],
  [
    "a form",
    "POST",
    "/v1/routes",
    { body: "path_prefix=/", type: "application/x-www-form-urlencoded" },
    415,
    "unsupported_media_type",
  ],
  [
    "an invalid merge patch",
    "POST",
    "/v1/routes",
    { body: "{}", type: "application/merge-patch+json" },
    415,
    "unsupported_media_type",
  ],
  ["half of a JSON text", "POST", "/v1/routes", { body: '{"path_prefix":' }, 400, "bad_request"],
  ["two JSON texts", "POST", "/v1/routes", { body: "{}{}" }, 400, "bad_request"],
  ["bytes that are not UTF-8", "POST", "/v1/routes", { body: Uint8Array.of(0x22, 0xff, 0x22) }, 400, "bad_request"],
  ["JSON of great depth", "POST", "/v1/routes", { body: deep }, 400, "bad_request"],
  ["a key twice", "POST", "/v1/routes", { body: '{"path_prefix":"/d","path_prefix":"/e"}' }, 400, "bad_request"],
  [
    "a prototype",
    "POST",
    "/v1/routes",
    { body: '{"path_prefix":"/d","upstream":"origin","__proto__":{"x":1}}' },
    400,
    "bad_request",
  ],
  [
    "a prototype deep inside",
    "POST",
    "/v1/routes",
    { body: '{"path_prefix":"/d","retry":{"\\u005f_proto__":{}}}' },
    400,
    "bad_request",
  ],
  ["a body above the bound", "POST", "/v1/routes", { body: " ".repeat(1024 * 1024 + 1) }, 413, "body_too_large"],
  ["a body at the bound", "POST", "/v1/routes", { body: "{}".padEnd(1024 * 1024) }, 400, "invalid_configuration"],
  [
    "a change",
    "PATCH",
    "/v1/routes/%2Fc?host=",
    { body: { connect_timeout_ms: 77 }, type: "application/merge-patch+json" },
    200,
    { changed: "/c" },
  ],
  [
    "a change as plain JSON",
    "PATCH",
    "/v1/routes/%2Fc?host=",
    { body: { connect_timeout_ms: null } },
    200,
    { changed: "/c" },
  ],
  ["a change of an absent route", "PATCH", "/v1/routes/%2Fnone", { body: {} }, 404, "not_found"],
  ["a change of one of several", "PATCH", "/v1/routes/%2Fb", { body: {} }, 409, "ambiguous_route"],
  [
    "a change into another route",
    "PATCH",
    "/v1/routes/%2Fc?host=",
    { body: { path_prefix: "/a" } },
    409,
    "already_exists",
  ],
  [
    "a change to what is wrong",
    "PATCH",
    "/v1/routes/%2Fa",
    { body: { connect_timeout_ms: -1 } },
    400,
    "invalid_configuration",
  ],
  ["a change that is a list", "PATCH", "/v1/routes/%2Fa", { body: [] }, 400, "invalid_configuration"],
  ["a change by the key of readers", "PATCH", "/v1/routes/%2Fa", { key: READ_KEY, body: {} }, 403, "forbidden"],
  ["the end of an absent route", "DELETE", "/v1/routes/%2Fnone", {}, 404, "not_found"],
  ["the end of one of several", "DELETE", "/v1/routes/%2Fb", {}, 409, "ambiguous_route"],
  ["the end of a route of a host", "DELETE", "/v1/routes/%2Fb?host=one.test", {}, 200, { deleted: "/b" }],
  ["the end of the route without host", "DELETE", "/v1/routes?prefix=/b&host=", {}, 200, { deleted: "/b" }],
  ["the end of the one that is left", "DELETE", "/v1/routes?prefix=%2Fb", {}, 200, { deleted: "/b" }],
  ["the end of nothing", "DELETE", "/v1/routes", {}, 400, "bad_request"],
  ["the end of two", "DELETE", "/v1/routes?prefix=/a&prefix=/c", {}, 400, "bad_request"],
  ["the end of one by the key of readers", "DELETE", "/v1/routes/%2Fa", { key: READ_KEY }, 403, "forbidden"],
  ["an invalid escape", "DELETE", "/v1/routes/%2", { isDescribed: false }, 400, "bad_path"],
  ["an escape that is not UTF-8", "DELETE", "/v1/routes/%ff", {}, 400, "bad_path"],
  ["half of a character", "PATCH", "/v1/routes/%e2%82", { body: {} }, 400, "bad_path"],
  ["a doubly encoded prefix", "DELETE", "/v1/routes/%252Fa", {}, 404, "not_found"],
  ["a target without an end", "GET", `/v1/routes?${"x".repeat(5000)}`, {}, 414, "uri_too_long"],
  ["the upstreams", "GET", "/v1/upstreams", {}, 200],
  ["the upstreams, by HEAD", "HEAD", "/v1/upstreams", {}, 200],
  ["an upstream", "POST", "/v1/upstreams", { body: { ...ORIGIN, name: "new" } }, 201, { created: "new" }],
  ["it again", "POST", "/v1/upstreams", { body: { ...ORIGIN, name: "new" } }, 409, "already_exists"],
  [
    "one with half a server",
    "POST",
    "/v1/upstreams",
    { body: { name: "x", servers: [{ port: 9 }] } },
    400,
    "invalid_configuration",
  ],
  ["one that is text", "POST", "/v1/upstreams", { body: '"text"' }, 400, "invalid_configuration"],
  ["a change of it", "PATCH", "/v1/upstreams/new", { body: { load_balancer: "least_conn" } }, 200, { changed: "new" }],
  ["a new name", "PATCH", "/v1/upstreams/new", { body: { name: "n/e w" } }, 200, { changed: "n/e w" }],
  ["another's name", "PATCH", "/v1/upstreams/n%2Fe%20w", { body: { name: "origin" } }, 409, "already_exists"],
  ["a change of none", "PATCH", "/v1/upstreams/new", { body: {} }, 404, "not_found"],
  ["the end of it", "DELETE", "/v1/upstreams/n%2Fe%20w", {}, 200, { deleted: "n/e w" }],
  ["the end of it again", "DELETE", "/v1/upstreams/n%2Fe%20w", {}, 404, "not_found"],
  ["the end of what routes name", "DELETE", "/v1/upstreams/origin", {}, 200, { waiting: ["/a", "/c", "c.test/c"] }],
  ["that end again", "DELETE", "/v1/upstreams/origin", {}, 404, "not_found"],
  ["a change of what is deleted", "PATCH", "/v1/upstreams/origin", { body: ORIGIN }, 404, "not_found"],
  ["what was deleted", "POST", "/v1/upstreams", { body: ORIGIN }, 201, { created: "origin" }],
  ["what was deleted, again", "POST", "/v1/upstreams", { body: ORIGIN }, 409, "already_exists"],
  ["a drain", "POST", "/v1/upstreams/origin/servers/127.0.0.1%3A9/drain", {}, 200, { drained: true }],
  ["the end of a drain", "POST", "/v1/upstreams/origin/servers/127.0.0.1%3A9/undrain", {}, 200, { drained: false }],
  [
    "a drain of a socket",
    "POST",
    "/v1/upstreams/other/servers/unix%3A%2Fnowhere.socket/drain",
    {},
    200,
    { drained: true },
  ],
  [
    "a drain of an IPv6 address",
    "POST",
    "/v1/upstreams/other/servers/%5B%3A%3A1%5D%3A9/drain",
    {},
    200,
    { drained: true },
  ],
  ["a drain of none", "POST", "/v1/upstreams/origin/servers/127.0.0.1%3A10/drain", {}, 404, "not_found"],
  ["a drain of none of none", "POST", "/v1/upstreams/none/servers/127.0.0.1%3A9/undrain", {}, 404, "not_found"],
  [
    "a drain by the key of readers",
    "POST",
    "/v1/upstreams/origin/servers/127.0.0.1%3A9/drain",
    { key: READ_KEY },
    403,
    "forbidden",
  ],
  [
    "the status, with the upstream whose servers are drained",
    "GET",
    "/v1/status",
    {},
    200,
    { status: "ok", problems: ['upstream "other" has no server in rotation'], routes: 3, upstreams: 2 },
  ],
  ["the metrics", "GET", "/v1/metrics", {}, 200],
  ["the API keys, by the key of readers", "GET", "/v1/keys", { key: READ_KEY }, 200],
  ["an API key", "POST", "/v1/routes/%2Fa/keys", { body: { name: "bob" } }, 201, { owner: "bob" }],
  [
    "an API key by the key of readers",
    "POST",
    "/v1/routes/%2Fa/keys",
    { key: READ_KEY, body: { name: "eve" } },
    403,
    "forbidden",
  ],
  ["an API key without an owner", "POST", "/v1/routes/%2Fa/keys", { body: {} }, 400, "bad_request"],
  ["an API key of no route", "POST", "/v1/routes/%2Fnone/keys", { body: { name: "bob" } }, 404, "not_found"],
  ["the end of another's API key", "DELETE", "/v1/routes/%2Fa/keys/2?owner=alice", {}, 404, "not_found"],
  ["the end by the key of readers", "DELETE", "/v1/routes/%2Fa/keys/2?owner=bob", { key: READ_KEY }, 403, "forbidden"],
  ["the end of an API key", "DELETE", "/v1/routes/%2Fa/keys/2?owner=bob", {}, 200],
  ["the usage", "GET", "/v1/usage", {}, 200],
  ["the usage by hour", "GET", "/v1/usage/hours", { key: READ_KEY }, 200],
  ["the usage as CSV", "GET", "/v1/usage?format=csv", {}, 200],
  ["the usage as CSV, by Accept", "GET", "/v1/usage", { headers: { accept: "text/csv" } }, 200],
  ["a reset of it", "GET", "/v1/usage?reset", {}, 200],
  ["a reset of it by a value", "GET", "/v1/usage?reset=1", {}, 200],
  ["a reset of it by DELETE", "DELETE", "/v1/usage", {}, 200],
  ["a reset of it by the key of readers", "GET", "/v1/usage?reset", { key: READ_KEY }, 403, "forbidden"],
  ["no reset, with the read-only key", "GET", "/v1/usage?reset=0", { key: READ_KEY }, 200],
  ["a reset by DELETE by the key of readers", "DELETE", "/v1/usage", { key: READ_KEY }, 403, "forbidden"],
  ["the configuration", "GET", "/v1/config", {}, 200],
  ["a check", "POST", "/v1/config/check", { body: { routes: 1 } }, 200, { ok: false }],
  ["a check by the key of readers", "POST", "/v1/config/check", { key: READ_KEY, body: {} }, 200, { ok: true }],
  ["a check of no object", "POST", "/v1/config/check", { body: [] }, 200, { ok: false }],
  ["a check of no JSON", "POST", "/v1/config/check", { body: "{" }, 400, "bad_request"],
  [
    "another configuration that is wrong",
    "PUT",
    "/v1/config",
    { body: { routes: [{}] } },
    400,
    "invalid_configuration",
  ],
  ["another configuration by the key of readers", "PUT", "/v1/config", { key: READ_KEY, body: {} }, 403, "forbidden"],
  [
    "another configuration above the bound",
    "PUT",
    "/v1/config",
    { body: " ".repeat(16 * 1024 * 1024 + 1) },
    413,
    "body_too_large",
  ],
  ["the schema", "GET", "/v1/config/schema", {}, 200],
  ["a persist by the key of readers", "POST", "/v1/config/persist", { key: READ_KEY }, 403, "forbidden"],
  ["a persist", "POST", "/v1/config/persist", {}, 200, { persisted: true }],
  ["a persist by force", "POST", "/v1/config/persist?force=true", {}, 200, { persisted: true }],
  ["a reload", "POST", "/v1/reload", {}, 200, { discarded: [] }],
  ["a reload by the key of readers", "POST", "/v1/reload", { key: READ_KEY }, 403, "forbidden"],
  ["the tenants", "GET", "/v1/tenants", {}, 200, { tenants: [] }],
  ["the end of a tenant", "DELETE", "/v1/tenants?key=x", {}, 404, "not_found"],
  ["the end of no tenant", "DELETE", "/v1/tenants", {}, 400, "bad_request"],
  ["the events as JSON", "GET", "/v1/events?format=json", {}, 200],
  ["the events as JSON, by Accept", "GET", "/v1/events?since=0", { headers: { accept: JSON_TYPE } }, 200],
  ["events since a text that is not an id", "GET", "/v1/events?since=x", {}, 400, "bad_request"],
  ["the event stream by HEAD", "HEAD", "/v1/events", {}, 200],
  ["the stream of requests by HEAD", "HEAD", "/v1/requests", {}, 200],
  ["requests with a status that is not a class", "GET", "/v1/requests?status=9", {}, 400, "bad_request"],
  ["the figures", "GET", "/v1/overview", {}, 200],
  ["the history", "GET", "/v1/history", {}, 200],
  ["the funnel", "GET", "/v1/funnel", {}, 200, { hour: [], days: [] }],
  ["the payments", "GET", "/v1/payments", {}, 200, { available: false }],
  ["the payments of a search", "GET", "/v1/payments/search", {}, 503, "store_unavailable"],
  ["the payers", "GET", "/v1/payments/payers", {}, 503, "store_unavailable"],
  ["the payers of no days", "GET", "/v1/payments/payers?days=0", {}, 400, "bad_request"],
  ["the content service", "GET", "/v1/content", {}, 200, { available: false }],
  ["the jobs", "GET", "/v1/jobs", {}, 200, { available: false }],
  ["a job that does not run", "DELETE", "/v1/jobs/x", {}, 404, "not_found"],
  ["the log", "GET", "/v1/log", {}, 200],
  ["the description", "GET", "/v1/openapi.json", { key: READ_KEY }, 200, { openapi: "3.1.0" }],
  ["a session", "POST", "/v1/session", { key: "", body: { key: KEY } }, 200, { access: "full" }],
  ["a session of a reader", "POST", "/v1/session", { key: "", body: { key: READ_KEY } }, 200, { access: "read" }],
  ["a session by no key", "POST", "/v1/session", { key: "", body: {} }, 400, "bad_request"],
  ["a session by a number", "POST", "/v1/session", { key: "", body: { key: 1 } }, 400, "bad_request"],
  ["what a key may do", "GET", "/v1/session", { key: READ_KEY }, 200, { access: "read", csrf_token: "" }],
  ["the end of a session that does not exist", "DELETE", "/v1/session", {}, 200],
  ["a path that does not exist", "GET", "/v1/none", { isDescribed: false }, 404, "not_found"],
  ["a path outside of /v1", "GET", "/none", { key: "", isDescribed: false }, 404, "not_found"],
  [
    "a path that does not exist, without a key",
    "GET",
    "/v1/none",
    { key: "", isDescribed: false },
    401,
    "unauthorized",
  ],
  ["a path with a slash behind", "GET", "/v1/routes/", { isDescribed: false }, 404, "not_found"],
  ["the console", "GET", "/", { key: "", isDescribed: false }, 200],
  ["a wrong method at the console", "POST", "/", { key: "", isDescribed: false }, 405, "method_not_allowed"],
  ["a wrong method", "PUT", "/v1/routes", { isDescribed: false }, 405, "method_not_allowed"],
  ["a wrong method without a key", "PUT", "/v1/routes", { key: "", isDescribed: false }, 401, "unauthorized"],
  ["a wrong method on a part of the path", "GET", "/v1/routes/%2Fa", { isDescribed: false }, 405, "method_not_allowed"],
  ["OPTIONS", "OPTIONS", "/v1/routes", { key: "", isDescribed: false }, 204],
  ["OPTIONS of nothing", "OPTIONS", "/v1/none", { isDescribed: false }, 404, "not_found"],
  ["no key", "GET", "/v1/status", { key: "" }, 401, "unauthorized"],
  ["a wrong key", "GET", "/v1/status", { key: "wrong" }, 401, "unauthorized"],
  ["a key with a letter less", "GET", "/v1/status", { key: KEY.slice(0, -1) }, 401, "unauthorized"],
  ["a key with a letter more", "GET", "/v1/status", { key: `${KEY}x` }, 401, "unauthorized"],
  ["both keys at once", "GET", "/v1/status", { key: `${KEY}, ${READ_KEY}` }, 401, "unauthorized"],
  [
    "Basic",
    "GET",
    "/v1/status",
    { key: "", headers: { authorization: `Basic ${btoa(`x:${KEY}`)}` } },
    401,
    "unauthorized",
  ],
  [
    "an invalid cookie",
    "GET",
    "/v1/status",
    { key: "", headers: { cookie: "turnpike_session=x" } },
    401,
    "unauthorized",
  ],
];

describe.each([
  [1, false],
  [2, false],
  [1, true],
  [2, true],
])("%d workers, TLS: %p", (workers, tls) => {
  let admin: Admin;

  beforeAll(async () => {
    admin = await Admin.start({ workers, tls, config: CONFIG });
  });
  afterAll(() => admin.stop());

  // Not test.each, which would search bodies of megabytes for a name.
  for (const [what, method, path, options, status, expected] of ROWS) {
    test(`${what}: ${method} ${path.slice(0, 80)}`, async () => {
      const { headers, body, text, status: responded } = await admin.call(method, path, options);
      expect([responded, text]).toEqual([status, text]);
      if (status >= 400) {
        expect(headers.get("content-type")).toBe("application/problem+json");
        expect(body).toMatchObject({ status, code: expected, instance: headers.get("x-request-id") });
      } else if (expected !== undefined) expect(body).toMatchObject(expected as object);
      if (status === 405) expect(headers.get("allow")).toMatch(/^[A-Z]+(?:, [A-Z]+)+$/);
      if (status === 401) expect(headers.get("www-authenticate")).toStartWith("Bearer");
      if (method === "HEAD") expect(text).toBe("");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      if (path !== "/") expect(headers.get("cache-control")).toBe("no-store");
      expect(text).not.toContain("hunter2");
      expect(text).not.toContain(KEY);
    });
  }

  test("the configuration that is shown can be sent back", async () => {
    const shown = await admin.call("GET", "/v1/config");
    expect(shown.text).toContain('"api_key":"<secret>"');
    const replaced = await admin.call("PUT", "/v1/config", { body: shown.body });
    expect([replaced.status, replaced.body]).toEqual([200, { ok: true }]);
    const { difference } = (await admin.call("POST", "/v1/config/check", { body: shown.body })).body;
    expect(difference).toEqual([]);
  });

  test("each operation was seen to succeed", () => {
    const { document, seen } = admin.description ?? { document: { paths: {} }, seen: new Set() };
    const missing = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      // tenants.test.ts tests the removal of tenants, credits.test.ts the credits, which need x402.credit,
      // test/payments/channel-commands.test.ts the channels,
      // payments.test.ts the operations that need a ledger, test/payments/refunds.test.ts the refunds, and jobs.test.ts jobs.
      .filter(
        ({ operationId }) =>
          !/^dropTenant$|^cancelJob$|^refundPayment$|^searchPayments$|^listPayers$|^showPayment$|Credits?$|Channels?$/.test(
            operationId,
          ) &&
          !seen.has(`${operationId} 200`) &&
          !seen.has(`${operationId} 201`),
      );
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });
});
