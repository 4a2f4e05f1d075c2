import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as ExactClient } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactFacilitator } from "@x402/evm/exact/facilitator";
import { UptoEvmScheme as UptoClient } from "@x402/evm/upto/client";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { nonceManager, privateKeyToAccount } from "viem/accounts";
import { choosePayment } from "../../client/choice.ts";
import { createFunds } from "../../client/funds.ts";
import { signChoice } from "../../client/sign-choice.ts";
import { encodeCall } from "../node/abi.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { GAS_APPROVAL } from "../../signatures/gas-approval.ts";
import { GAS_APPROVAL_DECLARATION, gasApprovalOf } from "../../signatures/read-gas-approval.ts";
import { type Address, type Hex } from "../../x402/address.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { PAYEE } from "../../testing/payment.ts";
import { type PaymentRequirements, type Permit2Payment, permit2PaymentSchema } from "../../x402/messages.ts";
import { rpcResult, startNodeProxy } from "../testing/node-proxy.ts";
import { freshAccount, keyOf, type OpenFacilitator, type TestAccount } from "../testing/shop.ts";
import { openPermit2Shop, type Permit2Shop } from "./testing/permit2-shop.ts";

const NETWORK = "eip155:84532";
const DECLARED = { [GAS_APPROVAL]: GAS_APPROVAL_DECLARATION };

