import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Chain, CHAIN_SETUP_MS, hasChain, startChain } from "../testing/chain.ts";
import { gasWarning, readGas } from "./gas-watch.ts";

const OWNER = "0x00000000000000000000000000000000000000dd";
/** Ten settlements at most cost a million wei. */
const COST = { max_gas: 1000, max_fee_per_gas: "100" } as const;

describe.skipIf(!hasChain)("with a chain", () => {
  let chain: Chain;

  beforeAll(async () => {
    chain = await startChain();
  }, CHAIN_SETUP_MS);
  afterAll(() => chain.close());

  test.each([
    [999_999n, "0.000000000000999999", true],
    [1_000_000n, "0.000000000001", false],
  ])("%d wei for ten settlements of 100,000 are %s, and low: %p", async (wei, balance, isLow) => {
    await chain.fund(OWNER, wei);
    const [gas] = await readGas([{ network: chain.network, rpc_url: chain.rpcUrl, ...COST }], [OWNER]);
    expect(gas).toEqual({ network: chain.network, account: OWNER, balance, wei, isLow });
  });

  test("a chain that cannot be asked is named without its address, and gives no warning", async () => {
    const chains = [{ network: chain.network, rpc_url: "http://127.0.0.1:1/secret", ...COST }];
    const [gas] = await readGas(chains, [OWNER]);
    expect(gas).toEqual({ network: chain.network, account: OWNER, cause: "the chain cannot be queried" });
    expect(gas === undefined ? "" : gasWarning(gas)).toBeUndefined();
  });
});
