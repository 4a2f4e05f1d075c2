/** The responses of sellers to payments on Solana, and their outcomes for the client, without a cluster. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toBase58 } from "../solana/base58.ts";
import { solanaAccount } from "../solana/transfer.ts";
import { SOLANA_DEVNET, SOLANA_USDC } from "../testing/solana-chain.ts";
import { encodeHeader } from "../x402/header.ts";
import { PENDING, payAndFetch, PaymentDeclined, type PayOptions } from "./client.ts";
import { createSolanaPayer } from "./solana-payer.ts";
import { createSolanaWallet, readSolanaWallet, solanaWalletPath } from "./solana-wallet.ts";

const NOW = 1_800_000_000_000;
const [OWN, SELLER, FEES] = [1, 2, 3].map((byte) => solanaAccount(new Uint8Array(32).fill(byte)));
if (OWN === undefined || SELLER === undefined || FEES === undefined) throw new Error("there are no accounts");
const REQUIRED = {
  scheme: "exact",
  network: SOLANA_DEVNET,
  amount: "10000",
  asset: SOLANA_USDC,
  payTo: SELLER.address,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEES.address, recentBlockhash: SELLER.address },
};
const RECEIPT = { success: true, transaction: "5".repeat(88), network: SOLANA_DEVNET, payer: OWN.address };

interface Reply {
  readonly status: number;
  readonly receipt?: object;
  readonly body?: string;
  readonly after?: string;
  readonly isBroken?: boolean;
}

/** Pays a seller who replies to each payment with the next reply, and then with the last one. */
async function buy(replies: readonly Reply[], change: Partial<PayOptions> = {}, init: RequestInit = {}) {
  const payments: string[] = [];
  const freed: number[] = [];
  const challenge = { x402Version: 2, resource: { url: "https://shop.example/" }, accepts: [REQUIRED] };
  const paid = await payAndFetch("https://shop.example/", init, {
    account: () => {
      throw new Error("no EVM account is needed");
    },
    maxPrice: "$0.05",
    now: () => NOW,
    sleep: async () => {},
    spend: () => (expires) => void freed.push(expires),
    solana: createSolanaPayer({}, () => OWN),
    fetch: async (_, { headers }) => {
      const header = new Headers(headers).get("payment-signature");
      if (header === null)
        return new Response(null, { status: 402, headers: { "payment-required": encodeHeader(challenge) } });
      payments.push(header);
      const {
        status,
        body = "",
        receipt,
        after,
        isBroken,
      } = replies[payments.length - 1] ?? replies.at(-1) ?? { status: 500 };
      if (isBroken === true) throw new Error("cut");
      const fields = new Headers();
      if (receipt !== undefined) fields.set("payment-response", encodeHeader(receipt));
      if (after !== undefined) fields.set("retry-after", after);
      return new Response(body, { status, headers: fields });
    },
    ...change,
  });
  return { ...paid, payments, freed };
}

const PENDING_BODY = JSON.stringify({ type: PENDING });

test.each<[what: string, outcome: "paid" | "free" | "open" | "charged", tries: number, replies: readonly Reply[]]>([
  ["is delivered", "paid", 1, [{ status: 200, receipt: RECEIPT }]],
  ["is delivered after a broken connection", "paid", 2, [{ status: 0, isBroken: true }, { status: 200 }]],
  ["fails", "free", 1, [{ status: 500 }]],
  ["is refused", "free", 1, [{ status: 402, receipt: { ...RECEIPT, success: false } }]],
  ["fails, with a receipt", "charged", 1, [{ status: 500, receipt: RECEIPT }]],
  [
    "fails, with a receipt of another network",
    "open",
    1,
    [{ status: 500, receipt: { ...RECEIPT, network: "eip155:1" } }],
  ],
  ["fails after a broken connection", "open", 2, [{ status: 0, isBroken: true }, { status: 500 }]],
  ["is pending", "open", 1, [{ status: 503, body: PENDING_BODY }]],
  ["stays pending", "open", 6, [{ status: 503, body: PENDING_BODY, after: "1" }]],
])("a request that %s is %s, after payment number %d", async (_what, outcome, tries, replies) => {
  const { isOpen, isFree, response, freed, payments } = await buy(replies);
  const said = isOpen ? "open" : isFree ? "free" : response.ok ? "paid" : "charged";
  expect([said, payments.length, new Set(payments).size]).toEqual([outcome, tries, 1]);
  expect(freed).toEqual(outcome === "free" ? [NOW / 1000 + 150] : []);
});