describe.skipIf(!hasChain)("a token without permits and without an approval before", () => {
  let shop: Permit2Shop;
  let lender: TestAccount;
  let facilitator: OpenFacilitator;
  let upto: PaymentRequirements;
  beforeAll(async () => {
    shop = await openPermit2Shop();
    lender = freshAccount();
    await shop.chain.fund(lender.address);
    facilitator = await shop.facilitator({ lender: { type: "key", key: keyOf(lender) } });
    upto = shop.upto(facilitator.account.address);
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  async function gasOf(account: TestAccount): Promise<bigint> {
    return BigInt(String(await shop.chain.rpc("eth_getBalance", [account.address, "latest"])));
  }

  /** Our client's payment, which reads allowance, nonce and fees from the chain. */
  async function ours(requirements: PaymentRequirements, payer: TestAccount): Promise<Permit2Payment> {
    const required = {
      x402Version: 2 as const,
      resource: { url: "http://a/" },
      accepts: [requirements],
      extensions: DECLARED,
    };
    const asset = { network: NETWORK, symbol: "T", decimals: 6, ...shop.token } as const;
    const funds = createFunds({ TURNPIKE_RPC_84532: shop.chain.rpcUrl }, () => payer.address);
    const choice = await choosePayment(required, { maxPrice: "$1", assets: [asset], funds });
    return permit2PaymentSchema.parse(signChoice(required, choice, payer, (await shop.chain.time()) + 60));
  }

  /** The reference client's payment. */
  async function theirs(requirements: PaymentRequirements, payer: TestAccount): Promise<Permit2Payment> {
    const account = privateKeyToAccount(keyOf(payer));
    const options = { rpcUrl: shop.chain.rpcUrl };
    const client =
      requirements.scheme === "upto" ? new UptoClient(account, options) : new ExactClient(account, options);
    const made = await client.createPaymentPayload(2, { ...requirements, network: NETWORK }, { extensions: DECLARED });
    return permit2PaymentSchema.parse({ ...made, accepted: requirements });
  }

  for (const [name, pay] of [
    ["our", ours],
    ["the reference", theirs],
  ] as const) {
    test(`a payer without gas pays by ${name} client, which signs one approval`, async () => {
      const payer = await shop.payer();
      const before = await gasOf(lender);
      const payment = await pay(shop.exact, payer);
      expect(gasApprovalOf(payment)).toMatchObject({ from: expect.stringMatching(/^0x/), version: "1" });
      expect(await facilitator.verify(payment, shop.exact)).toMatchObject({ kind: "valid" });
      expect(await gasOf(lender)).toBe(before);
      const settled = await facilitator.settle(payment, shop.exact);
      expect(settled.kind).toBe("settled");
      expect(await facilitator.settle(payment, shop.exact)).toEqual(settled);
      const lent = before - (await gasOf(lender));
      // At most the gas of the approval and of the transfer to its payer, at the highest fee.
      expect([lent > 0n, lent < 200_000n * 5_000_000_000n]).toEqual([true, true]);
      const second = await pay(upto, payer);
      expect(gasApprovalOf(second)).toBeUndefined();
      expect(await facilitator.settle(second, { ...upto, amount: "300" })).toMatchObject({ kind: "settled" });
      expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 10_300n);
      expect(before - (await gasOf(lender))).toBe(lent);
    });
  }

  test("our client's approval settles with the reference facilitator", async () => {
    const account = freshAccount();
    await shop.chain.fund(account.address);
    const wallet = createWalletClient({
      account: privateKeyToAccount(keyOf(account), { nonceManager }),
      chain: defineChain({
        id: 84_532,
        name: "test",
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        rpcUrls: { default: { http: [shop.chain.rpcUrl] } },
      }),
      transport: http(shop.chain.rpcUrl),
      pollingInterval: 20,
    }).extend(publicActions);
    // The signer's parameter has the same methods, with types of another copy of viem.
    const signer = toFacilitatorEvmSigner(
      Object.assign(wallet, { address: account.address }) as unknown as Parameters<typeof toFacilitatorEvmSigner>[0],
    );
    const payer = await shop.payer();
    await shop.chain.fund(payer.address);
    const payment = await ours(shop.exact, payer);
    const terms = { ...shop.exact, network: NETWORK } as const;
    // The SDK leaves it to the operator how the transactions are sent.
    const sendTransactions = async (all: readonly (Hex | { to: Address; data: Hex; gas?: bigint })[]) => {
      const hashes: Hex[] = [];
      for (const one of all) {
        const serializedTransaction = typeof one === "string" ? one : undefined;
        const hash =
          serializedTransaction === undefined
            ? await wallet.sendTransaction(one as { to: Address; data: Hex })
            : await wallet.sendRawTransaction({ serializedTransaction });
        await wallet.waitForTransactionReceipt({ hash });
        hashes.push(hash);
      }
      return hashes;
    };
    const stock = new x402Facilitator()
      .register(NETWORK, new ExactFacilitator(signer))
      .registerExtension({ key: GAS_APPROVAL, signer: { ...signer, sendTransactions } } as { key: string });
    const before = await shop.token.balanceOf(PAYEE);
    const sent = { ...payment, accepted: terms } as unknown as Parameters<typeof stock.settle>[0];
    expect(await stock.settle(sent, terms)).toMatchObject({ success: true });
    expect((await shop.token.balanceOf(PAYEE)) - before).toBe(10_000n);
  });

  test("a payer with gas of its own gets none", async () => {
    const payer = await shop.payer();
    await shop.chain.fund(payer.address);
    const before = await gasOf(lender);
    expect(await facilitator.settle(await ours(shop.exact, payer), shop.exact)).toMatchObject({ kind: "settled" });
    expect(await gasOf(lender)).toBe(before);
  });

  test("nothing is settled while the approval's receipt is of another fork than the newest block", async () => {
    const proxy = startNodeProxy(shop.chain.rpcUrl);
    const lent = { type: "key", key: keyOf(lender) } as const;
    const own = await shop.facilitator({ rpc_url: proxy.rpcUrl, lender: lent, confirmations: 3 });
    const payer = await shop.payer();
    await shop.chain.fund(payer.address);
    const payment = await ours(shop.exact, payer);
    const looks = Promise.withResolvers<void>();
    let [isForked, foreign] = [true, 0];
    proxy.behave(async (call, forward) => {
      const response = await forward();
      if (call.method !== "eth_getTransactionReceipt") return response;
      const { result } = response as { readonly result?: object | null }; // the form of JSON-RPC
      if (result === undefined || result === null) return response;
      await shop.chain.mine();
      if (!isForked) return response;
      if ((foreign += 1) === 8) looks.resolve();
      return rpcResult(call, { ...result, blockHash: `0x${"ab".repeat(32)}` });
    });
    const settling = own.settle(payment, shop.exact);
    await Promise.race([looks.promise, settling]);
    expect(proxy.methods.filter((method) => method === "eth_sendRawTransaction")).toHaveLength(1);
    isForked = false;
    expect(await settling).toMatchObject({ kind: "settled" });
    await proxy.close();
  });

  test("concurrent payments of a payer need one approval", async () => {
    const payer = await shop.payer();
    const payments = [await ours(shop.exact, payer), await ours(shop.exact, payer)];
    const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.exact)));
    expect(settled.map(({ kind }) => kind)).toEqual(["settled", "settled"]);
    expect(await shop.chain.rpc("eth_getTransactionCount", [payer.address, "latest"])).toBe("0x1");
  });

  test("a payer that uses the gas for another transaction gets no more, and its payment is refused", async () => {
    const proxy = startNodeProxy(shop.chain.rpcUrl);
    const own = freshAccount();
    await shop.chain.fund(own.address);
    const cheated = await shop.facilitator({ rpc_url: proxy.rpcUrl, lender: { type: "key", key: keyOf(own) } });
    const payer = await shop.payer();
    const payment = await ours(shop.exact, payer);
    proxy.behave(async ({ method, params }, forward) => {
      const isApproval =
        method === "eth_sendRawTransaction" && String(params) === gasApprovalOf(payment)?.signedTransaction;
      // The chain signs for any account.
      if (isApproval) await shop.chain.send({ from: payer.address, to: PAYEE });
      return forward();
    });
    expect(await cheated.settle(payment, shop.exact)).toEqual({ kind: "refused", reason: "erc20_approval_tx_failed" });
    const left = await gasOf(own);
    // The rest of the gas does not pay an approval.
    await shop.chain.fund(payer.address, 0n);
    const again = await ours(shop.exact, payer);
    const refused = { kind: "refused", reason: "permit2_allowance_required" } as const;
    expect(await cheated.verify(again, shop.exact)).toEqual(refused);
    expect(await cheated.settle(again, shop.exact)).toEqual(refused);
    expect(await gasOf(own)).toBe(left);
    await proxy.close();
  });

  /** The approval of `payer` with other content, signed. */
  async function approval(payer: TestAccount, change: object): Promise<Hex> {
    const data = encodeCall("approve(address,uint256)", [PERMIT2, 1_000_000n]);
    const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000n };
    return await privateKeyToAccount(keyOf(payer)).signTransaction({
      chainId: 84_532,
      nonce: 0,
      to: shop.token.address,
      data,
      gas: 70_000n,
      type: "eip1559",
      ...fees,
      ...change,
    });
  }

  /** A payment of `payer` with this approval. Undefined: the approval lacks its transaction. */
  async function approved(payer: TestAccount, transaction: object | undefined, change: object = {}) {
    const payment = await shop.permit(shop.exact, payer);
    const signedTransaction = transaction && (await approval(payer, transaction));
    const own = { from: payer.address, asset: shop.token.address, spender: PERMIT2, amount: "1000000", version: "1" };
    return { ...payment, extensions: { [GAS_APPROVAL]: { info: { ...own, signedTransaction, ...change } } } };
  }

  const WRONG: readonly (readonly [what: string, info: object, transaction: object | undefined, reason: string])[] = [
    ["of another payer", { from: PAYEE }, {}, "erc20_approval_from_mismatch"],
    ["for another token", { asset: PAYEE }, {}, "erc20_approval_asset_mismatch"],
    ["for another spender", { spender: PAYEE }, {}, "erc20_approval_spender_not_permit2"],
    ["that is no transaction", { signedTransaction: "0x02f801" }, undefined, "erc20_approval_tx_parse_failed"],
    ["to another contract", {}, { to: PAYEE }, "erc20_approval_tx_wrong_target"],
    [
      "that transfers",
      {},
      { data: encodeCall("transfer(address,uint256)", [PAYEE, 1n]) },
      "erc20_approval_tx_wrong_selector",
    ],
    [
      "of a third account",
      {},
      { data: encodeCall("approve(address,uint256)", [PAYEE, 1_000_000n]) },
      "erc20_approval_tx_wrong_spender",
    ],
    [
      "of another amount",
      {},
      { data: encodeCall("approve(address,uint256)", [PERMIT2, 1n]) },
      "erc20_approval_tx_invalid_calldata",
    ],
    ["that moves ether", {}, { value: 1n }, "erc20_approval_tx_invalid_calldata"],
    ["with much gas", {}, { gas: 100_001n }, "erc20_approval_tx_invalid_calldata"],
    ["for another chain", {}, { chainId: 1 }, "erc20_approval_tx_invalid_calldata"],
    ["with a used or later nonce", {}, { nonce: 1 }, "erc20_approval_tx_failed"],
    ["with a high fee", {}, { maxFeePerGas: 90_000_000_000n }, "erc20_approval_tx_failed"],
    ["with too little gas", {}, { gas: 22_000n }, "erc20_approval_tx_failed"],
    ["of another version", { version: "2" }, {}, "permit2_allowance_required"],
  ];

  for (const [what, change, transaction, reason] of WRONG) {
    test(`an approval ${what} is refused, and costs no gas`, async () => {
      const payer = await shop.payer();
      const wrong = await approved(payer, transaction, change);
      const before = await gasOf(lender);
      expect(await facilitator.verify(wrong, shop.exact)).toEqual({ kind: "refused", reason } as never);
      expect(await facilitator.settle(wrong, shop.exact)).toMatchObject({ kind: "refused" });
      expect([await gasOf(lender), await gasOf(payer)]).toEqual([before, 0n]);
    });
  }

  test.each<[what: string, base: bigint, fits: bigint, refused: bigint]>([
    ["at least the present base fee", 1_500_000_000n, 1_500_000_000n, 1_499_999_999n],
    ["at most four times the fee of the next blocks", 1_500_000_000n, 16_000_000_000n, 16_000_000_001n],
    ["at most the operator's limit", 12_000_000_000n, 50_000_000_000n, 50_000_000_001n],
    ["at most 2 gwei on a cheaper chain", 1n, 2_000_000_000n, 2_000_000_001n],
  ])("an approval whose gas is lent pays %s", async (_what, base, fits, refused) => {
    const proxy = startNodeProxy(shop.chain.rpcUrl);
    const own = await shop.facilitator({
      rpc_url: proxy.rpcUrl,
      lender: { type: "key", key: keyOf(lender) },
      max_fee_per_gas: "50000000000",
    });
    proxy.behave(async ({ id, method }, forward) => {
      if (method !== "eth_feeHistory") return forward();
      const tip = base === 1n ? "0x1" : "0x3b9aca00";
      return { jsonrpc: "2.0", id, result: { baseFeePerGas: [`0x${base.toString(16)}`], reward: [[tip]] } };
    });
    const payer = await shop.payer();
    const results = [fits, refused].map(async (maxFeePerGas) =>
      own.verify(await approved(payer, { maxFeePerGas }), shop.exact),
    );
    expect(await Promise.all(results)).toMatchObject([
      { kind: "valid" },
      { kind: "refused", reason: "erc20_approval_tx_failed" },
    ]);
    await proxy.close();
  });

  test("no gas is lent for a payment that would fail, or signed by another account", async () => {
    const [poor, payer] = [await shop.payer(1n), await shop.payer()];
    const before = await gasOf(lender);
    expect((await facilitator.verify(await ours(shop.exact, poor), shop.exact)).kind).toBe("refused");
    const payment = await ours(shop.exact, payer);
    const info = { ...gasApprovalOf(payment), signedTransaction: await approval(poor, {}), amount: "1000000" };
    const forged = { ...payment, extensions: { [GAS_APPROVAL]: { info } } };
    const reason = "erc20_approval_tx_signer_mismatch";
    expect(await facilitator.verify(forged, shop.exact)).toEqual({ kind: "refused", reason });
    expect((await facilitator.settle(forged, shop.exact)).kind).toBe("refused");
    expect(await gasOf(lender)).toBe(before);
  });

  test("a rollup's fee for data is lent too", async () => {
    const payer = await shop.payer();
    const payment = await ours(shop.exact, payer);
    const oracle = "0x420000000000000000000000000000000000000F";
    // Returns 10^15 for every call.
    await shop.chain.rpc("anvil_setCode", [oracle, `0x67${(10n ** 15n).toString(16).padStart(16, "0")}5f5260205ff3`]);
    expect(await facilitator.settle(payment, shop.exact)).toMatchObject({ kind: "settled" });
    await shop.chain.rpc("anvil_setCode", [oracle, "0x"]);
    const left = await gasOf(payer);
    expect([left >= 2n * 10n ** 15n, left < 3n * 10n ** 15n]).toEqual([true, true]);
  });

  test("an account without enough gas lends none, and a facilitator without one offers nothing", async () => {
    const empty = await shop.facilitator({ lender: { type: "key", key: keyOf(freshAccount()) } });
    const without = await shop.facilitator();
    const payment = await ours(shop.exact, await shop.payer());
    const refused = { kind: "refused", reason: "permit2_allowance_required" } as const;
    expect(await empty.verify(payment, shop.exact)).toEqual(refused);
    expect(await without.verify(payment, shop.exact)).toEqual(refused);
    expect(await without.settle(payment, shop.exact)).toEqual(refused);
    const [[kind], [kindOfEmpty]] = [await without.supported(), await empty.supported()];
    expect(kind?.sponsoring).toEqual(["eip2612GasSponsoring"]);
    expect(kindOfEmpty?.sponsoring).toEqual(["eip2612GasSponsoring", GAS_APPROVAL]);
  });

  test("the key of approvals cannot settle too", () => {
    const key = { type: "key", key: keyOf(lender) } as const;
    return expect(shop.facilitator({ signers: [key], lender: key })).rejects.toThrow(
      "the key of approvals also settles",
    );
  });
});
