import { expect, setDefaultTimeout, test } from "bun:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import {
  permit2WitnessTypes,
  uptoPermit2WitnessTypes,
  x402ExactPermit2ProxyAddress,
  x402UptoPermit2ProxyAddress,
} from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import * as fc from "fast-check";
import { hashTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Address } from "../x402/address.ts";
import { checkSignature, checkTerms } from "./check-payment.ts";
import { type PaymentRequirements, type Permit2Payment, permit2PaymentSchema } from "../x402/messages.ts";
import { type Permit2Authorization, permit2Hash } from "./permit2-typed-data.ts";
import { signHash } from "./signature.ts";
import { recoverSigner } from "./recover-signer.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";
import { PERMIT2, PROXIES } from "../x402/transfer.ts";
import { patient } from "../../lib/testing/patience.ts";

// On a busy machine, many property runs take long.
setDefaultTimeout(patient(30_000));

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value): Address => `0x${bytesToHex(value)}`);
const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });
const key = fc
  .bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n })
  .map((value): `0x${string}` => `0x${value.toString(16).padStart(64, "0")}`);

const signed = fc.record({
  key,
  chain: fc.integer({ min: 1, max: 2 ** 40 }),
  token: address,
  spender: address,
  to: address,
  facilitator: fc.option(address, { nil: undefined }),
  amount: uint256,
  nonce: uint256,
  deadline: uint256,
  validAfter: uint256,
});

test("the hash and the signer of any Permit2 transfer are the same as in viem", async () => {
  await fc.assert(
    fc.asyncProperty(signed, async ({ facilitator, ...some }) => {
      const account = privateKeyToAccount(some.key);
      const { to, validAfter } = some;
      const typed = {
        domain: { name: "Permit2", chainId: some.chain, verifyingContract: PERMIT2 },
        primaryType: "PermitWitnessTransferFrom",
      } as const;
      const permit = {
        permitted: { token: some.token, amount: some.amount },
        spender: some.spender,
        nonce: some.nonce,
        deadline: some.deadline,
      };
      const theirs =
        facilitator === undefined
          ? { ...typed, types: permit2WitnessTypes, message: { ...permit, witness: { to, validAfter } } }
          : {
              ...typed,
              types: uptoPermit2WitnessTypes,
              message: { ...permit, witness: { to, facilitator, validAfter } },
            };
      const hash = permit2Hash(`eip155:${some.chain}`, {
        permitted: { token: some.token, amount: String(some.amount) },
        from: account.address,
        spender: some.spender,
        nonce: String(some.nonce),
        deadline: String(some.deadline),
        witness: { to, ...(facilitator === undefined ? {} : { facilitator }), validAfter: String(validAfter) },
      });
      // viem's type of typed data does not support a union of two types.
      const theirHash = hashTypedData(theirs as Parameters<typeof hashTypedData>[0]);
      expect<string>(`0x${bytesToHex(hash)}`).toBe(theirHash);
      expect<string | undefined>(recoverSigner(hash, signHash(hash, hexToBytes(some.key.slice(2))))).toBe(
        account.address.toLowerCase(),
      );
    }),
    { numRuns: 150 },
  );
});

test("the proxies are the reference implementation's", () => {
  expect(PROXIES).toEqual({ exact: x402ExactPermit2ProxyAddress, upto: x402UptoPermit2ProxyAddress });
});

const SETTLER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const EXACT: PaymentRequirements = {
  ...REQUIREMENTS,
  extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" },
};
const UPTO: PaymentRequirements = {
  ...EXACT,
  scheme: "upto",
  extra: { ...EXACT.extra, facilitatorAddress: SETTLER },
};

/** The reference client's payment for `requirements`. */
async function realPayment(requirements: PaymentRequirements): Promise<Permit2Payment> {
  const account = privateKeyToAccount(PRIVATE_KEY);
  const scheme = requirements.scheme === "upto" ? new UptoEvmScheme(account) : new ExactEvmScheme(account);
  const network = "eip155:84532";
  const made = await scheme.createPaymentPayload(2, { ...requirements, network });
  return permit2PaymentSchema.parse({ ...made, accepted: requirements });
}

