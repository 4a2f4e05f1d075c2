import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { patient } from "../../../lib/testing/patience.ts";
import { AdminRig, READ_ONLY_KEY, type RigCall, type RigResponse } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

const SERVER = { address: "127.0.0.1", port: 9 };
const KEYS = [
  { key: "hunter2-hunter2", name: "alice" },
  { key: "hunter2-hunter3", name: "eve" },
];
const DOCUMENT = {
  upstreams: [
    { name: "a", servers: [SERVER] },
    { name: "b", servers: [{ unix: "/b.socket" }, { address: "::1", port: 9, weight: 3 }] },
  ],
  routes: [
    {
      path_prefix: "/a",
      upstream: "a",
      auth: { type: "api_key", keys: KEYS },
    },
    { path_prefix: "/b", host: "one.test", upstream: "a" },
    { path_prefix: "/b", upstream: "a" },
    { path_prefix: "/b", name: "put", upstream: "b", match: { methods: ["PUT"] } },
  ],
};

let rig: AdminRig;

beforeEach(async () => {
  rig = await AdminRig.start(DOCUMENT);
});
afterEach(() => rig[Symbol.asyncDispose]());

const revision = async (): Promise<string> => (await rig.call("GET", "/v1/config")).headers.get("etag") ?? "";

/** Operations that change the configuration, each with a change that is valid. */
const CHANGES: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["POST", "/v1/routes", { path_prefix: "/c", upstream: "a" }],
  ["PATCH", "/v1/routes/%2Fa", { connect_timeout_ms: 77 }],
  ["DELETE", "/v1/routes/%2Fb?host=one.test"],
  ["DELETE", "/v1/routes?prefix=/b&host=one.test"],
  ["POST", "/v1/upstreams", { name: "c", servers: [SERVER] }],
  ["PATCH", "/v1/upstreams/b", { load_balancer: "random" }],
  ["DELETE", "/v1/upstreams/a"],
  ["POST", "/v1/routes/%2Fa/keys", { name: "bob" }],
  ["DELETE", "/v1/routes/%2Fa/keys/1?owner=alice&force"],
  [
    "PUT",
    "/v1/config?force",
    { ...DOCUMENT, routes: [], admin: { enabled: true, port: 0, api_key: "<secret>", read_api_key: "<secret>" } },
  ],
];

for (const [method, path, body] of CHANGES) {
  test(`${method} ${path} is made for the full key, by a client that knows the current revision`, async () => {
    const made = (own: RigCall = {}): Promise<RigResponse> => rig.call(method, path, { body, ...own });
    const before = await revision();
    expect((await made({ key: "" })).body).toMatchObject({ status: 401, code: "unauthorized" });
    expect((await made({ key: READ_ONLY_KEY })).body).toMatchObject({ status: 403, code: "forbidden" });
    for (const headers of [{ "if-match": '"other"' }, { "if-none-match": before }, { "if-none-match": "*" }] as const) {
      expect((await made({ headers })).body).toMatchObject({ status: 412, code: "precondition_failed" });
    }
    rig.refusal = "a port is in use";
    const failed = await made();
    expect(failed.body).toMatchObject({ status: 500, code: "change_failed" });
    expect(failed.body.detail).toBe("Cannot use the changed configuration: a port is in use; the old one stays in use");
    rig.refusal = undefined;
    expect(await revision()).toBe(before);
    const { length } = rig.messages;
    const done = await made({ headers: { "if-match": before, "if-none-match": '"other"' } });
    expect([done.status, done.body.ok]).toEqual([method === "POST" ? 201 : 200, true]);
    const after = await revision();
    expect(after).not.toBe(before);
    expect(done.headers.get("etag")).toBe(after);
    expect(rig.told.slice(length)).toEqual([
      expect.objectContaining({ kind: "change", outcome: "done", by: expect.objectContaining({ kind: "operator" }) }),
    ]);
    expect(done.text).not.toContain("hunter2");
  });
}

