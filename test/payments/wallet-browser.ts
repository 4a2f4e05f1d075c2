/** Wallets of tests, whose keys are in this process, in pages of a real browser. */
import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { type Page } from "puppeteer-core";
import { privateKeyToAccount } from "viem/accounts";
import { type Chain } from "../../src/payments/testing/chain.ts";
import { PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { until } from "../../src/lib/testing/until.ts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { paymentRequiredSchema } from "../../src/payments/x402/messages.ts";
import { type Hex } from "../../src/payments/x402/address.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { dress, startBrowser, type TestBrowser } from "../support/browser.ts";

/** Folder for pictures of the page; unset: none. */
const PICTURES = process.env["TURNPIKE_PAGE_PICTURES"] ?? "";

/** A call of a page to a wallet. */
export interface Call {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** A wallet of a test. */
export interface TestWallet {
  readonly name: string;
  readonly icon?: string;
  readonly key: Hex;
  chain: string;
  readonly calls: string[];
  /** Replaces the response to some calls. */
  hand?: (call: Call) => unknown;
}

export function wallet(change: Partial<TestWallet> = {}): TestWallet {
  return { name: "Honest", key: PRIVATE_KEY, chain: "0x14a34", calls: [], ...change };
}

/** An error with a code, as wallets throw it. */
export function failure(code: number): unknown {
  return { failure: { code } };
}

/** Throws a value that is not an error: `null`, a text, or an object whose properties throw. */
export function odd(thrown: "null" | "text" | "trap"): unknown {
  return { odd: thrown };
}

/** Methods of a wallet to which its node responds. */
const NODE_METHODS = ["eth_call", "eth_sendTransaction", "eth_getTransactionReceipt"];

async function callWallet(chain: Chain | undefined, asked: TestWallet | undefined, call: Call): Promise<unknown> {
  if (asked === undefined) throw new Error("no such wallet");
  const account = privateKeyToAccount(asked.key);
  const { method, params = [] } = call;
  asked.calls.push(method);
  const given = await asked.hand?.(call);
  if (given !== undefined) return given;
  if (method === "eth_requestAccounts") return [account.address];
  if (method === "eth_chainId") return asked.chain;
  // The chain accepts any address as the sender.
  if (NODE_METHODS.includes(method)) return await chain?.rpc(method, params).catch(() => failure(-32_000));
  if (method !== "eth_signTypedData_v4") return null;
  return await account.signTypedData(JSON.parse(String(params[1])));
}

/** Announces wallets by EIP-6963, with functions that ask this process. */
const ANNOUNCE = `(wallets) => {
  const odd = {
    null: null,
    text: "<b>evil</b>",
    trap: new Proxy({}, { get() { throw new Error("evil") }, has() { throw new Error("evil") } }),
  };
  const announce = () => wallets.forEach(({ name, icon }, at) => {
    const request = async (call) => {
      const result = await askWallet(at, call);
      if (result?.odd) throw odd[result.odd];
      if (result?.failure) throw Object.assign(new Error("<b>evil</b>"), result.failure);
      return result;
    };
    const detail = Object.freeze({ info: { uuid: String(at), name, icon, rdns: "test.wallet" }, provider: { request } });
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  });
  addEventListener("eip6963:requestProvider", announce);
  announce();
}`;

/** Waits until a gateway that was just started offers all of `offers`: some need values of the facilitator. */
export async function untilOffered(url: string, offers: number): Promise<void> {
  await until(async () => {
    const header = (await fetch(url)).headers.get("payment-required");
    const required = paymentRequiredSchema.safeParse(decodeHeader(header ?? ""));
    return required.data?.accepts.length === offers;
  });
}

/** A page that a person with wallets has opened. */
export interface Visit {
  readonly page: Page;
  /** Failed scripts, and what the policy blocked. */
  readonly complaints: string[];
  /** Presses a button of the payment as soon as it is there. */
  press(name: string): Promise<void>;
  /** Waits for a text. */
  reads(text: string): Promise<void>;
  /** Ends the visit. Fails if the page had an error. */
  close(): Promise<void>;
}

export interface VisitOptions {
  readonly url: string;
  readonly width?: number;
  /** Called before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** A browser with wallets, whose node is `chain`. */
export class WalletBrowser {
  readonly #browser: TestBrowser;
  readonly #chain: Chain | undefined;

  private constructor(browser: TestBrowser, chain: Chain | undefined) {
    this.#browser = browser;
    this.#chain = chain;
  }

  static async start(chain?: Chain): Promise<WalletBrowser> {
    return new WalletBrowser(await startBrowser(), chain);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async visit(wallets: readonly TestWallet[], { url, width = 1280, prepare }: VisitOptions): Promise<Visit> {
    const context = await this.#browser.browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(patient(10_000));
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !/responded with a status|net::ERR_/.test(message.text())) {
        complaints.push(message.text());
      }
    });
    await dress(page, width, width > 1000 ? "light" : "dark");
    await page.exposeFunction("askWallet", (at: number, call: Call) => callWallet(this.#chain, wallets[at], call));
    const told = JSON.stringify(wallets.map(({ name, icon = "" }) => ({ name, icon })));
    await page.evaluateOnNewDocument(`(${ANNOUNCE})(${told})`);
    await prepare?.(page);
    await page.goto(url, { waitUntil: "load" });
    return {
      page,
      complaints,
      async press(name) {
        const found = `[...document.querySelectorAll("#pay button, #pay label")].find((one) => one.textContent === ${JSON.stringify(name)})`;
        await page.waitForFunction(`(() => { const found = ${found}; found?.click(); return found !== undefined })()`);
      },
      async reads(text) {
        await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`).catch(async (error) => {
          throw new Error(`Not shown: '${text}': ${String(await page.evaluate("document.body.innerText"))}`, {
            cause: error,
          });
        });
      },
      async close() {
        expect(complaints).toEqual([]);
        await page.browserContext().close();
      },
    };
  }
}

/** Keeps a picture of the page, if there is a folder for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === "") return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}
