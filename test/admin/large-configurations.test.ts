/** Configurations that take long to judge. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, READ_KEY } from "../support/admin.ts";

setDefaultTimeout(patient(60_000));

let admin: Admin;

beforeAll(async () => {
  admin = await Admin.start({
    workers: 1,
    config: { routes: [{ path_prefix: "/", fixed_response: { body: "hello" } }] },
  });
});
afterAll(() => admin.stop());

const emptyRoutes = (count: number): string => `{"routes":[${Array.from({ length: count }, () => "{}").join(",")}]}`;
const manyRoutes = (status: number): object[] =>
  Array.from({ length: 10_000 }, (_, i) => ({ path_prefix: `/r/${i}`, fixed_response: { status } }));

async function traffic(path = "/"): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${admin.port}${path}`);
  return status;
}

async function requests(): Promise<string> {
  for (let i = 0; i < 5; i++) expect(await traffic()).toBe(200);
  return "requests";
}

test("requests are served while a million empty routes are checked, and the response is short", async () => {
  const check = admin.call("POST", "/v1/config/check", { key: READ_KEY, body: emptyRoutes(1_000_000) });
  expect(await Promise.race([check.then(() => "check"), requests()])).toBe("requests");
  const { status, body, text } = await check;
  expect([status, body.ok, body.problems.length, body.difference]).toEqual([200, false, 101, []]);
  expect(body.problems.at(-1)).toMatchObject({ path: "", message: "more problems are not listed" });
  expect(text.length).toBeLessThan(100_000);
});

test("the response to a check of long unknown keys and values is short", async () => {
  const long = Array.from({ length: 600 }, (_, i) => [`${i}${'"'.repeat(2500)}`, "v".repeat(2500)]);
  const huge = { header: "h".repeat(3_000_000), ["k".repeat(3_000_000)]: 1 };
  for (const more of [Object.fromEntries(long), huge]) {
    const { status, body, text } = await admin.call("POST", "/v1/config/check", { key: READ_KEY, body: more });
    expect([status, body.ok]).toEqual([200, true]);
    expect(text.length).toBeLessThan(1_500_000);
  }
});

test("a few checks run at one time, and others are refused", async () => {
  const checks = Array.from({ length: 8 }, () =>
    admin.call("POST", "/v1/config/check", { key: READ_KEY, body: emptyRoutes(10_000) }),
  );
  const statuses = (await Promise.all(checks)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(1);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

test("requests are served while 10,000 routes are loaded, and then by the new routes", async () => {
  const before: unknown = JSON.parse(await Bun.file(admin.file).text());
  writeFileSync(admin.file, JSON.stringify({ ...Object(before), routes: manyRoutes(200) }));
  expect((await admin.call("POST", "/v1/reload")).status).toBe(200);
  writeFileSync(admin.file, JSON.stringify({ ...Object(before), routes: manyRoutes(404) }));
  const reload = admin.call("POST", "/v1/reload");
  const isDone = reload.then(() => true);
  let served = 0;
  while (!(await Promise.race([isDone, traffic("/r/9999").then(() => false)]))) served++;
  expect((await reload).status).toBe(200);
  expect(served).toBeGreaterThan(1);
  expect(await traffic("/r/9999")).toBe(404);
});
