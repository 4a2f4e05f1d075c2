import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { encodeFunctionData, parseAbi, serializeErc6492Signature } from "viem";
import { patient } from "../../lib/testing/patience.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import {
  channelConfig,
  channelRequirements,
  placeChannels,
  signedDeposit,
  signedVoucher,
} from "../testing/channels.ts";
import { freshNonce, PAYEE } from "../testing/payment.ts";
import { type Address, type Hex } from "../x402/address.ts";
import { type Deposit } from "../x402/channel-messages.ts";
import { type Eip3009Payment } from "../x402/messages.ts";
import { encodeCall } from "./node/abi.ts";
import { freshAccount, openShop, type OpenFacilitator, type Shop, type TestAccount } from "./testing/shop.ts";

setDefaultTimeout(patient(30_000));

const ABI = parseAbi(["function deploy(address owner, bytes32 salt)"]);
const ZERO = `0x${"0".repeat(40)}` as const;

function wrapped(payment: Eip3009Payment, wrap: (signature: Hex) => Hex): Eip3009Payment {
  return { ...payment, payload: { ...payment.payload, signature: wrap(payment.payload.signature) } };
}

describe.skipIf(!hasChain)("a wallet that is not deployed yet (ERC-6492)", () => {
  let shop: Shop;
  let factory: Address;
  let facilitator: OpenFacilitator;
  beforeAll(async () => {
    shop = await openShop();
    await placeChannels(shop.chain);
    factory = await shop.chain.deploy("AccountFactory");
    facilitator = await shop.facilitator({ wallet_factories: [factory.toUpperCase().replace("0X", "0x") as Address] });
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  /** A wallet with money and without code, the key of its owner, and its signatures with the call that deploys it. */
  async function wallet() {
    const owner = freshAccount();
    const salt = freshNonce();
    const word = await shop.chain.call({
      to: factory,
      data: encodeCall("addressOf(address,bytes32)", [owner.address, salt]),
    });
    const address: Address = `0x${word.slice(-40)}`;
    await shop.token.mint(address, 50_000n);
    const data = encodeFunctionData({ abi: ABI, args: [owner.address, salt] });
    const wrap = (signature: Hex): Hex => serializeErc6492Signature({ address: factory, data, signature });
    const signer: TestAccount = { ...owner, address };
    return { signer, owner, wrap };
  }
  const codeOf = (address: Address) => shop.chain.rpc("eth_getCode", [address, "latest"]);

  test("is deployed with its first payment, in one transaction, and pays again as a contract", async () => {
    const { signer, wrap } = await wallet();
    const payment = wrapped(await shop.pay(signer), wrap);
    const before = await shop.token.balanceOf(PAYEE);
    expect(await facilitator.verify(payment, shop.requirements)).toEqual({ kind: "valid", payer: signer.address });
    expect(await codeOf(signer.address)).toBe("0x");
    const settled = await facilitator.settle(payment, shop.requirements);
    expect(settled.kind).toBe("settled");
    expect(await codeOf(signer.address)).not.toBe("0x");
    expect(await facilitator.settle(payment, shop.requirements)).toEqual(settled);
    const second = wrapped(await shop.pay(signer), wrap);
    expect((await facilitator.verify(second, shop.requirements)).kind).toBe("valid");
    expect((await facilitator.settle(second, shop.requirements)).kind).toBe("settled");
    expect(await shop.token.balanceOf(PAYEE)).toBe(before + 20_000n);
  });

  test("cannot pay with another's signature, by another factory, or with a malformed one", async () => {
    const { signer, wrap } = await wallet();
    const [thief, payment] = [freshAccount(), await shop.pay(signer)];
    const forged = wrapped(await shop.pay({ ...thief, address: signer.address }), wrap);
    for (const [bad, reason] of [
      [forged, "invalid_exact_evm_transaction_simulation_failed"],
      [wrapped(payment, (signature) => `${signature}${"6492".repeat(16)}`), "eip6492_factory_not_allowed"],
      [
        wrapped(payment, (signature) => serializeErc6492Signature({ address: PAYEE, data: "0x12", signature })),
        "eip6492_factory_not_allowed",
      ],
    ] as const) {
      const refused = { kind: "refused", reason } as const;
      expect(await facilitator.verify(bad, shop.requirements)).toEqual(refused);
      expect(await facilitator.settle(bad, shop.requirements)).toMatchObject({ kind: "refused" });
    }
    const none = await shop.facilitator();
    expect(await none.verify(wrapped(payment, wrap), shop.requirements)).toEqual({
      kind: "refused",
      reason: "eip6492_factory_not_allowed",
    });
    expect(await codeOf(signer.address)).toBe("0x");
  });

  test("opens a channel with its first deposit", async () => {
    const { signer, owner, wrap } = await wallet();
    const seller = { payTo: PAYEE, authorizer: freshAccount().address } as const;
    const terms = channelRequirements(shop.token, shop.chain.network, seller);
    const config = channelConfig(terms, signer.address, { payerAuthorizer: owner.address });
    const now = await shop.chain.time();
    const signed = signedDeposit(terms, config, { amount: 5000n, most: 1000n, signer, now });
    const { authorization } = signed.deposit;
    if (!("erc3009Authorization" in authorization)) throw new Error("no deposit by EIP-3009");
    const { signature } = authorization.erc3009Authorization;
    const erc3009Authorization = { ...authorization.erc3009Authorization, signature: wrap(signature) };
    const payload: Deposit = { ...signed, deposit: { ...signed.deposit, authorization: { erc3009Authorization } } };
    const payment = { x402Version: 2, accepted: terms, payload } as const;
    expect((await facilitator.channels?.verify(payment, terms))?.kind).toBe("valid");
    expect(await facilitator.channels?.settle(payment, terms)).toMatchObject({ kind: "settled", amount: "5000" });
    expect(await codeOf(signer.address)).not.toBe("0x");
    // Only a wallet with code can be asked for its signature.
    const other = channelConfig(terms, (await wallet()).signer.address, { payerAuthorizer: ZERO });
    const unsigned = signedDeposit(terms, other, { amount: 5000n, most: 1000n, signer: owner, now });
    expect(await facilitator.channels?.verify({ ...payment, payload: unsigned }, terms)).toMatchObject({
      reason: "invalid_batch_settlement_evm_voucher_signature",
    });
    // One that holds no money is not asked at all.
    const voucher = signedVoucher(shop.chain.network, other, 1000n, owner);
    const bought = { ...payment, payload: { type: "voucher", channelConfig: other, voucher } } as const;
    expect(await facilitator.channels?.verify(bought, terms)).toMatchObject({
      reason: "invalid_batch_settlement_evm_channel_not_found",
    });
  });
});
