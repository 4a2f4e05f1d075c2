import { readResponse, readJsonResponse } from "../lib/http/response-bytes.ts";
import {
  type AnyChoice,
  type Paid,
  payAndFetch,
  PaymentDeclined,
  PaymentOutcomeUnknown,
  type PayOptions,
} from "../payments/client/client.ts";
import { channelsPath } from "../payments/client/channels/channel-file.ts";
import { Channels } from "../payments/client/channels/channels.ts";
import { payerFrom } from "../payments/client/channels/pay-from-channel.ts";
import { type ChannelPayer } from "../payments/client/send-paid.ts";
import { createFunds } from "../payments/client/funds.ts";
import { parsePreferences } from "../payments/client/preference.ts";
import { type Environment, openChain, rpcVariable } from "../payments/evm/balances.ts";
import { checksumAddress } from "../payments/x402/address-hash.ts";
import { type Receipt } from "../payments/x402/messages.ts";
import { isEvm, parseNetwork } from "../payments/x402/networks.ts";
import { formatAmount, isAtomic } from "../payments/x402/price.ts";
import { readLimit } from "../payments/client/limit.ts";
import { SignedTotal } from "../payments/client/total.ts";
import { type Account, addressOfPrivateKey } from "../payments/signatures/signature.ts";
import { clusterVariable, createSolanaPayer } from "../payments/client/solana-payer.ts";
import { readSolanaWallet, solanaWalletPath } from "../payments/client/solana-wallet.ts";
import { parseSolanaKey } from "../payments/solana/parse-key.ts";
import { type SolanaAccount } from "../payments/solana/transfer.ts";
import { openWallet } from "../payments/client/wallet.ts";
import { type CallOptions, type FetchOptions, type OperationTarget, type TurnpikeFile } from "./call.ts";
import {
  CALLBACK,
  checkOptions,
  KEY,
  type OptionTypes,
  SIGNAL,
  TEXT,
  TEXTS,
  TEXTS_BY_NAME,
  URL_TEXT,
} from "../lib/check-options.ts";
import { Job } from "./job.ts";
import { type BatchRequest, type CrawlRequest, Operations, type StartedJob } from "./operations.ts";
import { problemOf, TurnpikePaymentError } from "./turnpike-error.ts";

export { TurnpikePaymentError, TurnpikeProblem } from "./turnpike-error.ts";
export type { CallOptions, FetchOptions, TurnpikeFile } from "./call.ts";
export { Job } from "./job.ts";
export type { JobDeps, ResultOptions } from "./job.ts";
export type * from "./operations.ts";

/** The payment of a call. */
export interface Payment {
  /** The path of the paid request; for `fetch` the whole URL. */
  readonly path: string;
  /** In dollars, such as "$0.005". */
  readonly price: string;
  /** The network's CAIP-2 identifier, such as "eip155:8453". */
  readonly network: string;
  /** The transaction's hash. */
  readonly transaction: string;
}

/** The settings of a `Turnpike`. Without `privateKey` and `wallet` it cannot pay. */
export interface TurnpikeOptions {
  /** The gateway's URL. Default: http://127.0.0.1:8080. */
  readonly url?: string | URL | undefined;
  /** The private key that pays: 32 bytes, or 64 hexadecimal digits with or without 0x. */
  readonly privateKey?: string | Uint8Array | undefined;
  /** The path of a wallet file of `turnpike wallet`, in place of a key; created on first use. */
  readonly wallet?: string | undefined;
  /** The highest price of one call, such as `0.05`, `0.05 USDC` or `$0.05`. Default: 1 USDC. */
  readonly maxPrice?: string | undefined;
  /**
   * The highest sum of all signatures of this object. The signature of a failed call counts until it expires. Default: no limit.
   */
  readonly maxTotal?: string | undefined;
  /**
   * The order of payment methods, if a server offers several. Each text names a network, a scheme, a token or several of them:
   * `base`, `upto`, `base/USDC`. Default: the cheapest.
   */
  readonly prefer?: readonly string[] | undefined;
  /**
   * JSON-RPC endpoints of chains by network, such as `{ base: "https://…" }`. On these chains, the client looks up the
   * balances of the wallet and pays with a token that it has, also by Permit2 if it is approved.
   */
  readonly rpc?: Readonly<Record<string, string>> | undefined;
  /**
   * The most that payment channels (batch-settlement) may hold unspent at once, such as `5 USDC`. A channel pays requests
   * without a transaction for each. It needs `wallet` or `channels`. Default: no channels.
   */
  readonly maxDeposit?: string | undefined;
  /** The private key of an account on Solana: base58, as wallets export it, or a JSON array of 64 numbers. */
  readonly solanaKey?: string | undefined;
  /** The folder with the state of the channels, which only this client and its owner use. Default: beside `wallet`. */
  readonly channels?: string | undefined;
  /** Sends the requests. Default: the global fetch. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Called after each successful payment. */
  readonly onPayment?: ((payment: Payment) => void) | undefined;
}

