/**
 * Payments at several gateways with one PostgreSQL: one gateway is killed at each step of a payment, and the clocks of
 * others jump by an hour.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { LEASE_MS } from "../../src/store/ledger.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { type FacilitatorCall } from "../payments/counting-facilitator.ts";
import { ask, type Asked, HOST, PLAIN, type Reply, type Shop, Shops } from "../payments/shops.ts";
import { never } from "../payments/market.ts";
import { Http2Client, requestFields } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";

setDefaultTimeout(patient(60_000));

const SETTLES = ["before", "after"] as const;
type Settle = (typeof SETTLES)[number];

/** The steps at which a gateway is killed. */
const STEPS = ["verify", "upstream", "settle", "settled, reply lost", "delivery"] as const;
type Step = (typeof STEPS)[number];

/**
 * Runs of the upstream. A response is shared when it is complete and paid; before that, the upstream works again. With
 * settlement in advance, responses are not kept.
 */
const RUNS: Readonly<Record<Settle, Readonly<Record<Step, number>>>> = {
  before: { verify: 1, upstream: 2, settle: 1, "settled, reply lost": 1, delivery: 2 },
  after: { verify: 1, upstream: 2, settle: 2, "settled, reply lost": 2, delivery: 1 },
};

/** A lease must end first: only `npm run test:fleet` kills the gateway. */
const isLong = Number(Bun.env["TURNPIKE_TEST_FLEET"] ?? 0) > 0;
const RETRY_MS = 200;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SHIFT = join(import.meta.dir, "shifted-clock.ts");

interface Purchase {
  readonly nonce: string;
  readonly asked: Asked;
}

let shops: Shops;
let database: SharedPostgres;
let postgres: object;
let right: Shop;
let jumping: Shop;
let clockFile: string;
/** The responses of the facilitator that differ from the usual ones, by nonce and path. */
const hands = new Map<string, (call: FacilitatorCall) => Promise<Response>>();
/** Requests whose upstream does not respond, by path and query. */
const silent = new Map<string, () => void>();

function buy(settle: Settle, name: string, validBefore?: number): Purchase {
  const extra = settle === "before" ? { ...REQUIREMENTS.extra, paymentFlow: "upfront" } : REQUIREMENTS.extra;
  const change = validBefore === undefined ? {} : { validBefore: String(validBefore) };
  const signed = signedPayment(Date.now() / 1000, change);
  const { nonce } = signed.payload.authorization;
  const payment = { ...signed, accepted: { ...REQUIREMENTS, maxTimeoutSeconds: 300, extra } };
  const path = `/${settle}?${encodeURIComponent(name)}-${nonce}`;
  return { nonce, asked: { path, headers: { "payment-signature": encodeHeader(payment) } } };
}

function open(environment: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const terms = { ...TERMS, max_timeout_seconds: 300 };
  const routes = [
    { path_prefix: "/before", upstream: "origin", x402: { ...terms, settle: "before" } },
    { path_prefix: "/after", upstream: "origin", x402: terms },
  ];
  return shops.open({ postgres, routes }, environment);
}

function jump(ms: number): void {
  writeFileSync(clockFile, String(ms));
}

/** Waits until the gateway's clock is off by this time. */
async function hasJumped(ms: number): Promise<void> {
  await until(() => readFileSync(`${clockFile}.seen`, "utf8") === String(ms));
}

/** Repeats the request as the responses ask for, and returns the first response that does not. */
async function insist(shop: Shop, { asked }: Purchase): Promise<Reply> {
  let last: Reply | undefined;
  await until(
    async () => {
      await Bun.sleep(RETRY_MS);
      last = await ask("HTTP/1.1", shop, asked);
      return last.headers["retry-after"] === undefined;
    },
    patient(6 * LEASE_MS),
    `${asked.path}: a final response`,
  );
  if (last === undefined) throw new Error("No response came");
  return last;
}