test("warnings are refused with strict, and told without it", async () => {
  const body = { path_prefix: "/w", upstream: "a", wepsocket: true };
  const strict = await rig.call("POST", "/v1/routes?strict", { body });
  const plain = await rig.call("POST", "/v1/routes?strict=no", { body });
  expect(strict.body).toMatchObject({ status: 400, code: "invalid_configuration" });
  const warning = { path: "routes[4].wepsocket", message: "unknown key, ignored", pointer: "/wepsocket" };
  expect(plain.body).toEqual({ ok: true, created: "/w", warnings: [warning] });
  expect((await rig.call("POST", "/v1/reload?strict")).body).toMatchObject({
    discarded: [{ op: "add", path: "/routes/4" }],
  });
});

test("host and name tell routes with one prefix apart, and the response says where the new one is", async () => {
  const add = (body: object) => rig.call("POST", "/v1/routes", { body });
  const plain = await add({ path_prefix: "/c:d", upstream: "a" });
  expect(plain.body).toEqual({ ok: true, created: "/c:d" });
  expect(plain.headers.get("location")).toBe("/v1/routes/%2Fc%3Ad");
  const named = await add({
    path_prefix: "/c:d",
    host: "c.test",
    name: "n.m",
    upstream: "a",
    match: { methods: ["PUT"] },
  });
  expect(named.body).toEqual({ ok: true, created: "/c:d", host: "c.test", name: "n.m" });
  expect(named.headers.get("location")).toBe("/v1/routes/%2Fc%3Ad?host=c.test&name=n.m");
  expect((await rig.call("PATCH", named.headers.get("location") ?? "", { body: { name: "other" } })).body).toEqual({
    ok: true,
    changed: "/c:d",
  });
  const again = await add({ path_prefix: "/c:d", host: "c.test", name: "other", upstream: "a" });
  expect(again.body).toMatchObject({
    status: 409,
    code: "already_exists",
    detail: 'Cannot add the route "/c:d" named "other" of "c.test": it exists already; change it with PATCH',
  });
  const many = await rig.call("DELETE", "/v1/routes/%2Fb");
  expect(many.body).toMatchObject({
    status: 409,
    code: "ambiguous_route",
    hosts: ["one.test", "", ""],
    names: ["", "", "put"],
  });
  expect(many.body.detail).toStartWith('Cannot tell which route is meant: the route "/b" matches several routes');
  expect((await rig.call("DELETE", "/v1/routes/%2Fb?host=ONE.test")).body).toEqual({ ok: true, deleted: "/b" });
  expect((await rig.call("DELETE", "/v1/routes/%2Fb?host=one.test")).body).toMatchObject({
    status: 404,
    detail: 'Cannot find the route "/b" of "one.test"',
  });
  expect((await rig.call("DELETE", "/v1/routes?prefix=/b&name=put")).body).toEqual({ ok: true, deleted: "/b" });
  expect((await rig.call("DELETE", "/v1/routes?prefix=/b&prefix=/a")).body).toMatchObject({
    status: 400,
    detail: "Cannot read the query: it has prefix twice",
  });
  expect((await rig.call("DELETE", "/v1/routes")).body).toMatchObject({ status: 400, code: "bad_request" });
  const moved = await rig.call("PATCH", "/v1/routes/%2Fb", { body: { path_prefix: "/m" } });
  expect(moved.body).toEqual({ ok: true, changed: "/m" });
  expect((await rig.call("PATCH", "/v1/routes/%2Fm", { body: { path_prefix: "/a" } })).body).toMatchObject({
    status: 409,
    code: "already_exists",
  });
});

