import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { bytesToHex } from "@noble/hashes/utils.js";
import { BatchSettlementEvmScheme, computeChannelId } from "@x402/evm/batch-settlement/client";
import * as fc from "fast-check";
import { encodeAbiParameters, hashTypedData, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { patient } from "../../lib/testing/patience.ts";
import { PAYEE, PAYER, PRIVATE_KEY, USDC } from "../testing/payment.ts";
import { type Address, isZero } from "../x402/address.ts";
import {
  BATCH_SETTLEMENT,
  type ChannelConfig,
  channelConfigSchema,
  channelOrderSchema,
  channelPaymentSchema,
  voucherSchema,
} from "../x402/channel-messages.ts";
import { BATCH_SETTLEMENT_CONTRACT, channelId, claimBatchHash, refundHash, voucherHash } from "./batch-settlement.ts";
import { checkVoucher } from "./check-voucher.ts";
import { COLLECTORS, depositHash, depositNonce } from "./channel-deposit.ts";
import { recoverSigner } from "./recover-signer.ts";

// On a busy machine, many property runs take long.
setDefaultTimeout(patient(30_000));

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value): Address => `0x${bytesToHex(value)}`);
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value): Address => `0x${bytesToHex(value)}`);
const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
const chain = fc.integer({ min: 1, max: 2 ** 40 });
const anyConfig = fc.record({
  payer: address,
  payerAuthorizer: address,
  receiver: address,
  receiverAuthorizer: address,
  token: address,
  withdrawDelay: fc.integer({ min: 0, max: 2 ** 40 - 1 }),
  salt: bytes32,
});

const CONFIG_TYPES = {
  ChannelConfig: [
    { name: "payer", type: "address" },
    { name: "payerAuthorizer", type: "address" },
    { name: "receiver", type: "address" },
    { name: "receiverAuthorizer", type: "address" },
    { name: "token", type: "address" },
    { name: "withdrawDelay", type: "uint40" },
    { name: "salt", type: "bytes32" },
  ],
} as const;
const ENTRY = [
  { name: "channelId", type: "bytes32" },
  { name: "maxClaimableAmount", type: "uint128" },
  { name: "totalClaimed", type: "uint128" },
] as const;
const VOUCHER = [ENTRY[0], ENTRY[1]] as const;
const REFUND = [
  { name: "channelId", type: "bytes32" },
  { name: "nonce", type: "uint256" },
  { name: "amount", type: "uint128" },
] as const;
function domainOn(chainId: number) {
  return { name: "x402 Batch Settlement", version: "1", chainId, verifyingContract: BATCH_SETTLEMENT_CONTRACT };
}

test("the id of any channel is the one of viem's typed data", () => {
  fc.assert(
    fc.property(anyConfig, chain, (message, chainId) => {
      const typed = { domain: domainOn(chainId), types: CONFIG_TYPES, primaryType: "ChannelConfig", message } as const;
      expect(channelId(`eip155:${chainId}`, message)).toBe(hashTypedData(typed));
    }),
    { numRuns: 30 },
  );
});

test("vouchers, refunds and claims have the hashes of viem's typed data", () => {
  fc.assert(
    fc.property(anyConfig, chain, uint(128n), uint(256n), (channel, chainId, amount, nonce) => {
      const [network, domain] = [`eip155:${chainId}`, domainOn(chainId)] as const;
      const id = channelId(network, channel);
      const voucher = hashTypedData({
        domain,
        types: { Voucher: VOUCHER },
        primaryType: "Voucher",
        message: { channelId: id, maxClaimableAmount: amount },
      });
      expect(voucherHash(network, id, String(amount)).toHex()).toBe(voucher.slice(2));
      const refund = hashTypedData({
        domain,
        types: { Refund: REFUND },
        primaryType: "Refund",
        message: { channelId: id, nonce, amount },
      });
      expect(refundHash(network, id, String(nonce), String(amount)).toHex()).toBe(refund.slice(2));
      const claims = [amount, amount / 2n].map((totalClaimed) => ({
        voucher: { channel, maxClaimableAmount: String(amount) },
        signature: "0x" as const,
        totalClaimed: String(totalClaimed),
      }));
      const batch = hashTypedData({
        domain,
        types: { ClaimBatch: [{ name: "claims", type: "ClaimEntry[]" }], ClaimEntry: ENTRY },
        primaryType: "ClaimBatch",
        message: {
          claims: [amount, amount / 2n].map((totalClaimed) => ({
            channelId: id,
            maxClaimableAmount: amount,
            totalClaimed,
          })),
        },
      });
      expect(claimBatchHash(network, claims).toHex()).toBe(batch.slice(2));
    }),
    { numRuns: 30 },
  );
});

