/** A person pays on Solana in a real browser: wallets of the Wallet Standard, and hostile ones. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { type Page } from "puppeteer-core";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasSolana, newSigner, SOLANA_DEVNET, SolanaChain } from "../../src/payments/testing/solana-chain.ts";
import { SolanaFacilitator } from "../../src/payments/testing/stock-solana.ts";
import { toBase58 } from "../../src/payments/solana/base58.ts";
import { decodeTransaction } from "../../src/payments/solana/transaction.ts";
import { errors } from "../support/browser.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { never } from "./market.ts";
import { failure, odd, picture, untilOffered, type Visit, wallet, WalletBrowser } from "./wallet-browser.ts";

setDefaultTimeout(patient(60_000));

const PRICE = 20_000n;
const ON_SOLANA = "0.02 USDC on Solana Devnet (solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1)";
const ON_BASE = "0.02 USDC on Base Sepolia (eip155:84532)";
const PAY = "Pay 0.02 USDC with Sol";
const BLOCKHASH = "/.turnpike/solana/blockhash";
/** The signature of the payer in a transaction with two signatures. */
const PAYER_SIGNATURE = 1 + 64;

/** A wallet of a test on Solana. */
interface SolanaTestWallet {
  readonly address: string;
  readonly secret: Uint8Array;
  readonly calls: string[];
  /** Replaces the response to some calls. `transaction`: base64. */
  hand?: (call: { readonly method: string; readonly transaction: string }) => unknown;
}

/** A wallet of the Wallet Standard whose functions ask this process. Another one can do nothing on Solana. */
const REGISTER = `() => {
  const odd = { null: null, text: "<b>evil</b>", trap: new Proxy({}, { get() { throw new Error("evil") } }) };
  const ask = async (method, transaction = new Uint8Array()) => {
    const result = await askSolana({ method, transaction: btoa(String.fromCharCode(...transaction)) });
    if (result?.odd) throw odd[result.odd];
    if (result?.failure) throw Object.assign(new Error("<b>evil</b>"), result.failure);
    return result;
  };
  const wallet = {
    version: "1.0.0",
    name: "Sol",
    icon: "data:image/png;base64,iVBORw0KGgo=",
    chains: ["solana:mainnet", "solana:devnet"],
    accounts: [],
    features: {
      "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [{ address: await ask("connect") }] }) },
      "solana:signTransaction": {
        version: "1.0.0",
        supportedTransactionVersions: ["legacy", 0],
        async signTransaction(...inputs) {
          return await Promise.all(inputs.map(async ({ transaction, chain, account }) => {
            const signed = await ask("sign " + chain + " " + account.address, transaction);
            return { signedTransaction: typeof signed === "string" ? Uint8Array.from(atob(signed), (c) => c.charCodeAt(0)) : signed };
          }));
        },
      },
    },
  };
  const other = { version: "1.0.0", name: "Other", icon: "", chains: ["sui:mainnet"], accounts: [], features: {} };
  const hostile = new Proxy({}, { get() { throw new Error("evil") } });
  const features = wallet.features;
  const chains = new Proxy([], { get() { throw new Error("evil") } });
  const announce = ({ register }) => register(hostile, { name: "Evil", chains, features }, other, wallet);
  addEventListener("wallet-standard:app-ready", ({ detail }) => announce(detail));
  dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: announce }));
  dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: () => { throw new Error("evil") } }));
}`;

function solanaWallet(chain: SolanaChain): SolanaTestWallet {
  const { publicKey, secretKey } = ed25519.keygen();
  const address = toBase58(publicKey);
  chain.fund(address, PRICE);
  return { address, secret: secretKey, calls: [] };
}

/** The transaction with the signature of a wallet. */
function signed(transaction: string, { secret }: SolanaTestWallet): string {
  const bytes = Buffer.from(transaction, "base64");
  bytes.set(ed25519.sign(decodeTransaction(transaction)?.message ?? Buffer.from(""), secret), PAYER_SIGNATURE);
  return bytes.toString("base64");
}