describe.skipIf(!hasPostgres)("gateways with one database", () => {
  beforeAll(async () => {
    shops = new Shops();
    shops.facilitator.hand = (call) => hands.get(`${call.path} ${call.nonce}`)?.(call);
    shops.sell = async ({ url }) => {
      const { pathname, search } = new URL(url);
      const reached = silent.get(pathname + search);
      reached?.();
      return reached === undefined ? undefined : await never();
    };
    database = await sharedPostgres();
    postgres = { url: database.url(await database.newUser()) };
    clockFile = shops.folder.write("clock", "0");
    writeFileSync(`${clockFile}.seen`, "0");
    const environment = { BUN_OPTIONS: `--preload=${SHIFT}`, TURNPIKE_TEST_SHIFT_FILE: clockFile };
    [right, jumping] = await Promise.all([open(), open(environment)]);
  });

  afterAll(async () => {
    await shops?.close();
  });

  test.each([MINUTE_MS, -MINUTE_MS, HOUR_MS, -HOUR_MS])(
    "the clock of a gateway jumps by %d ms: paid responses are delivered, and no payment is taken twice",
    async (ms) => {
      const sold = buy("after", "sold");
      const first = await ask("HTTP/1.1", right, sold.asked);
      const going = SETTLES.map((settle) => buy(settle, "going"));
      const reached = going.map(({ nonce }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        hands.set(`/settle ${nonce}`, async ({ usual }) => {
          resolve();
          await hasJumped(ms);
          return usual();
        });
        return promise;
      });
      const replies = going.map(({ asked }) => ask("HTTP/1.1", jumping, asked));
      await Promise.all(reached);
      jump(ms);
      const settled = await Promise.all(replies);
      expect(settled.map(({ status }) => status)).toEqual([200, 200]);
      expect(going.map(({ nonce }) => shops.facilitator.settles.get(nonce))).toEqual([1, 1]);
      const again = await ask("HTTP/1.1", jumping, sold.asked);
      expect([again.status, again.body]).toEqual([200, first.body]);
      // A payment that is made now fits a clock that is off by a minute, and not one that is off by an hour.
      const fresh = buy("after", "fresh", Math.floor(Date.now() / 1000) + 200);
      const reply = await ask("HTTP/1.1", jumping, fresh.asked);
      const isNear = Math.abs(ms) <= MINUTE_MS;
      expect([reply.status, shops.facilitator.transfers.has(fresh.nonce)]).toEqual(isNear ? [200, true] : [402, false]);
      jump(0);
      await hasJumped(0);
      expect((await ask("HTTP/1.1", right, fresh.asked)).status).toBe(200);
      expect(shops.facilitator.settles.get(fresh.nonce)).toBe(1);
    },
  );

  test.skipIf(!isLong)(
    "a gateway is killed at each step of a payment, and another one takes the payment to its end",
    async () => {
      const killed = await open();
      const purchases = SETTLES.flatMap((settle) => STEPS.map((step) => ({ ...buy(settle, step), settle, step })));
      const lost = buy("after", "lost");
      const begun = purchases.map((purchase) => stopAt(purchase.step, purchase, killed));
      begun.push(stopAt("settled, reply lost", lost, killed));
      // This facilitator never learns of the result.
      hands.set(`/find ${lost.nonce}`, async () => Response.json({ outcome: "unknown" }));
      await Promise.all(begun);
      await killed.gateway.kill();
      for (const { asked, nonce } of [...purchases, lost]) {
        silent.delete(asked.path);
        hands.delete(`/verify ${nonce}`);
        hands.delete(`/settle ${nonce}`);
      }
      const ends = await Promise.all(purchases.map((purchase) => insist(right, purchase)));
      for (const [i, { step, settle, nonce, asked }] of purchases.entries()) {
        const { facilitator } = shops;
        expect([step, settle, ends[i]?.status, facilitator.transfers.has(nonce)]).toEqual([step, settle, 200, true]);
        expect([step, settle, shops.runs(asked.path)]).toEqual([step, settle, RUNS[settle][step]]);
        expect(facilitator.settles.get(nonce)).toBeLessThanOrEqual(step === "settle" ? 2 : 1);
      }
      const pending = await ask("HTTP/1.1", right, lost.asked);
      expect([pending.status, pending.headers["retry-after"] !== undefined]).toEqual([503, true]);
      await until(async () => {
        const metrics = await fetch(`http://127.0.0.1:${right.gateway.port}/metrics`);
        return (await metrics.text()).includes("turnpike_payments_open 1\n");
      }, patient(10_000));
    },
    patient(8 * LEASE_MS),
  );
});

/** Sends the request, and resolves when it is at this step and goes no further. */
async function stopAt(step: Step, { nonce, asked }: Purchase, shop: Shop): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const halt = async (): Promise<Response> => {
    resolve();
    return await never();
  };
  if (step === "verify") hands.set(`/verify ${nonce}`, halt);
  if (step === "settle") hands.set(`/settle ${nonce}`, halt);
  if (step === "upstream") silent.set(asked.path, resolve);
  if (step === "settled, reply lost") {
    hands.set(`/settle ${nonce}`, ({ usual }) => {
      usual();
      return halt();
    });
  }
  if (step !== "delivery") {
    void ask("HTTP/1.1", shop, asked).catch(() => {});
    return await promise;
  }
  // A client whose window is shut gets the head and no body.
  const client = await Http2Client.ready(shop.gateway.port, [h2.INITIAL_WINDOW_SIZE, 0]);
  const fields = requestFields(asked.path, "GET", Object.entries({ ...PLAIN, ...asked.headers }));
  client.send(
    h2.frame(
      h2.HEADERS,
      h2.END_BOTH,
      1,
      block(fields.map(([name, value]) => [name, name === ":authority" ? HOST : value])),
    ),
  );
  await client.sees("the head", ({ type }) => type === h2.HEADERS);
}
