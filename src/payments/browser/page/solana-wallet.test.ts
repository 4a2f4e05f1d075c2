import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { decodeHeader } from "../../x402/header.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { REQUIREMENTS } from "../../testing/payment.ts";
import { SOLANA_DEVNET, SOLANA_USDC } from "../../testing/solana-chain.ts";
import { NotSigned, type Signing } from "./signing.ts";
import { networksOf, signSolana } from "./solana-wallet.ts";

const ADDRESS = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const PAYER = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";
const SELLER = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const CHAINS = ["solana:mainnet", "solana:devnet"];

let reply: () => Response = () => Response.json({ blockhash: ADDRESS });
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => reply() });
const isSecure: unknown = Reflect.get(globalThis, "isSecureContext");
beforeAll(() => void Reflect.set(globalThis, "isSecureContext", true));
afterEach(() => {
  reply = () => Response.json({ blockhash: ADDRESS });
  Reflect.set(globalThis, "isSecureContext", true);
});
afterAll(async () => {
  Reflect.set(globalThis, "isSecureContext", isSecure);
  await server.stop(true);
});

interface Parts {
  readonly accounts?: unknown;
  readonly signed?: unknown;
  readonly error?: Error;
}

/** A wallet of the Wallet Standard, whose functions need their object as `this`. */
function walletWith({
  accounts = [{ address: PAYER }],
  signed = [{ signedTransaction: Uint8Array.of(1, 2) }],
  error,
}: Parts) {
  const inputs: unknown[] = [];
  const connect = {
    own: accounts,
    async connect(this: { own: unknown }) {
      return { accounts: this.own };
    },
  };
  const signTransaction = {
    own: signed,
    async signTransaction(this: { own: unknown }, input: unknown) {
      inputs.push(input);
      if (error !== undefined) throw error;
      return this.own;
    },
  };
  const features = { "standard:connect": connect, "solana:signTransaction": signTransaction };
  return { wallet: { chains: CHAINS, features }, inputs };
}

const OFFER: PaymentRequirements = {
  ...REQUIREMENTS,
  network: SOLANA_DEVNET,
  asset: SOLANA_USDC,
  payTo: SELLER,
  extra: { feePayer: ADDRESS },
};

function signingOf(
  change: Partial<PaymentRequirements> = {},
  tokens: Signing["data"]["tokens"] = { [`${SOLANA_DEVNET} ${SOLANA_USDC}`]: { symbol: "USDC", decimals: 6 } },
): Signing {
  const accepted = { ...OFFER, ...change };
  return {
    required: { x402Version: 2, resource: { url: "https://a.test/" }, accepts: [accepted] },
    accepted,
    price: "0.01 USDC",
    data: { networks: {}, tokens },
    network: { title: "Solana Devnet", blockhash: server.url.href },
    now: () => 1_800_000_000,
    tell: () => undefined,
    confirm: async () => undefined,
    isStopped: () => false,
  };
}

async function errorOf(parts: Parts, signing = signingOf()): Promise<string> {
  try {
    return `signed: ${await signSolana(walletWith(parts).wallet, signing)}`;
  } catch (error) {
    if (error instanceof NotSigned) return error.message;
    throw error;
  }
}

test("a wallet that can connect and sign pays on the clusters that it names", () => {
  const { wallet } = walletWith({});
  const { features } = wallet;
  expect(networksOf(wallet)).toEqual(["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", SOLANA_DEVNET]);
  expect(networksOf({ ...wallet, chains: ["solana:devnet", "x"] })).toEqual([SOLANA_DEVNET]);
  for (const other of [
    { features },
    { chains: "solana:devnet", features },
    { chains: CHAINS },
    { chains: CHAINS, features: { "standard:connect": features["standard:connect"] } },
    { chains: CHAINS, features: { "solana:signTransaction": features["solana:signTransaction"] } },
    { chains: CHAINS, features: { ...features, "standard:connect": { connect: 1 } } },
    undefined,
  ])
    expect(networksOf(other)).toEqual([]);
});

test("a wallet signs a transfer, and the page sends what it signed", async () => {
  const accounts = [{ address: 7 }, { address: "short" }, { address: PAYER }];
  const { wallet, inputs } = walletWith({ accounts });
  expect(decodeHeader(await signSolana(wallet, signingOf()))).toMatchObject({ payload: { transaction: "AQI=" } });
  expect(inputs).toEqual([
    { account: { address: PAYER }, chain: "solana:devnet", transaction: expect.any(Uint8Array) },
  ]);
});

test.each<[what: string, parts: Parts, message: string]>([
  ["names no account", { accounts: [] }, "The wallet named no account."],
  ["names accounts of others", { accounts: [{ address: "x" }] }, "The wallet named no account."],
  ["names something else", { accounts: "x" }, "The wallet named no account."],
  [
    "declines",
    { error: Object.assign(new Error("x"), { code: 4001 }) },
    "You declined in the wallet. Nothing was paid.",
  ],
  ["returns nothing", { signed: [] }, "The wallet did not return a transaction. Nothing was sent."],
  [
    "returns something else",
    { signed: { signedTransaction: Uint8Array.of(1) } },
    "The wallet did not return a transaction.",
  ],
  ["returns a text", { signed: [{ signedTransaction: "x" }] }, "The wallet did not return a transaction."],
  [
    "returns too much",
    { signed: [{ signedTransaction: new Uint8Array(1233) }] },
    "The wallet did not return a transaction.",
  ],
  ["returns a long transaction", { signed: [{ signedTransaction: new Uint8Array(1232) }] }, "signed: "],
])("a wallet that %s", async (_what, parts, message) => {
  expect(await errorOf(parts)).toStartWith(message);
});

const TERMS = "The terms of this price cannot be paid here. Nothing was paid.";

test.each<[what: string, signing: () => Signing, message: string]>([
  ["without a payer of fees", () => signingOf({ extra: {} }), TERMS],
  ["whose payer of fees is the payer", () => signingOf({ extra: { feePayer: PAYER } }), TERMS],
  ["whose payer of fees is not an address", () => signingOf({ extra: { feePayer: "x" } }), TERMS],
  ["of an unknown token", () => signingOf({}, {}), TERMS],
  ["with a memo that is not a text", () => signingOf({ extra: { feePayer: ADDRESS, memo: 7 } }), TERMS],
  ["to the payer", () => signingOf({ payTo: PAYER }), "This is the seller's own account. Nothing was paid."],
  ["with a memo", () => signingOf({ extra: { feePayer: ADDRESS, memo: "order 7" } }), "signed: "],
])("an offer %s", async (_what, signing, message) => {
  expect(await errorOf({}, signing())).toStartWith(message);
});

test.each<[what: string, response: () => Response]>([
  ["fails", () => Response.json({ blockhash: ADDRESS }, { status: 500 })],
  ["sends no JSON", () => new Response("x")],
  ["sends no blockhash", () => Response.json({})],
  ["sends another blockhash", () => Response.json({ blockhash: "x" })],
])("nothing is paid if the seller's server %s", async (_what, response) => {
  reply = response;
  expect(await errorOf({})).toBe("The seller's connection to Solana does not respond. Nothing was paid.");
});

test("nothing is paid from a page that did not come over HTTPS", async () => {
  Reflect.set(globalThis, "isSecureContext", false);
  expect(await errorOf({})).toBe("Payments on Solana need HTTPS. Nothing was paid.");
});
