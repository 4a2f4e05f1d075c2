import { expect, test } from "bun:test";
import { type Responses, quantity, startScriptedNode, word } from "../evm/testing/scripted-node.ts";
import { PAYER, REQUIREMENTS } from "../testing/payment.ts";
import { findAsset, isEvmAsset } from "../x402/assets.ts";
import { type Choice, PaymentDeclined } from "./choice.ts";
import { createFunds } from "./funds.ts";

const GWEI = 1_000_000_000n;
/** The least tip, in wei. */
const TIP = 1_000_000n;

const asset = findAsset(REQUIREMENTS.network, REQUIREMENTS.asset);
if (asset === undefined || !isEvmAsset(asset)) throw new Error("the token is not known");
const CHOICE: Choice = { requirements: REQUIREMENTS, asset, method: "permit2" };

const fees = (base: bigint) => ({ oldestBlock: "0x1", baseFeePerGas: [quantity(base)], reward: [[quantity(TIP)]] });

const RICH: Responses = {
  "balanceOf(address)": word(5n),
  "allowance(address,address)": word(3n),
  "nonces(address)": word(7n),
  eth_getTransactionCount: "0x9",
  eth_feeHistory: fees(GWEI),
};

test("funds are the balance, the allowance and the next permit of the token on its chain", async () => {
  await using chain = startScriptedNode(Date.now());
  chain.responses = RICH;
  const read = createFunds({ TURNPIKE_RPC_84532: chain.rpcUrl }, () => PAYER);
  expect(await read(CHOICE)).toMatchObject({ balance: 5n, allowance: 3n, permitNonce: 7n });
  chain.responses = { ...RICH, "nonces(address)": "reverts", "allowance(address,address)": "fails" };
  expect(await read(CHOICE)).toMatchObject({ balance: 5n, allowance: 0n, permitNonce: undefined });
  chain.responses = { ...RICH, "balanceOf(address)": "0x" };
  expect(await read(CHOICE)).toBeUndefined();
});

test("funds are unknown without an endpoint of the chain, and an endpoint with an invalid URL is refused", async () => {
  for (const env of [{}, { TURNPIKE_RPC_84532: "" }, { TURNPIKE_RPC_8453: "http://127.0.0.1:9/" }])
    expect(await createFunds(env, () => PAYER)(CHOICE)).toBeUndefined();
  const refused = createFunds({ TURNPIKE_RPC_84532: "localhost" }, () => PAYER)(CHOICE);
  expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(PaymentDeclined);
});

test.each<[what: string, Responses, isSigned: boolean]>([
  ["is what the chain asks for", {}, true],
  ["is the highest one", { eth_feeHistory: fees(20n * GWEI - TIP) }, true],
  ["is above the highest one", { eth_feeHistory: fees(20n * GWEI - TIP + 1n) }, false],
  ["cannot be read", { eth_feeHistory: "fails", eth_getBlockByNumber: "fails" }, false],
  ["is known, but not the wallet's transactions", { eth_getTransactionCount: "fails" }, false],
])("whether an approval can be signed if its fee %s", async (_what, change, isSigned) => {
  await using chain = startScriptedNode(Date.now());
  chain.responses = { ...RICH, ...change };
  const found = await createFunds({ TURNPIKE_RPC_84532: chain.rpcUrl }, () => PAYER)(CHOICE);
  const terms = await found?.approval?.();
  expect(terms?.nonce).toBe(isSigned ? 9n : undefined);
  expect(terms === undefined || terms.fees.maxFee <= 20n * GWEI).toBe(true);
});