describe.skipIf(!hasSolana)("a route on Solana", () => {
  let chain: SolanaChain;
  let facilitator: SolanaFacilitator;
  let gateway: Gateway;
  let browser: WalletBrowser;
  let payee = "";
  let runs = 0;
  const origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      runs += 1;
      return new Response("the goods", { headers: { "content-type": "text/plain" } });
    },
  });

  beforeAll(async () => {
    chain = new SolanaChain();
    facilitator = await SolanaFacilitator.start(chain);
    payee = (await newSigner()).address;
    chain.fund(payee, 0n);
    const onBase = { price: "$0.02", asset: "USDC", network: "base-sepolia", pay_to: `0x${"2".repeat(40)}` };
    gateway = await startGateway(
      {
        x402: {
          enabled: true,
          facilitator_url: facilitator.url,
          facilitator_timeout_ms: patient(5000),
          chains: [{ network: "solana-devnet", rpc_url_env: "TEST_RPC" }],
        },
        upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
        routes: [
          {
            path_prefix: "/goods",
            upstream: "origin",
            x402: { price: "$0.02", asset: "USDC", network: "solana-devnet", pay_to: payee, accepts: [onBase] },
          },
        ],
      },
      { TEST_RPC: chain.url },
    );
    await untilOffered(`http://127.0.0.1:${gateway.port}/goods`, 2);
    browser = await WalletBrowser.start();
  }, patient(60_000));

  afterAll(async () => {
    await browser.close();
    await gateway.stop();
    await facilitator.kill();
    await chain.close();
    await origin.stop(true);
  });

  function visit(asked: SolanaTestWallet, width = 1280): Promise<Visit> {
    return browser.visit([wallet()], {
      url: `http://127.0.0.1:${gateway.port}/goods`,
      width,
      async prepare(page: Page) {
        await page.exposeFunction("askSolana", async (call: { method: string; transaction: string }) => {
          asked.calls.push(call.method);
          const given = await asked.hand?.(call);
          if (given !== undefined) return given;
          return call.method === "connect" ? asked.address : signed(call.transaction, asked);
        });
        await page.evaluateOnNewDocument(`(${REGISTER})()`);
      },
    });
  }

  test.each([1280, 390])(
    "a wallet pays in a window of %i px, and the page shows the goods and the transaction",
    async (width) => {
      const before = chain.balance(payee);
      const honest = solanaWallet(chain);
      const opened = await visit(honest, width);
      const { page } = opened;
      await opened.reads(PAY);
      expect(await page.$$eval("#pay label", (all) => all.map((label) => label.textContent))).toEqual([
        ON_SOLANA,
        ON_BASE,
      ]);
      await opened.press(ON_BASE);
      await opened.reads("Pay 0.02 USDC with Honest");
      expect(await page.$$eval("#pay button", (all) => all.length)).toBe(1);
      await opened.press(ON_SOLANA);
      expect(await errors(page)).toEqual([]);
      await opened.press(PAY);
      await opened.reads("the goods");
      await opened.reads("Paid 0.02 USDC. The transaction");
      expect(honest.calls).toEqual(["connect", `sign solana:devnet ${honest.address}`]);
      expect([chain.balance(honest.address), chain.balance(payee) - before]).toEqual([0n, PRICE]);
      const [transaction] = chain.executed.slice(-1);
      const link = await page.$eval(`[role="status"] a`, (shown) => shown.getAttribute("href"));
      expect(link).toBe(`https://explorer.solana.com/tx/${transaction}?cluster=devnet`);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      expect(await errors(page)).toEqual([]);
      await picture(page, `solana-${width}`);
      await opened.close();
    },
  );

  test("hostile wallets move nothing, and the next try pays", async () => {
    const before = [chain.balance(payee), runs];
    const moody = solanaWallet(chain);
    const opened = await visit(moody);
    const when = (begin: string, result: unknown): void => {
      moody.hand = ({ method }) => (method.startsWith(begin) ? result : undefined);
    };
    const cases: readonly (readonly [begin: string, result: unknown, words: string])[] = [
      ["connect", failure(4001), "You declined in the wallet. Nothing was paid."],
      ["connect", "<b>account</b>", "The wallet named no account."],
      ["sign", odd("null"), "The wallet failed. Nothing was paid."],
      ["sign", odd("trap"), "The wallet failed. Nothing was paid."],
      ["sign", 7, "The wallet did not return a transaction. Nothing was sent."],
      ["sign", Buffer.alloc(1233).toString("base64"), "The wallet did not return a transaction. Nothing was sent."],
      ["sign", Buffer.alloc(500).toString("base64"), "The payment was refused"],
    ];
    for (const [begin, result, words] of cases) {
      when(begin, result);
      await opened.press(PAY);
      await opened.reads(words);
    }
    // It names another account than the one whose key signs.
    const other = solanaWallet(chain);
    moody.hand = ({ method }) => (method === "connect" ? other.address : undefined);
    await opened.press(PAY);
    await opened.reads("The payment was refused: payment_refused.");
    // It pays itself, and not the seller.
    moody.hand = ({ method, transaction }) => (method === "connect" ? undefined : signed(toItself(transaction), moody));
    await opened.press(PAY);
    await opened.reads("Nothing was paid.");
    when("sign", never());
    await opened.press(PAY);
    await opened.press("Stop waiting");
    await opened.reads("Stopped. Nothing was paid.");
    expect([chain.balance(payee), runs]).toEqual(before as [bigint, number]);
    expect(await opened.page.evaluate("document.body.innerHTML")).not.toContain("evil");
    delete moody.hand;
    await opened.press(PAY);
    await opened.reads("the goods");
    expect(chain.balance(moody.address)).toBe(0n);
    await opened.close();
  });

  test("the page explains a signature that came too late, and a node that is away", async () => {
    const slow = solanaWallet(chain);
    const opened = await visit(slow);
    slow.hand = ({ method }) => {
      if (method !== "connect") chain.expire();
    };
    await opened.press(PAY);
    await opened.reads("more than a minute passed before it was signed");
    chain.before = () => Promise.reject(new Error("away"));
    // The gateway keeps the last blockhash for two seconds.
    await opened.page.waitForFunction(
      `fetch("${BLOCKHASH}?network=${SOLANA_DEVNET}").then(({ status }) => status === 503)`,
      { polling: 200 },
    );
    await opened.press(PAY);
    await opened.reads("The seller's connection to Solana does not respond. Nothing was paid.");
    chain.before = () => Promise.resolve();
    await opened.page.browserContext().close();
  });

  test("the gateway has blockhashes of its clusters only, for GET", async () => {
    const url = `http://127.0.0.1:${gateway.port}${BLOCKHASH}`;
    const asked = `${url}?network=${SOLANA_DEVNET}`;
    let response = await fetch(asked);
    for (; response.status === 503; response = await fetch(asked)) await Bun.sleep(100);
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await response.json()).toEqual({ blockhash: expect.stringMatching(/^\w{32,44}$/) });
    expect((await fetch(`${url}?network=solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp`)).status).toBe(404);
    expect((await fetch(asked, { method: "POST" })).status).toBe(405);
  });
});

/** A transaction whose tokens go back to the account that they come from. */
function toItself(transaction: string): string {
  const bytes = Buffer.from(transaction, "base64");
  const keys = 1 + 2 * 64 + 5;
  bytes.copyWithin(keys + 32 * 3, keys + 32 * 2, keys + 32 * 3);
  return bytes.toString("base64");
}
