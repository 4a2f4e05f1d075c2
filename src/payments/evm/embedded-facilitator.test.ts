import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { PAYEE } from "../testing/payment.ts";
import { transferCall } from "./eip3009/calls.ts";
import { openShop, type Shop } from "./testing/shop.ts";

describe.skipIf(!hasChain)("the embedded facilitator", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  test("lists its kinds", async () => {
    const facilitator = await shop.facilitator();
    expect(await facilitator.supported()).toContainEqual({
      scheme: "exact",
      network: "eip155:84532",
      sponsoring: ["eip2612GasSponsoring"],
    });
  });

  test("verifies a payment without changing anything, and settles it: the money moves", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const before = await shop.token.balanceOf(PAYEE);
    expect(await facilitator.verify(payment, shop.requirements)).toEqual({ kind: "valid", payer: payer.address });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n);
    expect(await facilitator.find(payment, shop.requirements)).toEqual({ kind: "unspent" });

    const settlement = await facilitator.settle(payment, shop.requirements);
    expect(settlement.kind).toBe("settled");
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
    expect(await shop.token.balanceOf(PAYEE)).toBe(before + 10_000n);
    expect(await facilitator.find(payment, shop.requirements)).toEqual(settlement as never);
  });

  test("settles the same payment once, however many callers ask for it", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const copies = Array.from({ length: 5 }, () => structuredClone(payment));
    const settlements = await Promise.all(copies.map((copy) => facilitator.settle(copy, shop.requirements)));
    const again = await facilitator.settle(payment, shop.requirements);
    const other = await (await shop.facilitator()).settle(payment, shop.requirements);
    expect(again.kind).toBe("settled");
    for (const settlement of [...settlements, other]) expect(settlement).toEqual(again);
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("a payment that settles, or has settled, is refused for other requirements", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const larger = { ...shop.requirements, amount: "20000" };
    const settle = (requirements: typeof larger) => facilitator.settle(payment, requirements);
    const [settled, other] = await Promise.all([settle(shop.requirements), settle(larger)]);
    const later = [await settle(larger), await settle({ ...shop.requirements, payTo: payer.address })];
    expect(settled.kind).toBe("settled");
    const amount = { kind: "refused", reason: "invalid_exact_evm_payload_authorization_value_mismatch" } as const;
    const payee = { kind: "refused", reason: "invalid_exact_evm_recipient_mismatch" } as const;
    expect([other, ...later]).toEqual([amount, amount, payee]);
  });

  for (const count of [20, 100]) {
    test(`settles ${count} payments at once with one key`, async () => {
      const facilitator = await shop.facilitator();
      const payer = await shop.payer();
      const payments = await Promise.all(Array.from({ length: count }, () => shop.pay(payer)));
      const settlements = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.requirements)));
      expect(settlements.filter(({ kind }) => kind === "settled")).toHaveLength(count);
      expect(new Set(settlements.map((one) => (one.kind === "settled" ? one.transaction : ""))).size).toBe(count);
      expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 10_000n * BigInt(count));
    });
  }

  test("counts a payment as settled if another account has sent it before", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const { authorization, signature } = payment.payload;
    const hash = await shop.chain.send({ to: shop.token.address, data: transferCall(authorization, signature) });
    expect(await facilitator.settle(payment, shop.requirements)).toEqual({
      kind: "settled",
      transaction: hash,
      payer: payer.address,
    });
    expect(await facilitator.verify(payment, shop.requirements)).toEqual({
      kind: "refused",
      reason: "invalid_exact_evm_nonce_already_used",
    });
  });
});
