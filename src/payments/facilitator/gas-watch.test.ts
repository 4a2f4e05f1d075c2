import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { type Chain, CHAIN_SETUP_MS, hasChain, startChain } from "../testing/chain.ts";
import { type Gas, gasWarning, readGas, watchGas } from "./gas-watch.ts";

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
    expect(gas).toEqual({
      network: chain.network,
      account: OWNER,
      cause: "the chain cannot be queried: no connection to the node",
    });
    expect(gas === undefined ? "" : gasWarning(gas)).toBeUndefined();
  });
});

/** Looks for gas with these results, one after the other; a look begins at once and then every minute. */
async function watched(...looks: readonly (readonly Gas[])[]) {
  let look: (() => void) | undefined;
  const interval = spyOn(globalThis, "setInterval").mockImplementation(((check: () => void, ms: number) => {
    if (ms === 60_000) look = check;
    return { unref() {} };
  }) as unknown as typeof setInterval);
  const left = [...looks];
  const logged: string[] = [];
  const told: number[] = [];
  const stop = watchGas(
    async () => left.shift() ?? [],
    (line) => logged.push(line),
    (all) => told.push(all.length),
  );
  interval.mockRestore();
  for (const at of looks.keys()) {
    if (at > 0) look?.();
    await until(() => told.length > at);
  }
  stop();
  look?.();
  await new Promise(setImmediate);
  return { logged, told };
}

test("low gas is logged once, and again after it was enough", async () => {
  const gas = { network: "eip155:84532", account: OWNER, balance: "0.1", wei: 1n } as const;
  const [low, enough] = [
    { ...gas, isLow: true },
    { ...gas, isLow: false },
  ];
  const { logged, told } = await watched([low], [low], [enough], [low]);
  const line = `warning: Base Sepolia (eip155:84532): 0.1 pays the gas of fewer than 10 settlements at max_fee_per_gas (account ${OWNER})`;
  expect([logged, told]).toEqual([
    [line, line],
    [1, 1, 1, 1],
  ]);
});
