import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin } from "../support/admin.ts";

setDefaultTimeout(patient(60_000));

let origin: Bun.Server<undefined>;

beforeAll(() => {
  origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("origin") });
});
afterAll(() => origin.stop(true));

/**
 * Statuses of this number of concurrent requests, each on its own connection: the kernel distributes them over all
 * workers.
 */
async function statuses(port: number, path: string, count = 50): Promise<number[]> {
  const ask = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false });
    await response.arrayBuffer();
    return response.status;
  };
  return [...new Set(await Promise.all(Array.from({ length: count }, ask)))];
}

describe.each([2, 3])("%d workers", (workers) => {
  let admin: Admin;

  beforeAll(async () => {
    const servers = [{ address: "127.0.0.1", port: origin.port }];
    admin = await Admin.start({ workers, config: { upstreams: [{ name: "origin", servers }], routes: [] } });
  });
  afterAll(() => admin.stop());

  test("a change gets its response when every worker uses it", async () => {
    for (let i = 0; i < 5; i += 1) {
      expect(await statuses(admin.port, "/new", 5)).toEqual([404]);
      const added = await admin.call("POST", "/v1/routes", { body: { path_prefix: "/new", upstream: "origin" } });
      expect(added.status).toBe(201);
      expect(await statuses(admin.port, "/new")).toEqual([200]);
      expect((await admin.call("DELETE", "/v1/routes/%2Fnew")).status).toBe(200);
      expect(await statuses(admin.port, "/new")).toEqual([404]);
    }
  });

  test("a drained server gets nothing from any worker", async () => {
    await admin.call("POST", "/v1/routes", { body: { path_prefix: "/drained", upstream: "origin" } });
    const place = `/v1/upstreams/origin/servers/${encodeURIComponent(`127.0.0.1:${origin.port}`)}`;
    expect((await admin.call("POST", `${place}/drain`)).status).toBe(200);
    expect(await statuses(admin.port, "/drained")).toEqual([502]);
    expect((await admin.call("POST", `${place}/undrain`)).status).toBe(200);
    expect(await statuses(admin.port, "/drained")).toEqual([200]);
  });

  test("changes of several operators run one after another, and an operator with an old revision gets an error", async () => {
    const etag = (await admin.call("GET", "/v1/routes")).headers.get("etag") ?? "";
    const change = (i: number) =>
      admin.call("POST", "/v1/routes", {
        body: { path_prefix: `/at-once/${i}`, upstream: "origin" },
        headers: { "if-match": etag },
      });
    const responses = await Promise.all([0, 1, 2, 3].map(change));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 412, 412, 412]);
  });

  test("a change that one worker cannot apply is applied by no worker", async () => {
    const before = (await admin.call("GET", "/v1/config")).body;
    const listeners = [
      { address: "127.0.0.1", port: admin.port },
      { address: "127.0.0.1", port: origin.port },
    ];
    const config = { ...before, server: { ...before.server, listeners }, routes: [] };
    const refused = await admin.call("PUT", "/v1/config?force=true", { body: config });
    expect([refused.status, refused.body.code]).toEqual([500, "change_failed"]);
    expect(refused.body.detail).toContain(`127.0.0.1:${origin.port}: the port is in use`);
    expect((await admin.call("GET", "/v1/config")).body).toEqual(before);
    expect(await statuses(admin.port, "/drained")).toEqual([200]);
  });
});