for (const requirements of [EXACT, UPTO]) {
  test(`a Permit2 payment of the reference client under ${requirements.scheme} is valid, and no changed one is`, async () => {
    const payment = await realPayment(requirements);
    expect(checkTerms(payment, requirements, Date.now() / 1000)).toBeUndefined();
    expect(checkSignature(payment, requirements)).toMatchObject({ payer: PAYER });
    const { signature, permit2Authorization } = payment.payload;
    const elsewhere = { ...permit2Authorization.witness, to: USDC };
    for (const change of [{ nonce: "7" }, { deadline: "99" }, { from: PAYEE }, { witness: elsewhere }]) {
      const payload = { signature, permit2Authorization: { ...permit2Authorization, ...change } };
      expect(checkSignature({ ...payment, payload }, requirements)).toBe("invalid_permit2_signature");
    }
    expect(checkSignature(payment, { ...requirements, network: "eip155:8453" })).toBe("invalid_permit2_signature");
  });
}

const NOW = 1_800_000_000;

function authorization(change: Partial<Permit2Authorization>): Permit2Authorization {
  return {
    permitted: { token: USDC, amount: UPTO.amount },
    from: PAYER,
    spender: PROXIES.upto,
    nonce: "1",
    deadline: String(NOW + 60),
    witness: { to: PAYEE, facilitator: SETTLER, validAfter: "0" },
    ...change,
  };
}

function refusal(change: Partial<Permit2Authorization>, requirements = UPTO, accepted = requirements) {
  const payload = { signature: "0x", permit2Authorization: authorization(change) } as const;
  return checkTerms({ x402Version: 2, accepted, payload }, requirements, NOW);
}

const WITNESS = { to: PAYEE, facilitator: SETTLER, validAfter: "0" };

const REFUSED: readonly (readonly [reason: string, change: Partial<Permit2Authorization>])[] = [
  ["invalid_permit2_spender", { spender: PROXIES.exact }],
  ["invalid_permit2_recipient_mismatch", { witness: { ...WITNESS, to: PAYER } }],
  ["upto_facilitator_mismatch", { witness: { ...WITNESS, facilitator: PAYER } }],
  ["upto_facilitator_mismatch", { witness: { to: PAYEE, validAfter: "0" } }],
  ["permit2_amount_mismatch", { permitted: { token: USDC, amount: "9999" } }],
  ["permit2_amount_mismatch", { permitted: { token: USDC, amount: "10001" } }],
  ["permit2_token_mismatch", { permitted: { token: PAYEE, amount: "10000" } }],
  ["permit2_deadline_expired", { deadline: String(NOW + 5) }],
  ["permit2_deadline_expired", { deadline: String(NOW + 121) }],
  ["permit2_not_yet_valid", { witness: { ...WITNESS, validAfter: String(NOW + 1) } }],
];

for (const [reason, change] of REFUSED) {
  test(`upto refuses ${JSON.stringify(change)} as ${reason}`, () => {
    expect<string | undefined>(refusal(change)).toBe(reason);
    expect(refusal({})).toBeUndefined();
  });
}

test("neither scheme accepts a payment made for the other, or another transfer method", () => {
  const exact: Partial<Permit2Authorization> = { spender: PROXIES.exact, witness: { to: PAYEE, validAfter: "0" } };
  expect(refusal(exact, EXACT)).toBeUndefined();
  expect(refusal({ spender: PROXIES.exact }, EXACT)).toBe("upto_facilitator_mismatch");
  expect(refusal({}, EXACT)).toBe("invalid_permit2_spender");
  expect(refusal({}, UPTO, EXACT)).toBe("invalid_upto_evm_scheme");
  expect(refusal({}, UPTO, { ...UPTO, network: "eip155:1" })).toBe("invalid_upto_evm_network_mismatch");
  expect(refusal(exact, REQUIREMENTS)).toBe("unsupported_payload_type");
  expect(checkTerms(signedPayment(NOW), EXACT, NOW)).toBe("unsupported_payload_type");
  expect(checkTerms(signedPayment(NOW), UPTO, NOW)).toBe("invalid_exact_evm_scheme");
});

test("upto requirements that name no facilitator accept no payment", () => {
  expect(refusal({}, { ...UPTO, extra: EXACT.extra })).toBe("upto_facilitator_mismatch");
  expect(refusal({ witness: { to: PAYEE, validAfter: "0" } }, { ...UPTO, extra: EXACT.extra })).toBe(
    "upto_facilitator_mismatch",
  );
});