test.each<[what: string, isRead: boolean, change: object]>([
  ["of the shortest transaction", true, { transaction: "2".repeat(64) }],
  ["without a payer", true, { payer: undefined }],
  ["of the whole amount", true, { amount: "10000" }],
  ["of more than the amount", false, { amount: "10001" }],
  ["of a number as the amount", false, { amount: 1 }],
  ["of another payer", false, { payer: SELLER.address }],
  ["of no transaction", false, { transaction: "0".repeat(88) }],
  ["of another network", false, { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }],
])("a receipt %s is read: %p", async (_what, isRead, change) => {
  const { receipt } = await buy([{ status: 200, receipt: { ...RECEIPT, ...change } }]);
  expect(receipt !== undefined).toBe(isRead);
});

function spend(): never {
  throw new Error("nothing may be counted");
}

test("a call that is given up before the signature pays nothing", async () => {
  const giveUp = new AbortController();
  const solana: PayOptions["solana"] = {
    ...createSolanaPayer({}, () => OWN),
    blockhash: async () => {
      giveUp.abort(new Error("given up"));
      return SELLER.address;
    },
  };
  const paid = buy([{ status: 200 }], { solana, spend }, { signal: giveUp.signal });
  expect(await paid.then(() => "paid", String)).toBe("Error: given up");
});

const ask = (url: string) => createSolanaPayer({ TURNPIKE_RPC_SOLANA_DEVNET: url }, () => OWN);

test("an endpoint must be a URL, and one that fails gives no balance and no blockhash", async () => {
  const choice = { requirements: { ...REQUIRED, extra: {} }, asset: USDC, method: "solana" } as const;
  const none = await ask("localhost")
    .balance(choice)
    .catch((error: unknown) => error);
  expect(none).toBeInstanceOf(PaymentDeclined);
  expect(String(none)).toContain("$TURNPIKE_RPC_SOLANA_DEVNET is not a URL");
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { id, method, params } = Object(await request.json());
      calls.push([method, params[0]]);
      const result = method === "getTokenAccountBalance" ? { value: { amount: balance } } : { value: { blockhash } };
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });
  const calls: unknown[] = [];
  let [balance, blockhash] = ["7", FEES.address];
  const payer = ask(server.url.href);
  expect([await payer.balance(choice), await payer.blockhash(choice)]).toEqual([7n, FEES.address]);
  expect(calls.at(-1)).toEqual(["getLatestBlockhash", { commitment: "confirmed" }]);
  [balance, blockhash] = ["-7", "0"];
  expect(await payer.balance(choice)).toBeUndefined();
  expect(await payer.blockhash(choice).catch(String)).toContain("name an RPC endpoint in $TURNPIKE_RPC_SOLANA_DEVNET");
  const offered = { ...choice, requirements: { ...REQUIRED, extra: { recentBlockhash: "no hash" } } };
  expect(await payer.blockhash(offered).catch(String)).toContain("name an RPC endpoint");
  await server.stop(true);
});

const USDC = {
  network: SOLANA_DEVNET,
  address: SOLANA_USDC,
  symbol: "USDC",
  name: "USDC",
  version: "",
  decimals: 6,
} as const;

const pair = (first: number, second: number) => toBase58(new Uint8Array(64).fill(first, 0, 32).fill(second, 32));

test("a wallet file of Solana that is damaged, or that others can read, is not used and not shown", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-solana-wallet-"));
  try {
    const path = solanaWalletPath(join(folder, "new", "wallet.json"));
    expect(readSolanaWallet(path)).toBeUndefined();
    expect(createSolanaWallet(path, OWN)).toBe(OWN);
    expect(readSolanaWallet(path)).toEqual(OWN);
    const good = await Bun.file(path).json();
    for (const bad of [
      "{",
      JSON.stringify({ ...good, version: 2 }),
      JSON.stringify({ ...good, address: SELLER.address }),
      JSON.stringify({ ...good, private_key: pair(1, 2) }),
    ]) {
      writeFileSync(path, bad);
      expect(() => readSolanaWallet(path)).toThrow(
        `Cannot use the wallet "${path}": it is not a wallet file of Solana`,
      );
    }
    for (const mode of [0o640, 0o604]) {
      const open = join(folder, `${mode}.json`);
      writeFileSync(open, JSON.stringify(good), { mode });
      expect(() => readSolanaWallet(open)).toThrow(
        `other users can read it (mode 0${mode.toString(8)}); protect it with: chmod 600`,
      );
    }
    mkdirSync(join(folder, "folder.json"), { mode: 0o700 });
    expect(() => readSolanaWallet(join(folder, "folder.json"))).toThrow(/Cannot use the wallet ".*": EISDIR/);
    const inFile = join(path, "in", "wallet.json");
    expect(() => createSolanaWallet(inFile)).toThrow(`Cannot make a wallet at "${inFile}": ENOTDIR`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
