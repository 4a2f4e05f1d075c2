import { expect, test } from "bun:test";
import { decodeHeader } from "../../x402/header.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { REQUIREMENTS } from "../../testing/payment.ts";
import { EvmWallet, explained, type Provider } from "./evm-wallet.ts";
import { evm } from "./sign-evm.ts";
import { NotSigned, type Signing } from "./signing.ts";

const ACCOUNT = `0x${"a".repeat(40)}`;
const SIGNATURE = `0x${"1".repeat(128)}1c`;
const HASH = `0x${"2".repeat(64)}`;
const word = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`;

/** An error of a wallet with this code. */
const refused = (code: number) => Object.assign(new Error("any words"), { code });

/** A value, an error, or a function of the parameters and the number of calls so far. */
type Reply = unknown;

/** A wallet with these replies by method, which are values, errors or functions. `calls` are the methods that the page called. */
function walletWith(replies: Readonly<Record<string, Reply>>): {
  provider: Provider;
  calls: string[];
  params: unknown[];
} {
  const [calls, all]: [string[], unknown[]] = [[], []];
  const known: Record<string, Reply> = {
    eth_requestAccounts: [ACCOUNT],
    eth_chainId: "0x14a34",
    eth_signTypedData_v4: SIGNATURE,
    eth_call: word(0),
    eth_sendTransaction: HASH,
    ...replies,
  };
  const provider: Provider = {
    async request({ method, params = [] }) {
      calls.push(method);
      all.push(params);
      const reply = known[method];
      const found: unknown =
        typeof reply === "function"
          ? Reflect.apply(reply, undefined, [params, calls.filter((one) => one === method).length])
          : reply;
      if (found instanceof Error) throw found;
      return found;
    },
  };
  return { provider, calls, params: all };
}

interface Told {
  readonly signing: Signing;
  readonly told: string[];
}

function signingOf(change: Partial<PaymentRequirements> = {}, more: Partial<Signing> = {}): Told {
  const told: string[] = [];
  const accepted = { ...REQUIREMENTS, ...change };
  const signing: Signing = {
    required: { x402Version: 2, resource: { url: "https://a.test/" }, accepts: [accepted] },
    accepted,
    price: "0.01 USDC",
    data: { networks: {}, tokens: {} },
    network: { title: "Base Sepolia" },
    now: () => 1_800_000_000,
    tell: (text) => void told.push(text),
    confirm: async (_text, answer) => void told.push(answer),
    isStopped: () => false,
    ...more,
  };
  return { signing, told };
}

/** The text for the person if the wallet does not sign. */
async function errorOf(run: () => Promise<unknown>): Promise<string> {
  try {
    return `signed: ${JSON.stringify(await run())}`;
  } catch (error) {
    if (error instanceof NotSigned) return error.message;
    throw error;
  }
}

test.each<[what: string, replies: Record<string, Reply>, message: string]>([
  ["names no accounts", { eth_requestAccounts: "none" }, "The wallet named no account."],
  ["names an empty list", { eth_requestAccounts: [] }, "The wallet named no account."],
  ["names a short account", { eth_requestAccounts: [ACCOUNT.slice(1)] }, "The wallet named no account."],
  ["does not sign", { eth_signTypedData_v4: 7 }, "The wallet did not return a signature. Nothing was sent."],
  [
    "signs with a few bytes",
    { eth_signTypedData_v4: SIGNATURE.slice(0, -2) },
    "The wallet did not return a signature.",
  ],
  ["declines", { eth_signTypedData_v4: refused(4001) }, "You declined in the wallet. Nothing was paid."],
  ["is on another chain", { eth_chainId: "0x1" }, "The wallet stayed on another network than Base Sepolia."],
  [
    "declines to switch",
    { eth_chainId: "0x1", wallet_switchEthereumChain: refused(4001) },
    "You declined in the wallet.",
  ],
  [
    "does not know the chain",
    { eth_chainId: "0x1", wallet_switchEthereumChain: refused(4902) },
    "The wallet does not know Base Sepolia. Add the network in the wallet, and pay again.",
  ],
])("a wallet that %s pays nothing", async (_what, replies, message) => {
  const { provider } = walletWith(replies);
  expect(await errorOf(() => evm(provider).sign(signingOf().signing))).toStartWith(message);
});

test("a wallet pays on EVM chains alone", () => {
  const { pays } = evm(walletWith({}).provider);
  expect([pays("eip155:1"), pays("solana:x")]).toEqual([true, false]);
});

test("a wallet on the payment's chain signs at once", async () => {
  const { provider, calls, params } = walletWith({});
  const { signing, told } = signingOf({ maxTimeoutSeconds: 86_400 });
  const payment = decodeHeader(await evm(provider).sign(signing));
  expect(calls).toEqual(["eth_requestAccounts", "eth_chainId", "eth_signTypedData_v4"]);
  expect(told).toEqual([
    "Waiting for the wallet: allow this page to see your account.",
    "Waiting for the wallet: check the amount, and sign.",
  ]);
  expect(payment).toMatchObject({
    payload: {
      signature: SIGNATURE,
      authorization: { from: ACCOUNT, value: REQUIREMENTS.amount, validAfter: "0", validBefore: "1800000600" },
    },
  });
  const [account, typed] = params.at(-1) as [string, string]; // Those of the signature.
  expect(account).toBe(ACCOUNT);
  expect(JSON.parse(typed)).toMatchObject({
    primaryType: "TransferWithAuthorization",
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "version", type: "string" },
        { name: "chainId", type: "uint256" },
        { name: "verifyingContract", type: "address" },
      ],
      TransferWithAuthorization: expect.arrayContaining([{ name: "nonce", type: "bytes32" }]),
    },
    domain: { chainId: 84_532, verifyingContract: REQUIREMENTS.asset },
  });
});

test.each([
  [`${SIGNATURE.slice(0, -2)}00`, `${SIGNATURE.slice(0, -2)}1b`],
  [`${SIGNATURE.slice(0, -2)}01`, `${SIGNATURE.slice(0, -2)}1c`],
  [`${SIGNATURE.slice(0, -2)}1b`, `${SIGNATURE.slice(0, -2)}1b`],
  [`${SIGNATURE}01`, `${SIGNATURE}01`],
])("the end of a signature is one that token contracts accept: %#", async (returned, sent) => {
  const { provider } = walletWith({ eth_signTypedData_v4: returned });
  expect(decodeHeader(await evm(provider).sign(signingOf().signing))).toMatchObject({ payload: { signature: sent } });
});

const ADD = {
  chainId: "0x14a34",
  chainName: "Base Sepolia",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: [],
  blockExplorerUrls: [],
};

test.each<[what: string, error: Error]>([
  ["says so", refused(4902)],
  ["says so in its own error", Object.assign(refused(-32_603), { data: { originalError: { code: 4902 } } })],
])("a wallet that does not know the chain, and %s, adds it", async (_what, error) => {
  const { provider, calls, params } = walletWith({
    eth_chainId: (_params: unknown, count: number) => (count < 2 ? "0x1" : "0x14a34"),
    wallet_switchEthereumChain: error,
    wallet_addEthereumChain: null,
  });
  const { signing, told } = signingOf({}, { network: { title: "Base Sepolia", add: ADD } });
  await evm(provider).sign(signing);
  expect(calls.slice(1, -1)).toEqual([
    "eth_chainId",
    "wallet_switchEthereumChain",
    "wallet_addEthereumChain",
    "eth_chainId",
    "eth_chainId",
  ]);
  expect(params[2]).toEqual([{ chainId: "0x14a34" }]);
  expect(params[3]).toEqual([ADD]);
  expect(told.slice(1, 3)).toEqual([
    "Waiting for the wallet: switch to Base Sepolia.",
    "Waiting for the wallet: add Base Sepolia.",
  ]);
});

test("a wallet that adds the chain without a switch is switched", async () => {
  const { provider, calls } = walletWith({
    eth_chainId: (_params: unknown, count: number) => (count < 3 ? "0x1" : "0x14a34"),
    wallet_switchEthereumChain: (_params: unknown, count: number) => (count === 1 ? refused(4902) : null),
    wallet_addEthereumChain: null,
  });
  const { signing } = signingOf({}, { network: { title: "Base Sepolia", add: ADD } });
  await evm(provider).sign(signing);
  expect(calls.filter((method) => method === "wallet_switchEthereumChain")).toHaveLength(2);
});

test.each([
  [4001, "You declined in the wallet. Nothing was paid."],
  [4100, "The wallet does not let this page use the account. Nothing was paid."],
  [4200, "The wallet cannot do this. Try another wallet."],
  [-32_601, "The wallet cannot do this. Try another wallet."],
  [4900, "The wallet is not connected to the network."],
  [4901, "The wallet is not connected to the network."],
  [-32_002, "The wallet already waits for you. Open it, then pay again."],
  [7, "The wallet failed (code 7). Nothing was paid."],
  ["7", "The wallet failed. Nothing was paid."],
])("the error %p of a wallet is shown without its words", (code, text) => {
  expect(explained({ code, message: "any words" }).message).toBe(text);
});

const opened = async (replies: Record<string, Reply>) =>
  await EvmWallet.open(walletWith(replies).provider, signingOf().signing);

test("the replies of a wallet to reads and transactions are checked", async () => {
  expect(await (await opened({ eth_call: word(300) })).read(ACCOUNT, "0x")).toBe(300n);
  for (const eth_call of [7, "0x12", refused(7)])
    expect(await (await opened({ eth_call })).read(ACCOUNT, "0x")).toBeUndefined();
  expect(await (await opened({})).send(84_532, ACCOUNT, "0x")).toBe(HASH);
  for (const eth_sendTransaction of [7, "0x12"]) {
    const wallet = await opened({ eth_sendTransaction });
    expect(await errorOf(() => wallet.send(1, ACCOUNT, "0x"))).toBe("The wallet sent no transaction.");
  }
  for (const [receipt, failed] of [
    [{ status: "0x0" }, true],
    [{ status: "0x1" }, false],
    [null, false],
    [refused(7), false],
  ] as const)
    expect(await (await opened({ eth_getTransactionReceipt: receipt })).hasFailed(HASH)).toBe(failed);
});

const PERMIT = { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" };

/** The replies of a chain to calls of a contract, by the first letters of their data. */
function chain(allowances: readonly number[], nonce: unknown = word(5)): Record<string, Reply> {
  let looks = 0;
  return {
    eth_call: ([call]: readonly { data: string }[]) => {
      if (call?.data.startsWith("0x7ecebe00") === true) return nonce;
      looks += 1;
      return word(allowances[Math.min(looks, allowances.length) - 1] ?? 0);
    },
  };
}

test.each([
  [10_000, ["eth_signTypedData_v4"]],
  [9_999, ["eth_sendTransaction", "eth_call", "eth_signTypedData_v4"]],
])("with an allowance of %d the page lets the wallet do these: %p", async (allowance, methods) => {
  const { provider, calls, params } = walletWith(chain([allowance, 10_000]));
  const { signing, told } = signingOf({ extra: PERMIT });
  await evm(provider).sign(signing);
  expect(calls.slice(3)).toEqual(methods);
  if (methods.length === 1) return;
  expect(told).toContain("Approve 0.01 USDC");
  expect(params[3]).toEqual([
    {
      from: ACCOUNT,
      to: REQUIREMENTS.asset,
      data: `0x095ea7b3${PERMIT2.slice(2).toLowerCase().padStart(64, "0")}${(10_000).toString(16).padStart(64, "0")}`,
      chainId: "0x14a34",
    },
  ]);
});

test("an approval that fails on the chain, and one that the person stops, pay nothing", async () => {
  const failed = walletWith({ ...chain([0]), eth_getTransactionReceipt: { status: "0x0" } });
  expect(await errorOf(() => evm(failed.provider).sign(signingOf({ extra: PERMIT }).signing))).toBe(
    "The approval failed on the chain. Nothing was paid.",
  );
  const stopped = signingOf({ extra: PERMIT }, { isStopped: () => true }).signing;
  expect(await errorOf(() => evm(walletWith(chain([0])).provider).sign(stopped))).toBe("Stopped.");
});

test("the approval is a signature if the seller pays its gas", async () => {
  const extensions = { eip2612GasSponsoring: { info: {} } };
  const { signing, told } = signingOf({ extra: PERMIT });
  const required = { ...signing.required, extensions };
  const { provider, calls, params } = walletWith(chain([0]));
  const payment = decodeHeader(await evm(provider).sign({ ...signing, required }));
  expect(calls.slice(3)).toEqual(["eth_call", "eth_signTypedData_v4", "eth_signTypedData_v4"]);
  expect(told.at(-1)).toEndWith("and sign (2 of 2).");
  expect(payment).toMatchObject({
    extensions: {
      eip2612GasSponsoring: {
        info: { from: ACCOUNT, spender: PERMIT2, amount: "10000", nonce: "5", deadline: "1800000060" },
      },
    },
  });
  expect(JSON.stringify(params[4])).toContain("Permit");
  for (const replies of [chain([0, 10_000], 7), { ...chain([0, 10_000]), eth_signTypedData_v4: `${SIGNATURE}00` }]) {
    const other = walletWith(replies);
    await evm(other.provider).sign({ ...signing, required });
    expect(other.calls).toContain("eth_sendTransaction");
  }
});
