import { expect, test } from "bun:test";
import { bytesToHex } from "@noble/hashes/utils.js";
import { x402ExactPermit2ProxyABI, x402UptoPermit2ProxyABI } from "@x402/evm";
import * as fc from "fast-check";
import { encodeFunctionData } from "viem";
import { type Address, type Hex } from "../../x402/address.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { REQUIREMENTS } from "../../testing/payment.ts";
import { chargeOf, settleCall } from "./calldata.ts";

const hex = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((value): Hex => `0x${bytesToHex(value)}`);
const address: fc.Arbitrary<Address> = hex(20, 20);
const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });

const calls = fc.record({
  token: address,
  amount: uint256,
  from: address,
  to: address,
  facilitator: fc.option(address, { nil: undefined }),
  nonce: uint256,
  deadline: uint256,
  validAfter: uint256,
  charge: uint256,
  signature: hex(65, 200),
});
type Call = typeof calls extends fc.Arbitrary<infer T> ? T : never;

function paymentOf({
  token,
  amount,
  from,
  to,
  facilitator,
  nonce,
  deadline,
  validAfter,
  signature,
}: Call): Permit2Payment {
  const permit2Authorization = {
    permitted: { token, amount: String(amount) },
    from,
    spender: token,
    nonce: String(nonce),
    deadline: String(deadline),
    witness: { to, ...(facilitator === undefined ? {} : { facilitator }), validAfter: String(validAfter) },
  };
  return { x402Version: 2, accepted: REQUIREMENTS, payload: { signature, permit2Authorization } };
}

test("the settle call has the form of the proxies' interface, and its charge can be read back", () => {
  fc.assert(
    fc.property(calls, (call) => {
      const { token, amount, from, to, facilitator, nonce, deadline, validAfter, charge, signature } = call;
      const payment = paymentOf(call);
      const data = settleCall(payment, charge);
      const permit = { permitted: { token, amount }, nonce, deadline };
      const functionName = "settle";
      const theirs =
        facilitator === undefined
          ? encodeFunctionData({
              abi: x402ExactPermit2ProxyABI,
              functionName,
              args: [permit, from, { to, validAfter }, signature],
            })
          : encodeFunctionData({
              abi: x402UptoPermit2ProxyABI,
              functionName,
              args: [permit, charge, from, { to, facilitator, validAfter }, signature],
            });
      expect(data).toBe(theirs);
      expect(chargeOf(data, payment)).toBe(facilitator === undefined ? amount : charge);
    }),
  );
});

test("a call with any changed member of the authorization is another payment's, and none is unclear", () => {
  fc.assert(
    fc.property(calls, fc.constantFrom("token", "from", "to", "nonce", "deadline", "validAfter"), (call, key) => {
      const other = typeof call[key] === "bigint" ? call[key] ^ 1n : `0x${"77".repeat(20)}`;
      fc.pre(other !== call[key]);
      const payment = paymentOf(call);
      expect(chargeOf(settleCall(paymentOf({ ...call, [key]: other }), call.charge), payment)).toBe("other");
      for (const input of ["0x", "0x12345678", `0x12345678${settleCall(payment, call.charge).slice(10)}`] as const) {
        expect(chargeOf(input, payment)).toBe("unclear");
      }
    }),
  );
});