const DEFAULT_URL = "http://127.0.0.1:8080";
const DEFAULT_MAX_PRICE = "1 USDC";

const OPTIONS: OptionTypes<TurnpikeOptions> = {
  url: URL_TEXT,
  privateKey: KEY,
  wallet: TEXT,
  maxPrice: TEXT,
  maxTotal: TEXT,
  prefer: TEXTS,
  rpc: TEXTS_BY_NAME,
  maxDeposit: TEXT,
  solanaKey: TEXT,
  channels: TEXT,
  fetch: CALLBACK,
  onPayment: CALLBACK,
};
const CALL_OPTIONS: OptionTypes<CallOptions> = { signal: SIGNAL, maxPrice: TEXT };

/**
 * The web content API of a gateway. Each call pays for itself. A call fails with a TurnpikeProblem if the service
 * responds with an error. It fails with a TurnpikePaymentError if it did not make a required payment, or if the outcome
 * of its payment is unknown. It fails with the error of fetch if the gateway cannot be reached.
 */
export class Turnpike extends Operations {
  readonly #base: string;
  readonly #options: TurnpikeOptions;
  readonly #maxPrice: string;
  readonly #total: SignedTotal | undefined;
  readonly #choice: Pick<PayOptions, "prefer" | "funds" | "channels" | "solana">;
  #account: Account | undefined;

  /** Throws if an option is unknown or has another type, or the URL, the key, the price, the order or an endpoint is invalid. */
  constructor(options: TurnpikeOptions = {}) {
    super();
    checkOptions(options, OPTIONS, "Turnpike");
    const url = new URL(options.url ?? DEFAULT_URL);
    if (!/^https?:$/.test(url.protocol))
      throw new TypeError(`Cannot use the URL "${url.href}": it is not http or https`);
    this.#base = url.href.replace(/\/+$/, "");
    this.#options = options;
    this.#maxPrice = limitOf(options.maxPrice ?? DEFAULT_MAX_PRICE);
    if (options.maxTotal !== undefined) this.#total = new SignedTotal(limitOf(options.maxTotal, "maxTotal"));
    this.#choice = {
      prefer: parsePreferences(options.prefer ?? []),
      channels: channelsOf(options),
      funds: createFunds(rpcEndpoints(options.rpc ?? {}), () => this.#payer().address),
    };
    const { solanaKey, wallet } = options;
    if (solanaKey !== undefined || wallet !== undefined) {
      const account = solanaKey === undefined ? undefined : solanaAccountOf(solanaKey);
      const opened = (): SolanaAccount | undefined => account ?? readSolanaWallet(solanaWalletPath(wallet ?? ""));
      this.#choice = { ...this.#choice, solana: createSolanaPayer(rpcEndpoints(options.rpc ?? {}), opened) };
    }
    if (options.privateKey !== undefined) this.#account = accountOf(options.privateKey);
  }

  /** The address that pays; undefined if there is neither a key nor a wallet. */
  get address(): string | undefined {
    return this.#account?.address ?? (this.#options.wallet === undefined ? undefined : this.#payer().address);
  }

