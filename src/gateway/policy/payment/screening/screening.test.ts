import { afterEach, beforeEach, describe, expect, jest, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { loadValue } from "../../../config/load.ts";
import { Counts } from "../../../telemetry/metrics/counts.ts";
import { openScreening, type Screening } from "./screening.ts";
import { ScreeningHook } from "./screening-hook.ts";

setDefaultTimeout(patient(20_000));

const PAYER = `0x${"a".repeat(40)}`;
const PAYMENT = { from: PAYER, network: "eip155:1", token: "0xt", amount: "5", route: "/r" } as Payment; // The rest is not read.

let now = 0;
let requests: { headers: Headers; body: unknown }[];
let respond: () => Response | Promise<Response>;
let server: ReturnType<typeof Bun.serve>;
let logged: string[];
let screening: Screening | undefined;

beforeEach(() => {
  [requests, logged, now] = [[], [], 0];
  respond = () => Response.json({ allowed: true });
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      requests.push({ headers: request.headers, body: await request.json() });
      return await respond();
    },
  });
});
afterEach(async () => {
  jest.useRealTimers();
  screening?.close();
  screening = undefined;
  await server.stop(true);
});

function hookOf(timeoutMs = patient(10_000), token?: string): ScreeningHook {
  return new ScreeningHook({ url: server.url.href, token, timeoutMs, keepMs: 1000, clock: () => now });
}

describe("the service that screens payers", () => {
  test("is asked about the payer, with the token", async () => {
    expect(await hookOf(undefined, "secret").of(PAYMENT)).toEqual({ kind: "allowed" });
    expect(requests[0]?.body).toEqual({ payer: PAYER, network: "eip155:1", asset: "0xt", amount: "5", route: "/r" });
    const { headers } = requests[0] ?? { headers: new Headers() };
    expect(["authorization", "accept", "content-type", "accept-encoding"].map((name) => headers.get(name))).toEqual([
      "Bearer secret",
      "application/json",
      "application/json",
      "identity",
    ]);
    await hookOf().of(PAYMENT);
    expect(requests[1]?.headers.get("authorization")).toBeNull();
  });

  test("is asked once for several payments, until its result is too old", async () => {
    const hook = hookOf();
    await Promise.all([hook.of(PAYMENT), hook.of(PAYMENT)]);
    now = 999;
    await hook.of(PAYMENT);
    expect(requests).toHaveLength(1);
    now = 1000;
    await hook.of(PAYMENT);
    await hook.of({ ...PAYMENT, network: "eip155:2" });
    await hook.of({ ...PAYMENT, from: "0xb" });
    expect(requests).toHaveLength(4);
  });

  test("denies with a reason, which has no control characters and at most 200 others", async () => {
    respond = () => Response.json({ allowed: false, reason: `a\nb${"c".repeat(300)}` });
    expect(await hookOf().of(PAYMENT)).toEqual({ kind: "denied", reason: `a b${"c".repeat(197)}` });
    respond = () => Response.json({ allowed: false, reason: 5 });
    expect(await hookOf().of(PAYMENT)).toEqual({ kind: "denied", reason: "" });
  });

  test.each<[string, () => Response]>([
    ["its status is 500", () => Response.json({ allowed: true }, { status: 500 })],
    ["its status is 302", () => Response.redirect("http://127.0.0.1:9/", 302)],
    ["its response is not a JSON object", () => new Response("yes")],
    ["its response is not a JSON object", () => Response.json([true])],
    ["its response is not a JSON object", () => new Response(`{"allowed":true,"a":"${"x".repeat(17_000)}"}`)],
    ['its response has no "allowed"', () => Response.json({ allowed: "true" })],
  ])("is unavailable if %s, and is asked again", async (cause, response) => {
    respond = response;
    const hook = hookOf();
    expect(await hook.of(PAYMENT)).toEqual({ kind: "unavailable", cause });
    respond = () => Response.json({ allowed: true });
    expect(await hook.of(PAYMENT)).toEqual({ kind: "allowed" });
  });

  test("is unavailable if it does not respond in time, or does not accept connections", async () => {
    respond = () => Promise.withResolvers<Response>().promise;
    expect(await hookOf(50).of(PAYMENT)).toEqual({ kind: "unavailable", cause: "no response within 50 ms" });
    const hook = hookOf();
    await server.stop(true);
    expect(await hook.of(PAYMENT)).toEqual({ kind: "unavailable", cause: "no connection" });
  });

  test("gets at most 64 calls at the same time", async () => {
    const gate = Promise.withResolvers<void>();
    respond = async () => {
      await gate.promise;
      return Response.json({ allowed: true });
    };
    const hook = hookOf();
    const calls = Array.from({ length: 64 }, (_, n) => hook.of({ ...PAYMENT, from: `0x${n}` }));
    expect(await hook.of(PAYMENT)).toEqual({ kind: "unavailable", cause: "too many calls are in progress" });
    gate.resolve();
    expect(new Set((await Promise.all(calls)).map(({ kind }) => kind))).toEqual(new Set(["allowed"]));
    expect(await hook.of(PAYMENT)).toEqual({ kind: "allowed" });
  });
});

async function open(settings: object): Promise<Screening | undefined> {
  const { config, problems } = loadValue({ x402: { screening: settings } });
  if (config === undefined) throw new Error(problems.map(({ message }) => message).join());
  screening = await openScreening(config.x402.screening, {
    telemetry: { counts: new Counts(new Float64Array(10_000)) },
    log: (message) => void logged.push(message),
    onEvent: () => undefined,
  });
  return screening;
}

describe("screening by the configuration", () => {
  test("is off without a list and a service", async () => {
    expect(await open({})).toBeUndefined();
  });

  test("refuses payers on a list, and tells when the list is read again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-screening-"));
    const file = join(folder, "list");
    writeFileSync(file, PAYER);
    jest.useFakeTimers();
    const opened = await open({ denied_payers: [file] });
    expect(opened?.listed(PAYMENT)).toMatchObject({ code: "forbidden" });
    expect(opened?.listed({ ...PAYMENT, from: `0x${"b".repeat(40)}` })).toBeUndefined();
    expect(await opened?.asked(PAYMENT)).toBeUndefined();
    // The engine can have timers of its own.
    const timers = jest.getTimerCount();
    opened?.close();
    expect(jest.getTimerCount()).toBe(timers - 1);
    rmSync(folder, { recursive: true });
  });

  test("asks the service, whose failure is logged and refuses the payment for now", async () => {
    const opened = await open({ service_url: server.url.href });
    expect(opened?.listed(PAYMENT)).toBeUndefined();
    expect(await opened?.asked(PAYMENT)).toBeUndefined();
    respond = () => Response.json({ allowed: false, reason: "sanctions" });
    expect(await opened?.asked({ ...PAYMENT, from: "0x1" })).toMatchObject({
      code: "forbidden",
      message: "Payments of this address are not accepted: sanctions",
    });
    respond = () => Response.json({ allowed: false });
    expect((await opened?.asked({ ...PAYMENT, from: "0x2" }))?.message).toBe(
      "Payments of this address are not accepted.",
    );
    expect(logged).toEqual([]);
    respond = () => new Response(null, { status: 503 });
    expect(await opened?.asked({ ...PAYMENT, from: "0x3" })).toMatchObject({ code: "overloaded" });
    await until(() => logged.length === 1);
    expect(logged[0]).toEndWith("does not tell whether a payer may buy: its status is 503");
  });
});