const REQUIREMENTS = {
  scheme: BATCH_SETTLEMENT,
  network: "eip155:84532",
  amount: "1000",
  asset: USDC,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { receiverAuthorizer: PAYEE, withdrawDelay: 900, name: "USDC", version: "2" },
} as const;

/** A deposit of the stock client, by one of its two methods. */
async function stockDeposit(assetTransferMethod: "eip3009" | "permit2", payerAuthorizer?: Address) {
  const account = privateKeyToAccount(PRIVATE_KEY);
  const client = new BatchSettlementEvmScheme(
    { ...account, readContract: async () => [0n, 0n] },
    payerAuthorizer === undefined ? {} : { payerAuthorizer },
  );
  const accepted = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod } };
  const made = await client.createPaymentPayload(2, accepted);
  return { accepted, payment: { ...made, accepted } };
}

for (const method of ["eip3009", "permit2"] as const) {
  test(`the stock client's deposit by ${method} is read, and its two signatures are the payer's`, async () => {
    const { payment } = await stockDeposit(method);
    const { payload } = channelPaymentSchema.parse(payment);
    if (payload.type !== "deposit") throw new Error("no deposit");
    expect(channelOrderSchema.parse(payment).payload).toEqual(payload);
    const { channelConfig, voucher, deposit } = payload;
    expect(channelConfigSchema.parse(channelConfig)).toEqual(channelConfig);
    expect(voucherSchema.parse(voucher)).toEqual(voucher);
    expect(channelId("eip155:84532", channelConfig)).toBe(voucher.channelId);
    expect(channelId("eip155:84532", channelConfig)).toBe(computeChannelId(channelConfig, "eip155:84532"));
    expect(checkVoucher("eip155:84532", channelConfig, voucher)).toBe("valid");
    const terms = {
      network: "eip155:84532",
      payer: PAYER,
      asset: { address: USDC, name: "USDC", version: "2" },
      channelId: voucher.channelId,
      amount: deposit.amount,
    } as const;
    const { authorization } = deposit;
    const { signature } =
      "erc3009Authorization" in authorization ? authorization.erc3009Authorization : authorization.permit2Authorization;
    expect(recoverSigner(depositHash(terms, payload), signature)).toBe(PAYER);
  });
}

test("a voucher of another amount, channel, chain or signer is invalid", async () => {
  const { payload } = channelPaymentSchema.parse((await stockDeposit("eip3009")).payment);
  if (payload.type !== "deposit") throw new Error("no deposit");
  const { channelConfig, voucher } = payload;
  const check = (change: object, network = "eip155:84532" as const, config: ChannelConfig = channelConfig) =>
    checkVoucher(network, config, { ...voucher, ...change });
  expect(check({})).toBe("valid");
  expect(check({ maxClaimableAmount: "1001" })).toBe("invalid");
  expect(check({ channelId: `0x${"1".repeat(64)}` })).toBe("invalid");
  expect(checkVoucher("eip155:8453", channelConfig, voucher)).toBe("invalid");
  expect(check({}, "eip155:84532", { ...channelConfig, payerAuthorizer: PAYEE })).toBe("invalid");
  expect(check({ signature: `0x${"00".repeat(65)}` })).toBe("invalid");
  const zero = `0x${"0".repeat(40)}` as const;
  expect(check({}, "eip155:84532", { ...channelConfig, payerAuthorizer: zero })).toBe("chain");
});

