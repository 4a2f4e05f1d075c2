/** API keys of routes, in the admin interface. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, READ_KEY } from "../support/admin.ts";

setDefaultTimeout(patient(60_000));

let admin: Admin;
beforeAll(async () => {
  const auth = { type: "api_key", keys: [{ key: "k-1", name: "acme" }] };
  admin = await Admin.start({
    workers: 2,
    config: {
      upstreams: [{ name: "app", servers: [{ address: "127.0.0.1", port: 9 }] }],
      routes: [
        { path_prefix: "/keys", upstream: "app", auth },
        { path_prefix: "/open", upstream: "app" },
      ],
    },
  });
});
afterAll(() => admin.stop());

async function status(key: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${admin.port}/keys`, { headers: { "x-api-key": key } })).status;
}

test("a key is issued and revoked in all workers, and only its hash is stored", async () => {
  const path = "/v1/routes/%2Fkeys/keys";
  expect((await admin.call("POST", path, { key: READ_KEY, body: { name: "new" } })).status).toBe(403);
  const { status: created, body } = await admin.call("POST", path, { body: { name: "new" } });
  expect([created, body.owner]).toEqual([201, "new"]);
  for (let i = 0; i < 6; i++) expect(await status(body.key)).toBe(502);
  const listed = await admin.call("GET", "/v1/keys", { key: READ_KEY });
  expect(listed.body.routes).toEqual([
    {
      path_prefix: "/keys",
      keys: [
        { number: 1, owner: "acme" },
        { number: 2, owner: "new" },
      ],
    },
  ]);
  expect((await admin.call("DELETE", `${path}/2?owner=acme`)).status).toBe(404);
  expect((await admin.call("DELETE", `${path}/2?owner=new`)).status).toBe(200);
  for (let i = 0; i < 6; i++) expect([await status(body.key), await status("k-1")]).toEqual([401, 502]);
});

test("the last key can be revoked: all requests are refused until a key is issued again", async () => {
  const path = "/v1/routes/%2Fkeys/keys";
  expect((await admin.call("DELETE", `${path}/1?owner=acme`)).status).toBe(200);
  for (let i = 0; i < 6; i++) expect(await status("k-1")).toBe(401);
  expect((await admin.call("GET", "/v1/keys")).body.routes).toEqual([{ path_prefix: "/keys", keys: [] }]);
  const { body } = await admin.call("POST", path, { body: { name: "first" } });
  for (let i = 0; i < 6; i++) expect([await status(body.key), await status("k-1")]).toEqual([502, 401]);
});

test("a route without API keys gets none, and the error says what it needs", async () => {
  const { status: refused, body } = await admin.call("POST", "/v1/routes/%2Fopen/keys", { body: { name: "new" } });
  const what = 'the route "/open" with api_key in its auth (such as {"type": "api_key", "keys": []})';
  expect([refused, body.detail]).toEqual([404, `Cannot find ${what}`]);
});
