import { expect, test } from "bun:test";
import { createApp, MAX_BODY_BYTES } from "./app.ts";
import { AbsentBrowser } from "./browser/absent-browser.ts";
import { type Problem, TurnpikeError } from "../lib/errors.ts";
import { unknownPrices } from "./api/price-list.ts";
import { type Services } from "./operations/operation.ts";

const clock: unknown = { now: () => 0 };
// All requests here are rejected before they reach a service, except for QR codes, which need none of the services.
const app = createApp(clock as Services, { prices: unknownPrices });

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream | null;

async function post(path: string, body: Body, type = "application/json", coding?: string) {
  const headers = { "content-type": type, ...(coding !== undefined && { "content-encoding": coding }) };
  const response = await app(new Request(`http://content${path}`, { method: "POST", body, headers }));
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  // The status and title of an error in docs/errors.md.
  const problem = isProblem ? ((await response.json()) as Partial<Problem>) : {};
  return { status: response.status, code: problem.type?.replace("urn:turnpike:error:", ""), problem };
}

const QR = '{"data":"x"}';

test.each<[string, Body]>([
  ["nothing", null],
  ["an empty text", ""],
  ["half of a text", '{"data":"x'],
  ["two values", "{}{}"],
  ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
  ["a name that JSON does not define", "NaN"],
  ["half a million brackets", "[".repeat(500_000)],
  ["JSON after a byte order mark", `\ufeff${QR}`],
  ["an object with one name twice", '{"data":"x","data":"y"}'],
])("a body of %s is not JSON", async (_what, body) => {
  expect(await post("/qr", body)).toMatchObject({ status: 400, code: "bad-request" });
});

test.each(["null", "1", '"text"', "true", "[]", '[{"data":"x"}]'])("a body of %s is not an object", async (body) => {
  const { status, problem } = await post("/qr", body);
  expect([status, problem.errors]).toEqual([400, [{ path: "", message: "must be of type object" }]]);
});

test.each<[string, number]>([
  ["application/json", 200],
  ["application/json; charset=utf-8", 200],
  ["APPLICATION/JSON", 200],
  ["application/problem+json", 200],
  ["application/json; charset=utf-16", 400],
  ["text/json", 400],
  ["application/jsonp", 400],
  ["application/x-www-form-urlencoded", 400],
  ["multipart/form-data; boundary=x", 400],
  ["", 400],
])("a body of the type '%s' gets the status %d", async (type, status) => {
  expect((await post("/qr", QR, type)).status).toBe(status);
});

test.each<[string, number]>([
  ["identity", 200],
  ["Identity", 200],
  ["gzip", 400],
  ["identity, gzip", 400],
])("a body with the Content-Encoding '%s' gets the status %d", async (coding, status) => {
  expect((await post("/qr", QR, "application/json", coding)).status).toBe(status);
});

test("a body may be as long as the bound, and no longer, with or without a declared length", async () => {
  expect((await post("/qr", QR.padEnd(MAX_BODY_BYTES))).status).toBe(200);
  expect(await post("/qr", QR.padEnd(MAX_BODY_BYTES + 1))).toMatchObject({ status: 413, code: "body-too-large" });
  const endless = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(65_536).fill(32));
    },
  });
  expect((await post("/qr", endless)).status).toBe(413);
});

test("parameters in the query do not replace body fields", async () => {
  const { status, problem } = await post("/qr?data=x", "{}");
  expect([status, problem.errors]).toEqual([400, [{ path: "data", message: "is required" }]]);
  expect((await post("/qr?size=64", QR)).status).toBe(200);
});

test("an internal error gets a 500 without details, and the details are in the log", async () => {
  const logged: unknown[] = [];
  const services: unknown = { now: () => 0, log: (...line: unknown[]) => logged.push(line) };
  // The services have no page reader, which causes the internal error.
  const broken = createApp(services as Services, { prices: unknownPrices });
  const response = await broken(
    new Request("http://content/scrape", {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "id-1" },
      body: '{"url":"https://example.com/"}',
    }),
  );
  expect(await response.json()).toEqual({
    type: "urn:turnpike:error:internal",
    title: "Internal Error",
    status: 500,
    detail: "Cannot serve the request: see the log",
    instance: "id-1",
  });
  expect(logged).toHaveLength(1);
});

test.each<[string, () => Promise<never>, string | null]>([
  ["a service without a browser is final", () => new AbsentBrowser().visit(), null],
  [
    "a browser that stopped may run again soon",
    () => Promise.reject(new TurnpikeError("browser-unavailable", "The browser stopped")),
    "2",
  ],
])("%s", async (_what, show, retryAfter) => {
  const services: Partial<Services> = { now: () => 0 };
  Object.assign(services, { pages: { show } });
  // Only the pages are used.
  const other = createApp(services as Services, { prices: unknownPrices });
  const headers = { "content-type": "application/json" };
  const body = '{"url":"https://site.test/"}';
  const response = await other(new Request("http://content/screenshot", { method: "POST", body, headers }));
  expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:browser-unavailable" });
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, retryAfter]);
});
