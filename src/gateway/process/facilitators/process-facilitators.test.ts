import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { freshAccount, keyOf } from "../../../payments/evm/testing/shop.ts";
import { type Chain, CHAIN_SETUP_MS, hasChain, startChain } from "../../../payments/testing/chain.ts";
import { PAYEE } from "../../../payments/testing/payment.ts";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { priceWarnings } from "../check/check-prices.ts";
import { readEmbedded } from "../../../payments/facilitator/chain-settings.ts";
import { OwnFacilitator } from "./own-facilitator.ts";
import { ProcessFacilitators } from "./process-facilitators.ts";

setDefaultTimeout(patient(20_000));

const KEYS = ["TURNPIKE_TEST_GAS_KEY_1", "TURNPIKE_TEST_GAS_KEY_2"];
const RPC = "TURNPIKE_TEST_GAS_RPC";

/** The conditions of a rule for one path. */
function match(path_pattern: string): object {
  return { match: { path_pattern } };
}

describe.skipIf(!hasChain)("with a chain", () => {
  let chain: Chain;
  const accounts = KEYS.map(() => freshAccount());
  beforeAll(async () => {
    chain = await startChain();
    process.env[RPC] = chain.rpcUrl;
    for (const [i, account] of accounts.entries()) process.env[KEYS[i] ?? ""] = keyOf(account);
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    for (const name of [RPC, ...KEYS]) delete process.env[name];
    await chain.close();
  });

  function configOf(
    native_price: string,
    prices: readonly string[] = ["$0.01"],
    rules: readonly object[] = [],
  ): Config {
    const terms = { asset: "USDC", network: chain.network, pay_to: PAYEE };
    const [price, ...others] = prices;
    const { config, problems } = loadValue({
      x402: {
        enabled: true,
        credit: {
          ...terms,
          min: "$0.03",
          passes: [
            { name: "dear", price: "$1" },
            { name: "cheap", price: "$0.02" },
          ],
        },
        embedded: { enabled: true, signers: KEYS.map((key_env) => ({ type: "env", key_env })) },
        chains: [{ network: chain.network, rpc_url_env: RPC, native_price, max_fee_per_gas: "1000000000000" }],
      },
      upstreams: [{ name: "api", servers: [{ address: "127.0.0.1", port: 9 }] }],
      routes: [
        {
          path_prefix: "/",
          upstream: "api",
          x402: { ...terms, price, rules, accepts: others.map((other) => ({ ...terms, price: other })) },
        },
      ],
    });
    if (config === undefined) throw new Error(problems.map(({ message }) => message).join());
    return config;
  }

  async function warnings(native_price: string, rules: readonly object[] = []): Promise<readonly string[]> {
    const config = configOf(native_price, ["$0.01", "$1", "$0.4"], rules);
    const found = await priceWarnings(config, readEmbedded(config.x402, process.env));
    return found.map(({ path, message }) => `${path}: ${message}`);
  }

  test("the gas of the keys is measured, and a key with little gas is reported", async () => {
    const [rich, poor] = accounts;
    if (rich === undefined || poor === undefined) throw new Error("unreachable");
    await chain.fund(rich.address);
    await chain.fund(poor.address, 5n * 10n ** 17n);
    const set = new Map<string, number>();
    const logged: string[] = [];
    const facilitators = new ProcessFacilitators({
      embedded: { own: new OwnFacilitator() },
      simulatedTransfers: () => {
        throw new Error("there are none");
      },
      observer: { asked() {}, breakerChanged() {} },
      counts: { set: (metric, value, ...labels) => void set.set([metric, ...labels].join(" "), value) },
      log: (message) => void logged.push(message),
    });
    await facilitators.prepare(configOf(""));
    await facilitators.commit(configOf(""));
    await until(() => set.has("gasLow 0"), patient(10_000), "the gas is read");
    expect([set.get("gasBalance 0"), set.get("gasLow 0"), set.get("gasLow 1")]).toEqual([0.5, 1, 0]);
    expect(logged.join()).toContain(
      `0.50 pays the gas of fewer than 10 settlements at max_fee_per_gas (account ${poor.address})`,
    );
    expect(logged.join()).not.toContain(rich.address);
    await facilitators.close(0);
  });

  test("a price below the gas of its settlement is reported with its place, only if the price of the coin is known", async () => {
    await chain.rpc("anvil_setNextBlockBaseFeePerGas", ["0x77359400"]);
    await chain.mine();
    expect(await warnings("")).toEqual([]);
    expect(await warnings("0.000001")).toEqual([]);
    const [first, second, ...others] = await warnings("4000");
    expect(first).toMatch(
      /^routes\[0\]\.x402\.price: \$0\.01 is less than the gas of a settlement on Base Sepolia \(eip155:84532\), about \$0\.\d+ at present \(80000 gas at \d+ wei, with x402\.chains\[0\]\.native_price\)$/,
    );
    expect(second).toStartWith("routes[0].x402.accepts[1].price: $0.40 is less than the gas");
    expect(others.map((other) => other.split(" is less")[0])).toEqual([
      "x402.credit.min: $0.03",
      "x402.credit.passes[1].price: $0.02",
    ]);
  });

  test("prices of rules are compared with the gas, of units the least price of a request", async () => {
    const unit = { price: "$0.002", count: "/urls" };
    const found = await warnings("4000", [
      { ...match("/free"), free: true },
      { ...match("/none"), refuse: true },
      { ...match("/dear"), price: "$5" },
      { ...match("/cheap"), price: "$0.05" },
      { ...match("/units"), unit_price: unit },
      { ...match("/least"), unit_price: { ...unit, min: "$0.06" } },
      { ...match("/enough"), unit_price: { ...unit, min: "$2" } },
    ]);
    const own = found
      .filter((text) => text.startsWith("routes[0].x402.rules"))
      .map((text) => text.split(" is less")[0]);
    expect(own).toEqual(
      ["[3].price: $0.05", "[4].unit_price.price: $0.002", "[5].unit_price.min: $0.06"].map(
        (text) => `routes[0].x402.rules${text}`,
      ),
    );
  });
});
