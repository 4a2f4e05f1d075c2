import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { type Permit2Authorization } from "../../signatures/permit2-typed-data.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { PAYEE } from "../../testing/payment.ts";
import { PERMIT2, PROXIES } from "../../x402/transfer.ts";
import { encodeCall } from "../node/abi.ts";
import { freshAccount, type OpenFacilitator } from "../testing/shop.ts";
import { settleCall } from "./calldata.ts";
import { openPermit2Shop, type Permit2Shop } from "./testing/permit2-shop.ts";

describe.skipIf(!hasChain)("Permit2 payments on a chain", () => {
  let shop: Permit2Shop;
  let facilitator: OpenFacilitator;
  let upto: PaymentRequirements;
  beforeAll(async () => {
    shop = await openPermit2Shop();
    facilitator = await shop.facilitator();
    upto = shop.upto(facilitator.account.address);
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  const charging = (amount: string): PaymentRequirements => ({ ...upto, amount });

  test("both schemes are listed, and upto names the facilitator", async () => {
    const { account } = facilitator;
    expect(await facilitator.supported()).toEqual([
      { scheme: "exact", network: "eip155:84532", sponsoring: ["eip2612GasSponsoring"] },
      {
        scheme: "upto",
        network: "eip155:84532",
        sponsoring: ["eip2612GasSponsoring"],
        extra: { facilitatorAddress: account.address },
      },
    ]);
  });

  test("exact moves the agreed amount once, even if several callers ask for it", async () => {
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    const before = await shop.token.balanceOf(PAYEE);
    expect(await facilitator.verify(payment, shop.exact)).toEqual({ kind: "valid", payer: payer.address });
    expect(await facilitator.find(payment, shop.exact)).toEqual({ kind: "unspent" });
    const settled = await facilitator.settle(payment, shop.exact);
    expect(settled).toMatchObject({ kind: "settled", payer: payer.address });
    expect(await shop.token.balanceOf(PAYEE)).toBe(before + 10_000n);
    const stranger = await shop.facilitator();
    expect(await facilitator.settle(payment, shop.exact)).toEqual(settled);
    expect(await stranger.settle(payment, shop.exact)).toEqual(settled);
    const found: unknown = await stranger.find(payment, shop.exact);
    expect(found).toEqual(settled);
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
    expect(await facilitator.verify(payment, shop.exact)).toEqual({
      kind: "refused",
      reason: "permit2_invalid_nonce",
    });
  });

  test("upto moves only the charge, and a later charge does not change it", async () => {
    const payer = await shop.buyer();
    const payment = await shop.permit(upto, payer);
    expect(await facilitator.verify(payment, upto)).toEqual({ kind: "valid", payer: payer.address });
    const settled = await facilitator.settle(payment, charging("12345"));
    expect(settled).toMatchObject({ kind: "settled", payer: payer.address });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 12_345n);
    expect(await facilitator.settle(payment, charging("12345"))).toEqual(settled);
    expect(await facilitator.settle(payment, charging("100000"))).toEqual(settled);
    const found: unknown = await facilitator.find(payment, upto);
    expect(found).toEqual(settled);
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 12_345n);
  });

  test("upto settled five times at once with different charges moves one of them", async () => {
    const payer = await shop.buyer();
    const payment = await shop.permit(upto, payer);
    const settlements = await Promise.all(
      ["100", "200", "100", "300", "200"].map((amount) => facilitator.settle(payment, charging(amount))),
    );
    expect(new Set(settlements.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(settlements[0]?.kind).toBe("settled");
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 100n);
  });

  test("a charge above the agreed amount is refused, and no money moves", async () => {
    const payer = await shop.buyer();
    const payment = await shop.permit(upto, payer);
    expect(await facilitator.settle(payment, charging("100001"))).toEqual({
      kind: "refused",
      reason: "invalid_upto_evm_payload_settlement_exceeds_amount",
    });
    expect(await facilitator.find(payment, upto)).toEqual({ kind: "unspent" });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n);
  });

  test("a charge of 0 is settled without a transaction", async () => {
    const payer = await shop.buyer();
    const payment = await shop.permit(upto, payer);
    expect(await facilitator.settle(payment, charging("0"))).toEqual({
      kind: "settled",
      transaction: "",
      payer: payer.address,
    });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n);
  });

  test("a payer with too small an allowance or balance is refused with that reason", async () => {
    const stingy = await shop.buyer(99_999n);
    const verdict = await facilitator.verify(await shop.permit(upto, stingy), upto);
    expect(verdict).toEqual({ kind: "refused", reason: "permit2_allowance_required" });
    const poor = freshAccount();
    await shop.token.approve(poor.address, PERMIT2, 1_000_000n);
    const payment = await shop.permit(upto, poor);
    const refusal = { kind: "refused", reason: "permit2_insufficient_balance" } as const;
    expect(await facilitator.verify(payment, upto)).toEqual(refusal);
    expect(await facilitator.settle(payment, charging("5"))).toEqual(refusal);
  });

  test("another facilitator's payment is refused, and could not be settled", async () => {
    const other = await shop.facilitator();
    const payer = await shop.buyer();
    const payment = await shop.permit(upto, payer);
    const refusal = { kind: "refused", reason: "upto_facilitator_mismatch" } as const;
    expect(await other.verify(payment, upto)).toEqual(refusal);
    expect(await other.settle(payment, charging("5"))).toEqual(refusal);
    const sending = shop.chain.send({ to: PROXIES.upto, data: settleCall(payment, 5n) });
    expect(await sending.catch(String)).toContain("Cannot");
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n);
  });

  const WRONG: readonly (readonly [reason: string, change: (now: number) => Partial<Permit2Authorization>])[] = [
    ["invalid_permit2_spender", () => ({ spender: PROXIES.exact })],
    ["permit2_deadline_expired", (now) => ({ deadline: String(now - 1) })],
    ["permit2_token_mismatch", () => ({ permitted: { token: PAYEE, amount: "100000" } })],
    ["permit2_amount_mismatch", () => ({ permitted: { token: shop.token.address, amount: "99999" } })],
    ["invalid_permit2_signature", () => ({ from: freshAccount().address })],
  ];
  for (const [reason, change] of WRONG) {
    test(`a wrong payment is refused as ${reason}, also at settlement`, async () => {
      const payer = await shop.buyer();
      const payment = await shop.permit(upto, payer, change(await shop.chain.time()));
      const verdict: unknown = await facilitator.verify(payment, upto);
      expect(verdict).toEqual({ kind: "refused", reason });
      expect((await facilitator.settle(payment, charging("5"))).kind).toBe("refused");
    });
  }

  test("a nonce is shared by all tokens and both schemes", async () => {
    const payer = await shop.buyer();
    const second = await shop.chain.deployToken();
    await second.mint(payer.address, 1_000_000n);
    await second.approve(payer.address, PERMIT2, 1_000_000n);
    const payment = await shop.permit(upto, payer, { nonce: "513" });
    expect(await facilitator.settle(payment, charging("5"))).toMatchObject({ kind: "settled" });
    for (const terms of [shop.exact, { ...shop.exact, asset: second.address }, { ...upto, asset: second.address }]) {
      const other = await shop.permit(terms, payer, { nonce: "513" });
      const refusal = { kind: "refused", reason: "permit2_invalid_nonce" } as const;
      expect(await facilitator.verify(other, terms)).toEqual(refusal);
      expect(await facilitator.settle(other, terms)).toEqual(refusal);
      expect(await facilitator.find(other, terms)).toEqual({ kind: "void" });
      const neighbour = await shop.permit(terms, payer, { nonce: String(512 + terms.asset.length) });
      expect((await facilitator.verify(neighbour, terms)).kind).toBe("valid");
    }
  });

  test("a payment that the payer canceled is void", async () => {
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer, { nonce: "259" });
    const data = encodeCall("invalidateUnorderedNonces(uint256,uint256)", [1n, 8n]);
    await shop.chain.send({ from: payer.address, to: PERMIT2, data });
    expect(await facilitator.find(payment, shop.exact)).toEqual({ kind: "void" });
    expect(await facilitator.settle(payment, shop.exact)).toEqual({
      kind: "refused",
      reason: "permit2_invalid_nonce",
    });
  });

  test("a payer that cancels one payment and makes an equal one has paid once", async () => {
    const payer = await shop.buyer();
    const paid = await shop.permit(shop.exact, payer, { nonce: "1" });
    const back = await shop.permit(shop.exact, payer, { nonce: "2" });
    await shop.chain.send({ from: payer.address, to: PROXIES.exact, data: settleCall(paid, 10_000n) });
    const transfer = encodeCall("transfer(address,uint256)", [PAYEE, 10_000n]);
    await shop.chain.send({ from: payer.address, to: shop.token.address, data: transfer });
    const data = encodeCall("invalidateUnorderedNonces(uint256,uint256)", [0n, 4n]);
    await shop.chain.send({ from: payer.address, to: PERMIT2, data });
    expect(await facilitator.settle(paid, shop.exact)).toMatchObject({ kind: "settled" });
    expect(await facilitator.settle(back, shop.exact)).toEqual({ kind: "refused", reason: "permit2_invalid_nonce" });
  });

  test("a contract wallet pays with its owner's signature", async () => {
    const owner = freshAccount();
    const account = await shop.chain.deploy("SmartAccount", [owner.address]);
    await shop.token.mint(account, 1_000_000n);
    await shop.token.approve(account, PERMIT2, 1_000_000n);
    const payment = await shop.permit(upto, owner, { from: account });
    expect(await facilitator.verify(payment, upto)).toEqual({ kind: "valid", payer: account });
    expect(await facilitator.settle(payment, charging("7"))).toMatchObject({ kind: "settled", payer: account });
    const forged = await shop.permit(upto, freshAccount(), { from: account });
    const refusal = { kind: "refused", reason: "invalid_permit2_signature" } as const;
    expect(await facilitator.verify(forged, upto)).toEqual(refusal);
    expect(await facilitator.settle(forged, charging("7"))).toEqual(refusal);
  });

  test("an address without code is not accepted as a token, though a call to it succeeds", async () => {
    const terms = { ...shop.exact, asset: freshAccount().address };
    const payment = await shop.permit(terms, await shop.buyer());
    expect(await facilitator.verify(payment, terms)).toEqual({
      kind: "refused",
      reason: "asset_not_deployed_contract",
    });
  });

  test("a payment whose time has ended moves no money", async () => {
    const back = await shop.chain.snapshot();
    const payment = await shop.permit(upto, await shop.buyer());
    await shop.chain.passTime(61);
    expect(await facilitator.find(payment, upto)).toEqual({ kind: "void" });
    await back();
  });
});
