import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { type Change, type Payment, type Reservation } from "../../../store/ledger.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { AdminRig, READ_ONLY_KEY, SELLING, USDC } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

/** The days around the clock of the rig. */
const [YESTERDAY, TODAY, TOMORROW] = ["2027-01-14", "2027-01-15", "2027-01-16"];

interface PaymentFigures {
  readonly id: string;
  readonly refunded: string;
}

let rig: AdminRig;

beforeAll(async () => {
  rig = await AdminRig.start(SELLING);
});
afterAll(() => rig[Symbol.asyncDispose]());

function nonceOf(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

const search = (query: string) => rig.call("GET", `/v1/payments/search?${query}`, { key: READ_ONLY_KEY });

async function paid(number: number, own: Partial<Reservation> = {}, change: Partial<Change> = {}): Promise<Payment> {
  const reservation = { ...RESERVATION, token: USDC, nonce: nonceOf(number), ...own };
  const { leased, payment } = await rig.opened.ledger.reserve(reservation);
  expect(leased).toBe(true);
  const settled = { state: "settled", delivered: true, lease: false, transaction: `0xfeed${number}` } as const;
  expect(await rig.opened.ledger.move(payment, { ...settled, ...change })).toBe(true);
  return payment;
}

describe("payments", () => {
  const PAYER = "0x00000000000000000000000000000000000000aa";
  let first: Payment;

  beforeAll(async () => {
    rig.now += 1000;
    first = await paid(1, { from: PAYER, route: "/a", amount: "10" });
    rig.now += 1000;
    await paid(2, { from: "0xb", route: "/a", amount: "30" }, { delivered: false });
    rig.now += 1000;
    await paid(3, { from: PAYER, route: "/b", amount: "5", token: "0xother" });
    await rig.opened.ledger.reserve({ ...RESERVATION, nonce: nonceOf(4), route: "/b" });
  });

  test.each<[query: string, found: readonly number[]]>([
    ["", [4, 3, 2, 1]],
    ["text=", [4, 3, 2, 1]],
    ["text=%20/a%20", [2, 1]],
    ["text=/none", []],
    [`text=${PAYER}`, [3, 1]],
    [`text=${PAYER.toUpperCase().replace("X", "x")}`, [3, 1]],
    ["state=settled", [3, 2, 1]],
    ["state=reserved", [4]],
    ["state=owed", [2]],
    [`text=${nonceOf(2)}`, [2]],
    ["text=0xfeed2", [2]],
    ["text=feed", [3, 2, 1]],
    ["text=feed&state=owed", [2]],
    ["text=feed&state=reserved", []],
    ["text=feed&state=settled", [3, 2, 1]],
    ["state=refunded", []],
    ["text=feed&state=refunded", []],
    [`from=${TODAY}&to=${TODAY}`, [4, 3, 2, 1]],
    [`from=${TODAY}&to=`, [4, 3, 2, 1]],
    [`from=${TOMORROW}`, []],
    [`to=${YESTERDAY}`, []],
    [`text=feed&from=${TODAY}&to=${TODAY}`, [3, 2, 1]],
    [`text=feed&from=${TOMORROW}`, []],
    [`text=feed&to=${YESTERDAY}`, []],
  ])("are found by %j", async (query, found) => {
    const { status, body } = await search(query);
    expect([status, body.payments.map(({ id }: { id: string }) => Number(id))]).toEqual([200, found as number[]]);
    expect(body).not.toHaveProperty("next");
  });

  test.each([
    "text=fee",
    "text=hello",
    "state=open",
    "from=2026-1-1",
    "to=2026-02-30",
    "from=x",
    "before=x",
    "before=e30",
    `before=${btoa("[1]")}`,
  ])("are not searched by %j", async (query) => {
    expect((await search(query)).body).toMatchObject({ status: 400, code: "bad_request" });
  });

  test.each([{ createdAt: "1" }, { createdAt: 1.5 }, { network: 1 }, { asset: null }, { from: [] }, { nonce: {} }])(
    "are not searched before the forged place %j",
    async (change) => {
      const place = { createdAt: 1, network: "", asset: "", from: "", nonce: "", ...change };
      const before = Buffer.from(JSON.stringify(place)).toString("base64url");
      expect((await search(`before=${before}`)).body).toMatchObject({ status: 400, code: "bad_request" });
    },
  );

  test("are in pages of 50", async () => {
    for (let i = 100; i < 151; i++) {
      rig.now += 1;
      await paid(i, { route: "/pages" });
    }
    const newest = await search("text=/pages");
    expect(newest.body.payments).toHaveLength(50);
    expect(Number(newest.body.payments[0].id)).toBe(150);
    expect(newest.body).not.toHaveProperty("searched_to_ms");
    const { body } = await search(`text=/pages&before=${newest.body.next}`);
    expect(body.payments.map(({ id }: { id: string }) => Number(id))).toEqual([100]);
    expect(body).not.toHaveProperty("next");
  });

  test("of one nonce are shown with their refunds, and never with their payload", async () => {
    const { status, body, text } = await rig.call("GET", `/v1/payments/${nonceOf(1).toUpperCase().replace("X", "x")}`);
    expect([status, body.payments]).toEqual([
      200,
      [expect.objectContaining({ id: nonceOf(1), payer: PAYER, amount: "10", state: "settled", refunds: [] })],
    ]);
    expect(text).not.toContain("payload");
    // Neither a part of a nonce nor a transaction selects a payment here.
    for (const id of [nonceOf(1).slice(0, 20), "0xfeed1"])
      expect((await rig.call("GET", `/v1/payments/${id}`)).status).toBe(404);
  });

  test("are refunded once by each name, and only by the full key", async () => {
    const refund = (body: unknown, key?: string) =>
      rig.call("POST", `/v1/payments/${first.nonce}/refunds`, { body, ...(key === undefined ? {} : { key }) });
    expect((await refund({ transaction: "0xback" }, READ_ONLY_KEY)).status).toBe(403);
    for (const body of [{ amount: 1 }, { other: 1 }, { id: "x".repeat(65) }, { transaction: "x".repeat(129) }, []])
      expect((await refund(body)).body).toMatchObject({ status: 400, code: "bad_request" });
    expect((await refund({ amount: "x".repeat(101) })).body.detail).toStartWith("Cannot read the refund: amount ");
    const done = await refund({ amount: "4", id: "part", transaction: "0xback" });
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({
        id: "part",
        amount: "4",
        state: "recorded",
        decimals: 6,
        symbol: "USDC",
        transaction: "0xback",
        payment: first.nonce,
      }),
    ]);
    expect((await refund({ amount: "4", id: "part", transaction: "0xback" })).body).toEqual(done.body);
    expect((await refund({ amount: "7", transaction: "0xmore" })).body).toMatchObject({
      status: 409,
      code: "refund_refused",
    });
    const { body } = await rig.call("GET", `/v1/payments/${first.nonce}`);
    expect(body.payments[0]).toMatchObject({ refunded: "4", refunds: [{ id: "part" }] });
    for (const query of ["state=refunded", `state=refunded&text=${first.nonce}`]) {
      const { body: found } = await search(query);
      expect(found.payments.map(({ id, refunded }: PaymentFigures) => [id, refunded])).toEqual([[first.nonce, "4"]]);
    }
    const none = await rig.call("POST", "/v1/payments/0xnone/refunds", { body: {} });
    expect(none.body).toMatchObject({ status: 404, code: "not_found" });
  });

  test("are added up by payer, at most ten of each token, the largest first", async () => {
    for (let i = 300; i < 312; i++) await paid(i, { from: `0xp${i}`, amount: String(i), token: "0xtop" });
    const { body } = await rig.call("GET", "/v1/payments/payers?days=1");
    const top = body.payers.filter(({ asset }: { asset: string }) => asset === "0xtop");
    expect(top.map(({ amount }: { amount: string }) => Number(amount))).toEqual([
      311, 310, 309, 308, 307, 306, 305, 304, 303, 302,
    ]);
    expect(top[0]).toEqual({ payer: "0xp311", network: "eip155:84532", asset: "0xtop", amount: "311", payments: 1 });
    const known = body.payers.filter(({ asset }: { asset: string }) => asset === USDC);
    expect(known.map(({ symbol }: { symbol: string }) => symbol)).toContain("USDC");
    expect(body.since_ms).toBe(rig.now - 86_400_000);
  });

  test.each(["0", "31", "100", "1.5", "-1", "x", ""])("are not added up over %j days", async (days) => {
    const { body } = await rig.call("GET", `/v1/payments/payers?days=${days}`);
    expect(body).toMatchObject({ status: 400, detail: "Cannot read days: it must be a number from 1 to 30" });
  });

  test("are added up over 30 days at most, and by default", async () => {
    for (const query of ["", "?days=30"]) {
      const { body } = await rig.call("GET", `/v1/payments/payers${query}`);
      expect(body.since_ms).toBe(rig.now - 30 * 86_400_000);
    }
  });
});
