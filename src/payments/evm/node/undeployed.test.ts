import { describe, expect, test } from "bun:test";
import { serializeErc6492Signature } from "viem";
import { PAYEE } from "../../testing/payment.ts";
import { type Hex } from "../../x402/address.ts";
import { type Response, startScriptedNode } from "../testing/scripted-node.ts";
import { Factories, planCall } from "./undeployed.ts";

const PAYER = `0x${"aa".repeat(20)}` as const;
const FACTORY = `0x${"fa".repeat(20)}` as const;
const PLAIN = `0x${"11".repeat(65)}` as const;
const WRAPPED = serializeErc6492Signature({ address: FACTORY, data: "0x1234", signature: PLAIN });
const MAGIC = "6492".repeat(16);

/** Plans a call on a chain where the payer's account and Multicall3 have this code. */
async function plan(signature: Hex, payerCode: Response, multicallCode: Response) {
  await using scripted = startScriptedNode(0);
  scripted.responses = { eth_getCode: (address) => (address === PAYER ? payerCode : multicallCode) };
  return await planCall(scripted.node, { payer: PAYER, signature }, (plain) => ({ to: PAYEE, data: plain }));
}

describe("the call by a signature of an account", () => {
  const direct = { to: PAYEE, data: PLAIN, signature: PLAIN, isUndeployed: false };

  test("that is not wrapped, or is malformed, has the signature as it is", async () => {
    expect(await plan(PLAIN, "fails", "fails")).toEqual(direct);
    const malformed: Hex = `${PLAIN}${MAGIC}`;
    const same = { to: PAYEE, data: malformed, signature: malformed, isUndeployed: false };
    expect(await plan(malformed, "fails", "fails")).toEqual(same);
  });

  test("that has code is made without the deployment", async () => {
    expect(await plan(WRAPPED, "0xef", "0x")).toEqual(direct);
  });

  test("that has no code comes after the deployment, with the gas of two settlements", async () => {
    const planned = await plan(WRAPPED, "0x", "0xef");
    const data = "data" in planned ? planned.data : "";
    expect(planned).toMatchObject({ settlements: 2, signature: PLAIN, isUndeployed: true });
    expect(planned).not.toMatchObject({ to: PAYEE });
    for (const part of [FACTORY, "0x1234", PAYEE.toLowerCase(), PLAIN]) {
      expect(data.includes(part.slice(2))).toBe(true);
    }
  });

  test.each([
    ["the account's code cannot be read", "fails", "0xef", "the node refused eth_getCode"],
    ["Multicall3's code cannot be read", "0x", "fails", "the node refused eth_getCode"],
    ["the chain has no Multicall3", "0x", "0x", "there is no Multicall3 on this chain"],
  ] as const)("is an error if %s", async (_what, payerCode, multicallCode, cause) => {
    const planned = await plan(WRAPPED, payerCode, multicallCode);
    expect(planned).toMatchObject({ error: expect.any(String), cause: expect.stringContaining(cause) });
  });
});

test("a signature with a deployment is allowed for a named factory only, in any letter case", () => {
  const factories = new Factories([FACTORY.toUpperCase().replace("0X", "0x")]);
  const byPayee = serializeErc6492Signature({ address: PAYEE, data: "0x1234", signature: PLAIN });
  const allowed = [PLAIN, WRAPPED, byPayee, `${PLAIN}${MAGIC}` as const].map((one) => factories.allows(one));
  expect(allowed).toEqual([true, true, false, false]);
});

test("a wrapped signature whose parts exceed it is malformed", () => {
  const factories = new Factories([FACTORY]);
  const words: string[] = WRAPPED.slice(2, -MAGIC.length).match(/.{64}/g) ?? [];
  for (const [index, value] of [
    [1, 2n ** 255n],
    [2, 2n ** 255n],
    [1, BigInt(words.length * 32)],
    // The lengths of the two parts.
    [3, 2n ** 255n],
    [5, 2n ** 255n],
    [5, 97n],
  ] as const) {
    const changed = words.with(index, value.toString(16).padStart(64, "0")).join("");
    expect([index, factories.allows(`0x${changed}${MAGIC}`)]).toEqual([index, false]);
  }
});
