import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Payment, RECHECK_MS } from "../../store/ledger.ts";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { openShop, type Shop } from "../evm/testing/shop.ts";
import { type Eip3009Payment } from "../x402/messages.ts";
import { paymentKey } from "../x402/payment-key.ts";
import { Reconciler } from "./reconciler.ts";
import { toStored } from "./stored-payment.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

describe.skipIf(!hasChain)("reconciliation on a chain", () => {
  const clock = { now: Date.now() };
  let shop: Shop;
  let store: Store;

  beforeAll(async () => {
    shop = await openShop();
    store = openStore(":memory:", () => clock.now);
  }, CHAIN_SETUP_MS);

  afterAll(async () => {
    await store.close();
    await shop.close();
  });

  /** Leaves a payment in the ledger as a gateway does that was killed during settlement. */
  async function leave(payment: Eip3009Payment): Promise<void> {
    const { requirements } = shop;
    const { payment: row } = await store.ledger.reserve({
      ...paymentKey(payment, requirements),
      token: requirements.asset.toLowerCase(),
      scheme: requirements.scheme,
      amount: requirements.amount,
      payTo: requirements.payTo.toLowerCase(),
      route: "/goods",
      consumer: "",
      fingerprint: "print",
      validBefore: Number(payment.payload.authorization.validBefore),
      payload: toStored(payment, requirements, false),
    });
    await store.ledger.move(row, { state: "settling", lease: true });
  }

  async function rowOf(payment: Eip3009Payment): Promise<Payment | undefined> {
    return store.ledger.find(paymentKey(payment, shop.requirements));
  }

  test("after a gateway was killed, the payment on the chain is an undelivered settlement, the expired one has failed, and the other one is open", async () => {
    const killed = await shop.facilitator();
    const payments = [
      await shop.pay(await shop.payer()),
      await shop.pay(await shop.payer(), { validBefore: String((await shop.chain.time()) + 30) }),
      await shop.pay(await shop.payer(), { validBefore: String((await shop.chain.time()) + 6000) }),
    ] as const;
    const [settled, over, open] = payments;
    for (const payment of payments) await leave(payment);
    const settlement = await killed.settle(settled, shop.requirements);
    await shop.chain.passTime(3600);
    clock.now += 3600_000 + RECHECK_MS;
    // The next process has a facilitator that knows nothing of these payments.
    const next = await shop.facilitator({ now: () => clock.now });
    const balances = () => shop.token.balanceOf(shop.requirements.payTo as `0x${string}`); // The shop's own value, so it is an address.
    const before = await balances();
    const reconciler = new Reconciler({
      ledger: store.ledger,
      channels: store.channels,
      facilitators: () => [next],
      testMode: () => false,
      notice: () => undefined,
      clock: () => clock.now,
      random: () => 0,
      log: () => {},
    });
    expect(await reconciler.round()).toBe(2);
    expect(settlement).toMatchObject({ kind: "settled" });
    expect(await rowOf(settled)).toMatchObject({
      state: "settled",
      delivered: false,
      transaction: "transaction" in settlement ? settlement.transaction : "",
    });
    expect(await rowOf(over)).toMatchObject({
      state: "failed",
      reason: "invalid_exact_evm_payload_authorization_valid_before",
    });
    expect(await rowOf(open)).toMatchObject({ state: "unknown" });
    expect(await balances()).toBe(before);
    await reconciler.close();
  });
});