test("numbers beyond their type on the chain, and malformed members, are refused before they are hashed", async () => {
  const { payment } = await stockDeposit("eip3009");
  const { payload } = channelPaymentSchema.parse(payment);
  if (payload.type !== "deposit") throw new Error("no deposit");
  const withVoucher = (change: object) => ({ ...payload, voucher: { ...payload.voucher, ...change } });
  const withConfig = (change: object) => ({ ...payload, channelConfig: { ...payload.channelConfig, ...change } });
  const bad = [
    withVoucher({ maxClaimableAmount: String(2n ** 128n) }),
    withVoucher({ maxClaimableAmount: "-1" }),
    withVoucher({ maxClaimableAmount: "0x10" }),
    withVoucher({ maxClaimableAmount: 1000 }),
    withVoucher({ channelId: `0x${"1".repeat(63)}` }),
    withVoucher({ signature: "0x12" }),
    withConfig({ withdrawDelay: 2 ** 40 }),
    withConfig({ withdrawDelay: 900.5 }),
    withConfig({ withdrawDelay: "900" }),
    withConfig({ payer: "0x12" }),
    withConfig({ salt: "0x0" }),
    { ...payload, deposit: { ...payload.deposit, amount: String(2n ** 128n) } },
    { ...payload, deposit: { ...payload.deposit, authorization: {} } },
    {
      ...payload,
      deposit: {
        ...payload.deposit,
        authorization: { ...payload.deposit.authorization, permit2Authorization: {} },
      },
    },
    { ...payload, type: "claim", claims: [] },
    { ...payload, type: "other" },
    null,
  ];
  for (const one of bad) {
    expect(channelPaymentSchema.safeParse({ ...payment, payload: one }).success).toBe(false);
    expect(channelOrderSchema.safeParse({ ...payment, payload: one }).success).toBe(false);
  }
  const most = withVoucher({ maxClaimableAmount: String(2n ** 128n - 1n) });
  expect(channelPaymentSchema.safeParse({ ...payment, payload: most }).success).toBe(true);
  expect(
    channelPaymentSchema.safeParse({ ...payment, accepted: { ...payment.accepted, scheme: "exact" } }).success,
  ).toBe(false);
});

test("the scheme, its contracts and the nonce of a deposit are the stock client's", async () => {
  const folder = join(Bun.resolveSync("@x402/evm/package.json", import.meta.dir), "..", "dist", "esm");
  const sources = [...new Bun.Glob("chunk-*.mjs").scanSync(folder)].map((name) => Bun.file(join(folder, name)).text());
  const source = (await Promise.all(sources)).join("\n");
  const constants = [
    ["BATCH_SETTLEMENT_SCHEME", BATCH_SETTLEMENT],
    ["BATCH_SETTLEMENT_ADDRESS", BATCH_SETTLEMENT_CONTRACT],
    ["ERC3009_DEPOSIT_COLLECTOR_ADDRESS", COLLECTORS.eip3009],
    ["PERMIT2_DEPOSIT_COLLECTOR_ADDRESS", COLLECTORS.permit2],
  ];
  for (const [name, value] of constants) expect(source).toContain(`var ${name} = "${value}"`);
  const [id, salt] = [`0x${"12".repeat(32)}`, `0x${"34".repeat(32)}`] as const;
  const words = encodeAbiParameters([{ type: "bytes32" }, { type: "uint256" }], [id, BigInt(salt)]);
  expect(depositNonce(id, salt)).toBe(keccak256(words));
  expect([isZero(PAYEE), isZero(`0x${"0".repeat(40)}`)]).toEqual([false, true]);
});
