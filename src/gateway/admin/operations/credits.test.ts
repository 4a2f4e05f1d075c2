import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { PAYER, PRIVATE_KEY } from "../../../payments/testing/payment.ts";
import { MAX_CREDIT_DIGITS, type NewCredit, purchaseOf } from "../../../store/credits.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { AdminRig, OWNER, READ_ONLY_KEY, SELLING, USDC, type RigResponse } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

let rig: AdminRig;

beforeAll(async () => {
  rig = await AdminRig.start(SELLING);
});
afterAll(async () => {
  delete process.env["SELLER_KEY"];
  await rig[Symbol.asyncDispose]();
});

const issue = (body: object): Promise<RigResponse> => rig.call("POST", "/v1/credits", { body });
const issued = async (body: object): Promise<{ id: string }> =>
  (await issue({ owner: OWNER, network: "base-sepolia", ...body })).body.credit;

function nonceOf(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

describe("prepaid credit", () => {
  test("without x402.credit is not found", async () => {
    await using other = await AdminRig.start();
    for (const [method, path] of [
      ["GET", "/v1/credits"],
      ["GET", "/v1/credits/x"],
      ["DELETE", "/v1/credits/x"],
    ] as const) {
      expect((await other.call(method, path)).body).toMatchObject({ status: 404, code: "not_found" });
    }
  });

  test("is issued in dollars, in atomic units, as calls, or for a time", async () => {
    const before = Date.now();
    const { status, body, headers } = await issue({
      owner: OWNER,
      network: "base-sepolia",
      amount: "$5",
      seconds: 60,
      routes: ["/read"],
      name: "five",
    });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { token, credit } = body;
    expect(token).toMatch(new RegExp(`^tpc_${credit.id}_[\\w-]{43}$`));
    expect(credit).toMatchObject({
      owner: OWNER.toLowerCase(),
      unit: "money",
      name: "five",
      network: "eip155:84532",
      asset: USDC,
      symbol: "USDC",
      balance: "5000000",
      routes: ["/read"],
      state: "active",
    });
    expect(credit.expires_ms).toBeWithin(before + 60_000, Date.now() + 60_001);
    expect(rig.messages.at(-1)).toBe(`issued the credit ${credit.id} to ${OWNER.toLowerCase()}`);
    expect(rig.told.at(-1)).toMatchObject({
      kind: "change",
      outcome: "done",
      by: { kind: "operator", key: "api_key" },
    });
    expect(await issued({ amount: "7" })).toMatchObject({ unit: "money", balance: "7", expires_ms: 0, routes: [] });
    expect(await issued({ calls: 9 })).toMatchObject({ unit: "calls", balance: "9", expires_ms: 0 });
    const pass = await issued({ calls: 9, seconds: 60 });
    expect(pass).toMatchObject({ unit: "calls", balance: "9" });
    expect(await issued({ seconds: 60 })).toMatchObject({ unit: "time", balance: "0" });
    expect(await issued({ network: undefined, amount: "$1" })).toMatchObject({ network: "eip155:84532", asset: USDC });
    expect(await issued({ network: "base", amount: "$1" })).toMatchObject({ network: "eip155:8453", symbol: "USDC" });
    const other = `0x${"AB".repeat(20)}`;
    expect(await issued({ asset: other, amount: "12" })).toMatchObject({ asset: other.toLowerCase(), balance: "12" });
    const { text } = await rig.call("GET", "/v1/credits");
    expect(text).not.toContain(token);
    expect(text).not.toContain(token.slice(-43));
    expect(rig.messages.join()).not.toContain(token);
  });

  const LARGEST = "9".repeat(MAX_CREDIT_DIGITS - 1);

  test.each<[object, string, string]>([
    [{ owner: "0x1" }, "owner", "expected an address"],
    [{}, "amount", "is missing"],
    [{ amount: "5", calls: 5 }, "calls", "excludes amount"],
    [{ calls: 0 }, "calls", ">=1"],
    [{ calls: 1_000_000_001 }, "calls", "<=1000000000"],
    [{ seconds: 0 }, "seconds", ">=1"],
    [{ seconds: 315_360_001 }, "seconds", "<=315360000"],
    [{ amount: "5", network: "mars" }, "network", 'is unknown: "mars"'],
    [{ amount: "5", asset: "EUR" }, "asset", "is unknown on eip155:84532"],
    [{ amount: "5", asset: `0x${"1".repeat(39)}` }, "asset", "is unknown"],
    [{ amount: "$5", asset: `0x${"1".repeat(40)}` }, "amount", "must be in atomic units of this asset"],
    [{ amount: "0" }, "amount", ""],
    [{ amount: "-5" }, "amount", ""],
    [{ amount: "$0.0000001" }, "amount", ""],
    [{ amount: `${LARGEST}0` }, "amount", "is too large"],
    [{ calls: 1, name: "x".repeat(65) }, "name", "<=64"],
    [{ calls: 1, routes: [""] }, "routes.0", ""],
    [{ calls: 1, routes: ["/read", "/raed"] }, "routes.1", 'there is no priced route "/raed"'],
    [{ calls: 1, routes: Array(257).fill("/") }, "routes", "<=256"],
    [{ calls: 1, other: 1 }, "", "other"],
  ])("%j is refused", async (change, path, message) => {
    const count = rig.messages.length;
    const { status, body } = await issue({ owner: OWNER, network: "base-sepolia", ...change });
    expect([status, body.code, body.errors[0].path]).toEqual([400, "invalid_parameters", path]);
    expect(body.errors[0].message).toContain(message);
    expect(body.errors[0].message).not.toContain("Cannot issue");
    expect(rig.messages).toHaveLength(count);
  });

  test("of the largest amount is issued", async () => {
    expect(await issued({ amount: LARGEST })).toMatchObject({ balance: LARGEST });
  });

  test("is listed in pages of 100, the newest first, also of one wallet", async () => {
    const owner = `0x${"ab".repeat(20)}`;
    const terms = {
      owner,
      unit: "calls",
      name: "",
      network: "eip155:84532",
      token: USDC,
      routes: [],
      expiresAt: 0,
    } as const;
    const ids: string[] = [];
    const add = async (): Promise<void> => {
      rig.now += 1;
      const id = `page${ids.length}`;
      const credit: NewCredit = { ...terms, id, hash: id };
      await rig.opened.credits.open(credit, { id: `grant${id}`, kind: "issued", amount: "1", payment: "" });
      ids.unshift(id);
    };
    const page = async (query = ""): Promise<unknown> => {
      const { credits, more } = (
        await rig.call("GET", `/v1/credits?owner=${owner.toUpperCase().replace("X", "x")}${query}`)
      ).body;
      return [credits.map(({ id }: { id: string }) => id), more];
    };
    for (let i = 0; i < 100; i++) await add();
    expect(await page()).toEqual([ids, false]);
    await add();
    expect(await page()).toEqual([ids.slice(0, 100), true]);
    expect(await page("&before=page1")).toEqual([["page0"], false]);
    const missing = await rig.call("GET", "/v1/credits?before=none");
    expect([missing.status, missing.body.detail]).toEqual([404, 'Cannot find the credit "none"']);
    expect((await rig.call("GET", "/v1/credits?before=page1&before=page2")).status).toBe(400);
  });

  test("is shown with its newest 100 grants, and revoked once", async () => {
    const { id } = await issued({ amount: "1000" });
    for (let i = 0; i < 100; i++) {
      rig.now += 1;
      await rig.opened.credits.add(id, { id: `more${i}`, kind: "bought", amount: "1", payment: nonceOf(i) }, 0);
    }
    const { body } = await rig.call("GET", `/v1/credits/${id}`, { key: READ_ONLY_KEY });
    expect(body.credit).toMatchObject({ id, balance: "1100" });
    expect(body.grants).toHaveLength(100);
    expect(body.grants[0]).toMatchObject({ kind: "bought", amount: "1", payment: nonceOf(99) });
    expect(body.grants[99]).toMatchObject({ kind: "bought", payment: nonceOf(0) });
    expect((await rig.call("GET", "/v1/credits/none")).status).toBe(404);
    const revoke = (key?: string) => rig.call("DELETE", `/v1/credits/${id}`, key === undefined ? {} : { key });
    expect((await revoke(READ_ONLY_KEY)).status).toBe(403);
    const count = rig.messages.length;
    expect((await revoke()).body).toMatchObject({ id, state: "revoked", balance: "1100" });
    expect((await revoke()).body).toMatchObject({ id, state: "revoked" });
    expect(rig.messages.slice(count)).toEqual([`revoked the credit ${id}`]);
    expect((await rig.call("DELETE", "/v1/credits/none")).status).toBe(404);
  });

  test("that was given back by other means is recorded once for each transaction", async () => {
    const { id } = await issued({ amount: "$5" });
    const refund = (body: object, of = id) => rig.call("POST", `/v1/credits/${of}/refunds`, { body });
    const count = rig.messages.length;
    const refused = { status: 409, code: "refund_refused" };
    expect((await refund({ transaction: "0xa", amount: "$6" })).body).toMatchObject(refused);
    for (let i = 0; i < 2; i++) {
      const { body } = await refund({ transaction: "0xa", amount: "$2" });
      expect(body).toMatchObject({ credit: { balance: "3000000" }, refunds: [] });
    }
    // The same transaction can belong to another credit.
    const { id: other } = await issued({ amount: "$5" });
    expect((await refund({ transaction: "0xa", amount: "$2" }, other)).body.credit.balance).toBe("3000000");
    expect((await refund({ transaction: "0xb" })).body).toMatchObject({ credit: { balance: "0" } });
    expect((await refund({ transaction: "0xc" })).body).toMatchObject(refused);
    expect((await refund({ transaction: "0xb" })).status).toBe(200);
    const { id: pass } = await issued({ calls: 5 });
    expect((await refund({ transaction: "0xd", amount: "1" }, pass)).body).toMatchObject(refused);
    expect((await refund({ transaction: "0xd", amount: "1.5.5" })).body).toMatchObject({ status: 400 });
    for (const body of [{ other: 1 }, { amount: 5 }, { transaction: "0xe", amount: "1".repeat(101) }, []])
      expect((await refund(body)).body).toMatchObject({ status: 400, code: "invalid_parameters" });
    expect((await refund({ transaction: "0xa" }, "none")).status).toBe(404);
    expect(rig.messages.slice(count).filter((text) => text.startsWith("refunded"))).toEqual([
      `refunded 2000000 units of the credit ${id} by 0xa`,
      `refunded 2000000 units of the credit ${other} by 0xa`,
      `refunded 3000000 units of the credit ${id} by 0xb`,
    ]);
    // Nothing was bought, so there is nothing to send.
    expect((await refund({})).body).toMatchObject({ ...refused, detail: expect.stringContaining("issued credit") });
  });

  test("is sent back as refunds of its purchases", async () => {
    process.env["SELLER_KEY"] = PRIVATE_KEY;
    await using own = await AdminRig.start({ x402: { ...SELLING.x402, refunds: { key_envs: ["SELLER_KEY"] } } });
    const reservation = { ...RESERVATION, asset: USDC, token: USDC, from: PAYER.toLowerCase(), payTo: PAYER };
    const { payment } = await own.opened.ledger.reserve(reservation);
    const settled = {
      state: "settled",
      delivered: true,
      lease: false,
      transaction: `0x7e577e57${"1".repeat(56)}`,
    } as const;
    expect(await own.opened.ledger.move(payment, settled)).toBe(true);
    const { network, asset, from, nonce } = payment;
    const credit: NewCredit = {
      id: "bought1",
      hash: "hash",
      owner: from,
      unit: "money",
      name: "",
      network,
      token: USDC,
      routes: [],
      expiresAt: 0,
    };
    const grant = {
      id: purchaseOf({ network, asset, from, nonce }),
      kind: "bought",
      amount: "10000",
      payment: nonce,
    } as const;
    expect(await own.opened.credits.open(credit, grant)).toBe("bought1");
    const { status, body } = await own.call("POST", "/v1/credits/bought1/refunds", {
      body: { amount: "4000", id: "part" },
    });
    expect(own.errors).toEqual([]);
    expect([status, body]).toEqual([
      200,
      {
        credit: expect.objectContaining({ id: "bought1", balance: "6000" }),
        refunds: [expect.objectContaining({ id: "part", amount: "4000", payment: nonce })],
      },
    ]);
    expect(own.told).toContainEqual(
      expect.objectContaining({ by: { kind: "operator", key: "api_key", address: "127.0.0.1" } }),
    );
  });

  test("is not changed by the read-only key", async () => {
    const { id } = await issued({ amount: "$1" });
    for (const [path, body] of [
      ["/v1/credits", { owner: OWNER, calls: 1 }],
      [`/v1/credits/${id}/refunds`, { transaction: "0x1" }],
    ] as const) {
      expect((await rig.call("POST", path, { key: READ_ONLY_KEY, body })).body).toMatchObject({
        status: 403,
        code: "forbidden",
      });
    }
    expect((await rig.call("GET", `/v1/credits/${id}`)).body.credit.balance).toBe("1000000");
  });
});