  /** Starts a crawl: a job that loads the pages of a site. */
  async crawl(request: CrawlRequest, options?: CallOptions): Promise<Job> {
    return this.job(await this.json<StartedJob>({ method: "POST", path: "/crawl" }, request, options));
  }

  /** Starts a job that loads many addresses. */
  async batchJob(request: Omit<BatchRequest, "async">, options?: CallOptions): Promise<Job> {
    const body = { ...request, async: true };
    return this.job(await this.json<StartedJob>({ method: "POST", path: "/batch" }, body, options));
  }

  /** A job that was started before. Requests about jobs are free: they never pay. */
  job(started: StartedJob): Job {
    return new Job(started, { base: this.#base, fetch: this.#options.fetch ?? fetch });
  }

  protected override async json<T>(target: OperationTarget, body: unknown, options?: CallOptions): Promise<T> {
    // The service's own description defines the shape of its responses.
    return await this.#read(target, body, options, async (response) => (await readJsonResponse(response)) as T);
  }

  protected override async file(target: OperationTarget, body: unknown, options?: CallOptions): Promise<TurnpikeFile> {
    return await this.#read(target, body, options, async (response) => {
      const contentType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
      return { bytes: await readResponse(response), contentType };
    });
  }

  async #read<T>(
    target: OperationTarget,
    body: unknown,
    options: CallOptions | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { response, choice } = await this.#send(target, body, options);
    try {
      return await read(response);
    } catch (error) {
      if (choice === undefined) throw error;
      throw new TurnpikePaymentError(
        "Cannot read the response that was paid for: it ended early, or is not a response of this service",
        true,
        error,
      );
    }
  }

  /**
   * Like the global fetch, for any URL on any x402 server. It pays the requested price, at most `maxPrice`. The
   * response may have any status. The request may be sent more than once, so the body cannot be a stream. A relative
   * URL is relative to the gateway's.
   */
  async fetch(url: string | URL, init: FetchOptions = {}): Promise<Response> {
    // Runtimes add options of their own; those of the price are this client's.
    const own = Object.entries(init).filter(([name]) => /^max/i.test(name));
    checkOptions(Object.fromEntries(own), CALL_OPTIONS, "fetch");
    const { maxPrice, ...rest } = init;
    const { href } = new URL(url, `${this.#base}/`);
    const { response } = await this.#pay(href, await repeatable(rest), { maxPrice, path: href });
    return response;
  }

  async #send({ method, path, secret }: OperationTarget, body: unknown, options: CallOptions = {}): Promise<Paid> {
    checkOptions(options, CALL_OPTIONS, path);
    const init: RequestInit = {
      method,
      ...(method === "POST" ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
      // A redirect would send the secret to its target.
      ...(secret === undefined ? {} : { headers: Object.fromEntries([secret]), redirect: "manual" }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    const paid = await this.#pay(this.#base + path, init, { maxPrice: options.maxPrice, path });
    const { response } = paid;
    if (!response.ok) throw await problemOf(response);
    return paid;
  }

  /** `path` is passed to `onPayment`. */
  async #pay(url: string, init: RequestInit, { maxPrice, path }: PayCall): Promise<Paid> {
    const { fetch } = this.#options;
    const pay = {
      ...this.#choice,
      account: () => this.#payer(),
      maxPrice: maxPrice === undefined ? this.#maxPrice : limitOf(maxPrice),
      spend: (dollars: bigint) => this.#total?.add(dollars),
      ...(fetch === undefined ? {} : { fetch }),
    };
    const paid = await payAndFetch(url, init, pay).catch((error: unknown) => {
      throw paymentError(error);
    });
    const { choice, receipt } = paid;
    // If the money moves before the response, an error response may have been paid for.
    // An `upto` payment can charge nothing.
    if (choice !== undefined && receipt?.success === true && receipt.amount !== "0")
      this.#options.onPayment?.(paymentOf(path, choice, receipt));
    return paid;
  }

  #payer(): Account {
    const { wallet } = this.#options;
    if (this.#account === undefined && wallet === undefined) {
      throw new PaymentDeclined("Cannot pay: there is no privateKey and no wallet");
    }
    this.#account ??= openWallet(wallet ?? "").account;
    return this.#account;
  }
}

