import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHAIN_SETUP_MS, type Chain, hasChain, startChain } from "./chain.ts";
import { PAYEE, PAYER } from "./payment.ts";

describe.skipIf(!hasChain)("a chain for tests", () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain({ chainId: 4321 });
    // Compiles the contracts.
    await chain.deployToken();
  }, CHAIN_SETUP_MS);
  afterAll(() => chain.close());

  test("has the given chain id", async () => {
    expect(await chain.rpc("eth_chainId")).toBe("0x10e1");
    expect(chain.network).toBe("eip155:4321");
  });

  test("has a token that can be transferred", async () => {
    const token = await chain.deployToken();
    await token.mint(PAYER, 500n);
    await token.approve(PAYER, PAYEE, 5n);
    expect(await token.balanceOf(PAYER)).toBe(500n);
    expect(await token.balanceOf(PAYEE)).toBe(0n);
  });

  test("returns to a snapshot, and moves forward in time", async () => {
    const token = await chain.deployToken({ name: "Other", version: "1" });
    const back = await chain.snapshot();
    await token.mint(PAYER, 500n);
    await back();
    expect(await token.balanceOf(PAYER)).toBe(0n);
    const before = await chain.time();
    await chain.passTime(100);
    expect(await chain.time()).toBeGreaterThanOrEqual(before + 100);
  });

  test("mines only on request after automatic mining is switched off", async () => {
    await chain.setMining(false);
    await chain.rpc("eth_sendTransaction", [{ from: PAYER, to: PAYEE, value: "0x1" }]);
    expect(await chain.rpc("eth_getBalance", [PAYEE, "latest"])).toBe("0x0");
    await chain.mine();
    expect(await chain.rpc("eth_getBalance", [PAYEE, "latest"])).toBe("0x1");
    await chain.setMining(true);
  });
});