test("routes are listed as configured, without secrets, and with those that are closed now", async () => {
  const first = await rig.call("GET", "/v1/routes", { key: READ_ONLY_KEY });
  expect(first.body.routes).toEqual([
    { path_prefix: "/a", upstream: "a", auth: "api_key", wasm_filter: false },
    { path_prefix: "/b", host: "one.test", upstream: "a", auth: "none", wasm_filter: false },
    { path_prefix: "/b", upstream: "a", auth: "none", wasm_filter: false },
    { path_prefix: "/b", name: "put", upstream: "b", match: { methods: ["PUT"] }, auth: "none", wasm_filter: false },
  ]);
  expect(first.headers.get("etag")).toBe(await revision());
  const known = (etag: string | null) => rig.call("GET", "/v1/routes", { headers: { "if-none-match": etag ?? "" } });
  const unchanged = await known(first.headers.get("etag"));
  expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([
    304,
    "",
    first.headers.get("etag"),
  ]);
  rig.closedRoutes = ["/a"];
  const closed = await known(first.headers.get("etag"));
  expect(closed.body.routes[0]).toMatchObject({ path_prefix: "/a", wasm_required: true });
  expect(Object.keys(closed.body.routes[1])).not.toContain("wasm_required");
  expect(closed.headers.get("etag")).toMatch(/~[\w-]{16}"$/);
  expect((await known(closed.headers.get("etag"))).status).toBe(304);
  // The tag of a state counts for its revision.
  const patched = await rig.call("PATCH", "/v1/routes/%2Fa", {
    body: { connect_timeout_ms: 5 },
    headers: { "if-match": closed.headers.get("etag") ?? "" },
  });
  expect(patched.status).toBe(200);
  expect((await known(closed.headers.get("etag"))).status).toBe(200);
  expect(first.text).not.toContain("hunter2");
});

test("upstreams are listed with their servers as they are now, and with the routes that wait for them", async () => {
  const figures = {
    source: "configured",
    weight: 1,
    backup: false,
    health: "unchecked",
    in_rotation: true,
    drained: false,
    reason: "",
    failures: 0,
    requests_in_flight: 0,
    connections: 0,
  } as const;
  rig.upstreams = [
    {
      name: "a",
      servers: [
        { ...figures, server: "127.0.0.1:9" },
        { ...figures, server: "[::2]:10", source: "dns" },
      ],
    },
    {
      name: "b",
      servers: [
        { ...figures, server: "unix:/b.socket" },
        { ...figures, server: "[::1]:9", weight: 3 },
      ],
    },
  ];
  const listed = (await rig.call("GET", "/v1/upstreams")).body.upstreams;
  expect(listed.map(({ name, servers }: { name: string; servers: object[] }) => [name, servers])).toEqual([
    [
      "a",
      [
        expect.objectContaining({ server: "127.0.0.1:9", address: "127.0.0.1", port: 9 }),
        expect.objectContaining({ server: "[::2]:10", address: "::2", port: 10, source: "dns" }),
      ],
    ],
    [
      "b",
      [
        expect.objectContaining({ server: "unix:/b.socket", unix: "/b.socket" }),
        expect.objectContaining({ server: "[::1]:9", address: "::1", port: 9, weight: 3 }),
      ],
    ],
  ]);
  expect(listed[0]).not.toHaveProperty("waiting");
  expect((await rig.call("DELETE", "/v1/upstreams/a")).body).toMatchObject({
    deleted: "a",
    waiting: ["/a", "one.test/b", "/b"],
  });
  const [left] = (await rig.call("GET", "/v1/upstreams")).body.upstreams;
  expect(left).toMatchObject({ name: "a", deleted: true, waiting: ["/a", "one.test/b", "/b"] });
  for (const [method, path] of [
    ["DELETE", "/v1/upstreams/a"],
    ["DELETE", "/v1/upstreams/none"],
    ["PATCH", "/v1/upstreams/a"],
    ["PATCH", "/v1/upstreams/none"],
  ] as const) {
    const { body: absent } = await rig.call(method, path, method === "PATCH" ? { body: {} } : {});
    expect([path, absent.status, absent.detail]).toEqual([path, 404, `Cannot find the upstream "${path.slice(14)}"`]);
  }
  const added = await rig.call("POST", "/v1/upstreams", { body: { name: "a", servers: [SERVER] } });
  expect([added.body, added.headers.get("location")]).toEqual([{ ok: true, created: "a" }, "/v1/upstreams/a"]);
  expect((await rig.call("POST", "/v1/upstreams", { body: { name: "a", servers: [SERVER] } })).status).toBe(409);
  const renamed = await rig.call("POST", "/v1/upstreams", { body: { name: "c d", servers: [SERVER] } });
  expect(renamed.headers.get("location")).toBe("/v1/upstreams/c%20d");
  expect((await rig.call("PATCH", "/v1/upstreams/c%20d", { body: { name: "e" } })).body).toMatchObject({
    changed: "e",
  });
  expect((await rig.call("PATCH", "/v1/upstreams/e", { body: { name: "a" } })).status).toBe(409);
  expect((await rig.call("DELETE", "/v1/upstreams/e")).body).toEqual({ ok: true, deleted: "e", waiting: [] });
  for (const invalid of ["5", '"x"', "null", "[]", "{}"]) {
    expect((await rig.call("POST", "/v1/upstreams", { body: invalid })).body).toMatchObject({
      code: "invalid_configuration",
    });
    expect((await rig.call("POST", "/v1/routes", { body: invalid })).body).toMatchObject({
      code: "invalid_configuration",
    });
  }
});

test("servers are drained and used again by the full key", async () => {
  const server = { server: "127.0.0.1:9" } as never;
  rig.upstreams = [{ name: "a", servers: [server] }];
  const call = (verb: string, name: string, key?: string) =>
    rig.call("POST", `/v1/upstreams/a/servers/${encodeURIComponent(name)}/${verb}`, key === undefined ? {} : { key });
  expect((await call("drain", "127.0.0.1:9", READ_ONLY_KEY)).status).toBe(403);
  expect((await call("drain", "127.0.0.1:9")).body).toEqual({ ok: true, drained: true });
  expect((await call("undrain", "127.0.0.1:9")).body).toEqual({ ok: true, drained: false });
  expect((await call("undrain", "other:9")).body).toMatchObject({
    status: 404,
    detail: 'Cannot undrain server "other:9": the upstream "a" has no server of this name',
  });
  expect((await call("drain", "other:9")).body.detail).toStartWith("Cannot drain server");
  expect(rig.drains.slice(0, 2)).toEqual([
    ["a", "127.0.0.1:9", true, "operator"],
    ["a", "127.0.0.1:9", false, "operator"],
  ]);
});

test("API keys are issued, listed without the key, and revoked by number and owner", async () => {
  const issued = await rig.call("POST", "/v1/routes/%2Fa/keys", { body: { name: "bob" } });
  const { key } = issued.body;
  expect([issued.status, issued.body]).toEqual([201, { ok: true, key, owner: "bob" }]);
  expect(key).toMatch(/^tk_[\w-]{43}$/);
  const list = await rig.call("GET", "/v1/keys", { key: READ_ONLY_KEY });
  expect(list.body.routes).toEqual([
    {
      path_prefix: "/a",
      keys: [
        { number: 1, owner: "alice" },
        { number: 2, owner: "eve" },
        { number: 3, owner: "bob" },
      ],
    },
  ]);
  expect((await rig.call("GET", "/v1/config")).text).not.toContain(key);
  expect(rig.messages.join()).not.toContain(key);
  await rig.call("POST", "/v1/config/persist");
  const saved = readFileSync(rig.file, "utf8");
  expect(saved).not.toContain(key);
  expect(saved).toContain(createHash("sha256").update(key).digest("hex"));
  for (const body of [{}, { name: "" }, { name: 1 }, { name: "x", key: "own" }]) {
    expect((await rig.call("POST", "/v1/routes/%2Fa/keys", { body })).body).toMatchObject({
      status: 400,
      code: "bad_request",
    });
  }
  const none = await rig.call("POST", "/v1/routes/%2Fb/keys?name=put", { body: { name: "x" } });
  expect(none.body).toMatchObject({
    status: 404,
    detail: expect.stringContaining('Cannot find the route "/b" named "put" with api_key in its auth'),
  });
  const revoke = (path: string) => rig.call("DELETE", `/v1/routes/%2Fa/keys/${path}`);
  for (const path of ["3", "0?owner=bob", "03?owner=bob", "1000000?owner=bob", "x?owner=bob"])
    expect((await revoke(path)).body).toMatchObject({ status: 400, code: "bad_request" });
  expect((await revoke("3?owner=alice")).body).toMatchObject({
    status: 404,
    detail: 'Cannot find the key 3 of "alice" in the route "/a"',
  });
  expect((await revoke("999999?owner=bob")).status).toBe(404);
  expect((await revoke("3?owner=bob")).body).toEqual({ ok: true });
  expect((await rig.call("GET", "/v1/keys")).body.routes[0].keys).toEqual([
    { number: 1, owner: "alice" },
    { number: 2, owner: "eve" },
  ]);
});

test("routes with the same prefix have their keys listed by host and name", async () => {
  const auth = { type: "api_key", keys: [{ key: "another-key-1234", name: "carl" }] };
  for (const own of [{ host: "k.test" }, { name: "n", match: { methods: ["PUT"] } }])
    expect(
      (await rig.call("POST", "/v1/routes", { body: { path_prefix: "/k", upstream: "a", auth, ...own } })).status,
    ).toBe(201);
  const { body } = await rig.call("GET", "/v1/keys");
  const keys = [{ number: 1, owner: "carl" }];
  expect(body.routes.slice(1)).toEqual([
    { path_prefix: "/k", host: "k.test", keys },
    { path_prefix: "/k", name: "n", keys },
  ]);
});

test("a guard is only lost by force", async () => {
  const lost = await rig.call("PATCH", "/v1/routes/%2Fa", { body: { auth: null } });
  expect(lost.body).toMatchObject({ status: 409, code: "guard_lost" });
  expect(lost.body.errors[0]).toMatchObject({ path: expect.stringContaining("routes") });
  expect((await rig.call("PATCH", "/v1/routes/%2Fa?force", { body: { auth: null } })).status).toBe(200);
});

test("a configuration is checked without a change, also with the read-only key", async () => {
  const { body: document } = await rig.call("GET", "/v1/config");
  const before = await revision();
  const check = async (body: unknown) =>
    (await rig.call("POST", "/v1/config/check", { key: READ_ONLY_KEY, body })).body;
  expect(await check(document)).toEqual({ ok: true, problems: [], warnings: [], difference: [], restart: [] });
  const bad = await check({ ...document, routes: [{ path_prefix: "/z", upstream: "none" }] });
  expect(bad.ok).toBe(false);
  expect(bad.problems[0]).toMatchObject({ path: "routes[0].upstream" });
  const changed = await check({ ...document, routes: [] });
  expect([changed.ok, changed.difference.length > 0]).toEqual([true, true]);
  expect(JSON.stringify(changed)).not.toContain("hunter2");
  expect(await check("{")).toMatchObject({ status: 400, code: "bad_request" });
  expect(await revision()).toBe(before);
});

test("the file is written by force only if another program changed it, and a reload discards what it has not", async () => {
  const persist = (query = "", own: RigCall = {}) => rig.call("POST", `/v1/config/persist${query}`, own);
  await rig.call("DELETE", "/v1/routes/%2Fb?host=one.test");
  expect((await rig.call("GET", "/v1/status")).body.config).toMatchObject({ changed_in_memory: true });
  expect((await persist("", { key: READ_ONLY_KEY })).status).toBe(403);
  expect((await persist("", { headers: { "if-match": '"other"' } })).body).toMatchObject({ status: 412 });
  expect((await persist("", { headers: { "if-none-match": await revision() } })).body).toMatchObject({ status: 412 });
  const done = await persist("", { headers: { "if-match": await revision() } });
  expect([done.body, done.headers.get("etag")]).toEqual([{ ok: true, persisted: true }, await revision()]);
  expect(JSON.parse(readFileSync(rig.file, "utf8")).routes).toHaveLength(3);
  await rig.call("DELETE", "/v1/routes/%2Fb?name=put");
  const saved = readFileSync(rig.file, "utf8");
  writeFileSync(rig.file, `${saved}\n`);
  expect((await persist()).body).toMatchObject({ status: 409, code: "changed_on_disk" });
  expect((await rig.call("POST", "/v1/reload", { key: READ_ONLY_KEY })).status).toBe(403);
  const reloaded = await rig.call("POST", "/v1/reload");
  expect(reloaded.body).toMatchObject({ ok: true, discarded: [{ op: "remove", path: "/routes/2" }] });
  expect(reloaded.headers.get("etag")).toBe(await revision());
  await rig.call("DELETE", "/v1/routes/%2Fb?name=put");
  writeFileSync(rig.file, saved);
  expect((await persist("?force=true")).status).toBe(200);
  expect(JSON.parse(readFileSync(rig.file, "utf8")).routes).toHaveLength(2);
  writeFileSync(rig.file, "{");
  expect((await rig.call("POST", "/v1/reload")).body).toMatchObject({ status: 400, code: "invalid_configuration" });
  writeFileSync(rig.file, saved);
  rig.refusal = "a port is in use";
  expect((await rig.call("POST", "/v1/reload")).body).toMatchObject({
    status: 500,
    code: "change_failed",
    detail: "Cannot use the file: a port is in use; the old configuration stays in use",
  });
});