function channelsOf({ maxDeposit, wallet, rpc, channels: folder }: TurnpikeOptions): ChannelPayer | undefined {
  if (maxDeposit === undefined) return undefined;
  const path = folder ?? (wallet === undefined ? undefined : channelsPath(wallet));
  if (path === undefined) throw new TypeError("Cannot pay from channels: name a wallet, or the folder of the channels");
  return payerFrom(new Channels(path, { maxDeposit: limitOf(maxDeposit, "maxDeposit") }), rpcEndpoints(rpc ?? {}));
}

function rpcEndpoints(rpc: Readonly<Record<string, string>>): Environment {
  return Object.fromEntries(
    Object.entries(rpc).map(([name, url]) => {
      const network = parseNetwork(name);
      const variable = network && (isEvm(network) ? rpcVariable(network) : clusterVariable(network));
      if (variable === undefined) throw new TypeError(`Cannot use the endpoint of "${name}": it is not a network`);
      if (isEvm(network ?? "")) openChain(network ?? "", url);
      return [variable, url];
    }),
  );
}

interface PayCall {
  readonly maxPrice: string | undefined;
  readonly path: string;
}

/** The request with a body to send several times: a form is encoded once. Throws a TypeError for a stream. */
async function repeatable(init: RequestInit): Promise<RequestInit> {
  const { body } = init;
  if (body instanceof ReadableStream || (typeof body === "object" && body !== null && Symbol.asyncIterator in body)) {
    throw new TypeError("Cannot send a stream: the request may have to be sent again. Read it into memory first");
  }
  if (!(body instanceof FormData)) return init;
  const form = new Response(body);
  const headers = new Headers(init.headers);
  headers.set("content-type", form.headers.get("content-type") ?? "");
  return { ...init, headers, body: await form.arrayBuffer() };
}

function limitOf(price: string, name = "maxPrice"): string {
  const limit = readLimit(price);
  if (limit === undefined) throw new TypeError(`Cannot use the ${name} "${price}": it is not an amount such as 0.05`);
  return limit;
}

function accountOf(key: string | Uint8Array): Account {
  const privateKey = typeof key === "string" ? bytesOf(key) : key;
  // The error does not show the value, because it may be the key.
  if (privateKey?.length !== 32) throw new TypeError("Cannot use the privateKey: it is not 32 bytes");
  try {
    return { privateKey, address: checksumAddress(addressOfPrivateKey(privateKey)) };
  } catch {
    throw new TypeError("Cannot use the privateKey: it is not valid for secp256k1");
  }
}

function solanaAccountOf(key: string): SolanaAccount {
  const account = parseSolanaKey(key);
  if (account === undefined)
    throw new TypeError("Cannot use the solanaKey: it is not 64 bytes in base58, or a JSON array");
  return account;
}

function bytesOf(hex: string): Uint8Array | undefined {
  const digits = /^(?:0x)?([\da-f]{64})$/i.exec(hex)?.[1];
  return digits === undefined ? undefined : new Uint8Array(Buffer.from(digits, "hex"));
}

function paymentError(error: unknown): unknown {
  if (error instanceof PaymentDeclined) return new TurnpikePaymentError(error.message, false, error.cause);
  if (error instanceof PaymentOutcomeUnknown) return new TurnpikePaymentError(error.message, true, error.cause);
  return error;
}

function paymentOf(path: string, { requirements, asset }: AnyChoice, { transaction, amount }: Receipt): Payment {
  const charged = amount !== undefined && isAtomic(amount) ? amount : requirements.amount;
  const price = `$${formatAmount(charged, asset.decimals)}`;
  return { path, price, network: requirements.network, transaction };
}
