/** Kills a gateway between a deposit for later work and the delivery: the deposit is made once, and pays for what was done. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type ChannelPayment } from "../../src/payments/x402/channel-messages.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { ChannelTill } from "./channel-till.ts";
import { insist, never, PRICE, send, Stall } from "./market.ts";

// A lease lasts, and many processes start at once.
setDefaultTimeout(patient(90_000));
/** More than sockets hold, so that a client that does not read stops the delivery. */
const JOB = Buffer.alloc(24 * 1024 * 1024, "job ");
const DUE = "4000";

let till: ChannelTill;
const stalls: Stall[] = [];

beforeAll(async () => {
  if (hasChain) till = await ChannelTill.open();
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await Promise.all(stalls.map((stall) => stall.close()));
  await till?.close();
});

/** The gateway is killed at a call to the node, before or after the node has it, or while it delivers. */
const POINTS = [
  ["before the deposit is sent", { method: "eth_sendRawTransaction", isAfter: false }],
  ["after the deposit was sent, before it knows of that", { method: "eth_sendRawTransaction", isAfter: true }],
  ["after the deposit, while it delivers", undefined],
] as const;

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  if (!hasChain || (kind === "postgres" && !hasPostgres)) return;
  let database: SharedPostgres | undefined;

  beforeAll(async () => {
    if (kind === "postgres") database = await sharedPostgres();
  });

  /** A stall whose upstream works on after its response, and the calls that say what is paid. */
  async function openStall(): Promise<{ stall: Stall; told: object[]; open: () => Store }> {
    const user = await database?.newUser();
    const url = user === undefined ? undefined : database?.url(user);
    const stall = new Stall(till.market, till.terms(Number(PRICE)), {
      x402: { channels: { deposit_requests: 1, authorizer_key_env: "TEST_APPROVAL_KEY" } },
      ...(url === undefined ? {} : { postgres: { url } }),
    });
    stalls.push(stall);
    const told: object[] = [];
    stall.sell = async (request) => {
      if (!new URL(request.url).pathname.startsWith("/charges/")) {
        return new Response(JOB, { status: 202, headers: { "settlement-deferral": '{"path":"/charges/1"}' } });
      }
      told.push((await request.json()) as object);
      return Response.json({ due: DUE, ended: true });
    };
    await stall.open();
    const open = (): Store =>
      user === undefined || database === undefined
        ? openStore(join(stall.state, "turnpike.db"))
        : openPostgresStore(database.settings({ user }));
    return { stall, told, open };
  }

  test.concurrent.each(POINTS)("killed %s", async (_name, point) => {
    const { stall, told, open } = await openStall();
    const [asked] = (await stall.challenge()).accepts;
    if (asked === undefined) throw new Error("the stall accepts no payment");
    const payment = decodeHeader(await till.signed(asked)) as ChannelPayment & PaymentPayload; // The till has made it.
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    if (point !== undefined) {
      stall.rpcHand = async ({ methods, forward }) => {
        if (!methods.includes(point.method)) return forward();
        if (point.isAfter) await forward();
        resolve();
        return never();
      };
    }
    const sent = send(stall, payment).catch(() => undefined);
    if (point === undefined) expect((await sent)?.status).toBe(202);
    else await reached;
    await stall.crash();
    const cut = await (await sent)?.arrayBuffer().catch(() => undefined);
    expect(cut).toBeUndefined();

    await stall.open();
    const response = await insist(stall, payment);
    expect([response.status, response.headers.get("payment-response")]).toEqual([202, null]);
    expect(Buffer.from(await response.arrayBuffer()).equals(JOB)).toBe(true);
    await until(() => told.some((word) => "closed" in word), patient(60_000), "the charge is made");
    expect(told.at(-1)).toMatchObject({ paid: DUE, closed: true });
    // The deposit was all that the payer had.
    expect(await till.market.token.balanceOf(payment.payload.channelConfig.payer)).toBe(0n);
    const store = open();
    try {
      await store.ready();
      const [channel] = await store.channels.list(undefined, 2);
      expect(channel).toMatchObject({ charged: DUE, holder: "" });
    } finally {
      await store.close();
    }
    const other = await fetch(`${stall.url}?another`, { headers: { "payment-signature": encodeHeader(payment) } });
    expect([402, 409]).toContain(other.status);
  });
});
