/** Faults of an ACME directory: each delays only the order, and ends with its cause. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Issuer } from "../../src/gateway/acme/issuer.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { FileCertificates } from "../../src/store/file-certificates.ts";
import { until } from "../support/program.ts";
import { Keeping } from "./testing/keeping.ts";
import { hasPebble, refusal, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(20_000));

const PART = new TextEncoder().encode('{"status":');
const BLOCK = new Uint8Array(65_536).fill(32);

function never(): Promise<Response> {
  return new Promise(() => {});
}

function streamed(source: Bun.UnderlyingSource<Uint8Array>): Response {
  return new Response(new ReadableStream(source), { headers: { "content-type": "application/json" } });
}

/** A body that begins and never ends. */
function stalled(): Response {
  return streamed({ start: (controller) => controller.enqueue(PART) });
}

function endless(): Response {
  return streamed({ pull: (controller) => controller.enqueue(BLOCK) });
}

/** A body of which a byte comes every 20 ms. */
function slow(): Response {
  return streamed({
    async pull(controller) {
      await Bun.sleep(20);
      controller.enqueue(BLOCK.subarray(0, 1));
    },
  });
}

function status(code: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response("", { status: code, headers });
}

describe.skipIf(!hasPebble)("with pebble", () => {
  let httpPort: number;
  let directory: TestDirectory;

  beforeAll(async () => {
    httpPort = await freePort();
    directory = await TestDirectory.start({ httpPort, tlsPort: await freePort(), alwaysValid: true });
  });
  afterAll(() => directory.close());
  beforeEach(() => {
    directory.intercept = () => undefined;
    directory.orders.length = 0;
    directory.asked.length = 0;
  });

  type Fault = readonly [
    what: string,
    path: RegExp,
    response: () => Response | Promise<Response>,
    says: RegExp,
    waitMs?: number,
  ];
  const pending = (): Response => {
    const url = new URL("/none", directory.url).href;
    return Response.json({ status: "pending", challenges: [{ type: "http-01", token: "x", url }] });
  };
  const TIMEOUT = /no response from localhost:\d+: .*timed out/;
  const UNSETTLED = /did not finish the order within 0\.3 s/;
  const FAULTS: readonly Fault[] = [
    ["that hangs at its first request", /^\/dir$/, never, TIMEOUT],
    ["that hangs in an order", /^\/order-plz$/, never, TIMEOUT],
    ["that hangs in the middle of a body", /^\/authZ\//, stalled, TIMEOUT],
    ["that sends a body slowly and without end", /^\/my-order\//, slow, TIMEOUT],
    ["that sends a body without end", /^\/my-order\//, endless, /a response has more than 1048576 bytes/],
    ["with errors", /^\/finalize-order\//, () => status(500), /responded with status 500/],
    [
      "that asks for a pause by 429",
      /^\/order-plz$/,
      () => status(429, { "retry-after": "1" }),
      /status 429; the next attempt is in 1 s/,
      1000,
    ],
    [
      "that asks for a pause by 503",
      /^\/dir$/,
      () => status(503, { "retry-after": "1" }),
      /status 503; the next attempt is in 1 s/,
      1000,
    ],
    [
      "that refuses every nonce",
      /^\/order-plz$/,
      () => refusal("badNonce", 400, { "replay-nonce": "x" }),
      /the directory says badNonce/,
    ],
    ["that sends no nonce", /^\/nonce-plz$/, () => status(200), /the directory sent no nonce/],
    ["whose authorization stays pending", /^\/(?:authZ\/|none$)/, pending, UNSETTLED],
    ["whose order stays pending", /^\/my-order\//, () => Response.json({ status: "pending" }), UNSETTLED],
  ];
  for (const [what, path, response, says, waitMs = 400] of FAULTS) {
    test(`a directory ${what} delays only the order`, async () => {
      let asked = 0;
      directory.intercept = (requested) => {
        if (!path.test(requested)) return undefined;
        asked ||= Date.now();
        return response();
      };
      const limit = (late: RegExp): number => (says === late ? 300 : patient(20_000));
      const deps = { requestMs: limit(TIMEOUT), settleMs: limit(UNSETTLED), firstPauseMs: 400 };
      await using one = await Keeping.start({ directory, httpPort, acme: { domains: ["a.test"] }, deps });
      await until("the request", () => (asked > 0 ? true : undefined));
      expect((await fetch(`http://127.0.0.1:${httpPort}/`)).status).toBe(200);
      expect(await one.says(/Cannot get a certificate for a\.test from localhost:\d+: /)).toMatch(says);
      const requests = directory.asked.filter((requested) => path.test(requested)).length;
      let next = 0;
      directory.intercept = () => {
        next ||= Date.now();
        return undefined;
      };
      const { next_attempt_ms: at } = Object(one.events[0]?.details);
      const details = { domain: "a.test", attempts: 1 };
      expect([one.orders, one.events]).toMatchObject([
        ["failed"],
        [{ kind: "certificate", outcome: "failed", details }],
      ]);
      await one.says(/got a certificate for a\.test/);
      expect([at >= asked + waitMs, next >= at, one.orders]).toEqual([true, true, ["failed", "issued"]]);
      // A nonce is tried 21 times.
      expect(requests).toBeLessThanOrEqual(21);
    });
  }

  test("the pauses of an order leave no listener at its signal", async () => {
    await using one = await Keeping.start({ directory, httpPort, acme: { domains: ["a.test"] } });
    await one.says(/got a certificate for a\.test/);
    const { settings } = one;
    if (settings === undefined) throw new Error("no settings");
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>): void => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
      listeners -= 1;
      remove(...args);
    };
    let pauses = 0;
    directory.intercept = (path) =>
      path.startsWith("/my-order/") && (pauses += 1) < 3 ? Response.json({ status: "processing" }) : undefined;
    const issuer = new Issuer({
      settings,
      store: new FileCertificates(`${one.folder}/other`),
      clock: Date.now,
      gateway: "gateway-a",
      signal,
      settleMs: 10_000,
      requestMs: 10_000,
      show: async () => {},
    });
    await issuer.issue("b.test");
    expect([pauses >= 3, listeners]).toEqual([true, 0]);
  });
});
