import {
  address,
  type Address,
  createKeyPairSignerFromPrivateKeyBytes,
  getBase64Encoder,
  getTransactionDecoder,
  lamports,
  type Transaction,
} from "@solana/kit";
import type * as Litesvm from "litesvm";
import { isInstalled } from "../../lib/testing/installed.ts";
import { keyBytes, PROGRAMS } from "../solana/address.ts";
import { toBase58 } from "../solana/base58.ts";
import { tokenAccount } from "../solana/token-account.ts";

/** USDC of Solana Devnet, whose mint the chain has. */
export const SOLANA_USDC = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU";
export const SOLANA_DEVNET = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";

/** Loads the native addon of this platform. */
const litesvm = (): typeof Litesvm => require("litesvm");

function isThere(): boolean {
  try {
    litesvm();
    return true;
  } catch {
    return false;
  }
}

/** False if the cluster's program does not exist for this platform: `describe.skipIf(!hasSolana)`. */
export const hasSolana = isInstalled("litesvm", isThere());

const DECIMALS = 6;
const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const RENT = lamports(10_000_000n);

export type SolanaSigner = Awaited<ReturnType<typeof createKeyPairSignerFromPrivateKeyBytes>>;

/** A new account. */
export function newSigner(): Promise<SolanaSigner> {
  return createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)));
}

interface Sent {
  readonly wire: string;
  readonly accounts: readonly string[];
  readonly isFailed: boolean;
}

/** A Solana cluster in this process, behind the JSON-RPC methods that payments use. */
export class SolanaChain {
  readonly #svm = new (litesvm().LiteSVM)();
  readonly #sent = new Map<string, Sent>();
  readonly #server: Bun.Server<undefined>;
  /** Methods that were called, in order. */
  readonly calls: string[] = [];
  /** The state of failed transactions, and of those in the list of an account. */
  finality: "finalized" | "confirmed" = "finalized";
  /** Called before a method; a rejection is the response's error. */
  before: (method: string) => Promise<void> = () => Promise.resolve();

  constructor() {
    this.addMint(SOLANA_USDC);
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#respond(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The transactions that were executed, by their signatures. */
  get executed(): readonly string[] {
    return [...this.#sent].filter(([, { isFailed }]) => !isFailed).map(([signature]) => signature);
  }

  addMint(mint: string): void {
    const data = new Uint8Array(MINT_BYTES);
    data[44] = DECIMALS;
    data[45] = 1;
    this.#put(mint, data, PROGRAMS.token);
  }

  /** Gives `owner` a token account with `amount`. */
  fund(owner: string, amount: bigint, mint: string = SOLANA_USDC): void {
    const data = new Uint8Array(TOKEN_ACCOUNT_BYTES);
    data.set(keyBytes(mint) ?? [], 0);
    data.set(keyBytes(owner) ?? [], 32);
    new DataView(data.buffer).setBigUint64(64, amount, true);
    data[108] = 1;
    this.#put(accountOf(owner, mint), data, PROGRAMS.token);
  }

  /** Gives `account` money for fees. */
  airdrop(account: Address): void {
    this.#svm.airdrop(account, lamports(1_000_000_000n));
  }

  /** The money of `account` for fees. */
  lamports(account: Address): bigint {
    return this.#svm.getBalance(account) ?? 0n;
  }

  balance(owner: string, mint: string = SOLANA_USDC): bigint {
    const account = this.#svm.getAccount(address(accountOf(owner, mint)));
    if (!account.exists) return 0n;
    return new DataView(account.data.buffer, account.data.byteOffset).getBigUint64(64, true);
  }

  /** Makes all blockhashes before this call too old. */
  expire(): void {
    this.#svm.expireBlockhash();
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }

  #put(at: string, data: Uint8Array, owner: string): void {
    const space = BigInt(data.length);
    this.#svm.setAccount({
      address: address(at),
      data,
      executable: false,
      lamports: RENT,
      programAddress: address(owner),
      space,
    });
  }

  async #respond(request: Request): Promise<Response> {
    const { id, method, params } = (await request.json()) as { id: unknown; method: string; params: unknown[] };
    this.calls.push(method);
    try {
      await this.before(method);
      return Response.json({ jsonrpc: "2.0", id, result: this.#call(method, params) });
    } catch (error) {
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32603, message: String(error) } });
    }
  }

  #call(method: string, [first, options]: unknown[]): unknown {
    const context = { slot: 1 };
    switch (method) {
      case "getGenesisHash":
        return `${SOLANA_DEVNET.slice("solana:".length)}cwaWoxPkrZBG`;
      case "getAccountInfo":
        return { context, value: this.#accountInfo(String(first)) };
      case "getTokenAccountBalance":
        return { context, value: { amount: this.#amountOf(String(first)), decimals: DECIMALS } };
      case "getLatestBlockhash":
        return { context, value: { blockhash: this.#svm.latestBlockhash(), lastValidBlockHeight: 150 } };
      case "isBlockhashValid":
        return { context, value: first === this.#svm.latestBlockhash() };
      case "simulateTransaction":
        return { context, value: this.#simulate(String(first)) };
      case "sendTransaction":
        return this.#send(String(first));
      case "getSignatureStatuses":
        return { context, value: (first as string[]).map((signature) => this.#status(signature)) };
      case "getSignaturesForAddress":
        return this.#signaturesFor(String(first), (options as { limit: number }).limit);
      case "getTransaction": {
        const sent = this.#sent.get(String(first));
        return sent === undefined
          ? null
          : { slot: 1, transaction: [sent.wire, "base64"], meta: { err: errorOf(sent) } };
      }
      default:
        throw new Error(`no method ${method}`);
    }
  }

  #accountInfo(at: string): object | null {
    const account = this.#svm.getAccount(address(at));
    if (!account.exists) return null;
    const data = [Buffer.from(account.data).toString("base64"), "base64"];
    const { executable, programAddress: owner, space } = account;
    return { data, executable, lamports: Number(account.lamports), owner, rentEpoch: 0, space: Number(space) };
  }

  #amountOf(at: string): string {
    const account = this.#svm.getAccount(address(at));
    if (!account.exists) throw new Error("Invalid param: could not find account");
    return new DataView(account.data.buffer, account.data.byteOffset).getBigUint64(64, true).toString();
  }

  #simulate(wire: string): object {
    this.#svm.withSigverify(false);
    try {
      const result = this.#svm.simulateTransaction(decoded(wire));
      const isFailed = result instanceof litesvm().FailedTransactionMetadata;
      return { err: isFailed ? nameOf(String(result.err())) : null, logs: [], unitsConsumed: 1000, accounts: null };
    } finally {
      this.#svm.withSigverify(true);
    }
  }

  #send(wire: string): string {
    const transaction = decoded(wire);
    const result = this.#svm.sendTransaction(transaction);
    const isFailed = result instanceof litesvm().FailedTransactionMetadata;
    if (isFailed && !(result.meta().logs().length > 0))
      throw new Error(`Transaction simulation failed: ${result.toString()}`);
    const [signed] = Object.values(transaction.signatures);
    if (signed === undefined || signed === null) throw new Error("not signed");
    const signature = toBase58(signed);
    this.#sent.set(signature, { wire, accounts: keysIn(Uint8Array.from(transaction.messageBytes)), isFailed });
    return signature;
  }

  #status(signature: string): object | null {
    const sent = this.#sent.get(signature);
    if (sent === undefined) return null;
    const confirmationStatus = sent.isFailed ? this.finality : "confirmed";
    return { slot: 1, confirmations: 1, err: errorOf(sent), confirmationStatus, status: {} };
  }

  #signaturesFor(account: string, limit: number): readonly object[] {
    return [...this.#sent]
      .filter(([, { accounts }]) => accounts.includes(account))
      .toReversed()
      .slice(0, limit)
      .map(([signature, sent]) => ({ signature, slot: 1, err: errorOf(sent), confirmationStatus: this.finality }));
  }
}

/** An error as a cluster names it; litesvm has numbers. */
function nameOf(error: string): string {
  return { "2": "AccountNotFound", "4": "InsufficientFundsForFee" }[error] ?? error;
}

function errorOf({ isFailed }: Sent): string | null {
  return isFailed ? "InstructionError" : null;
}

function accountOf(owner: string, mint: string): string {
  const account = tokenAccount(owner, mint, PROGRAMS.token);
  if (account === undefined) throw new Error(`not an address: ${owner}`);
  return account;
}

function decoded(wire: string): Transaction {
  return getTransactionDecoder().decode(getBase64Encoder().encode(wire));
}

/** The keys of a message with version 0 and fewer than 128 of them. */
function keysIn(message: Uint8Array): readonly string[] {
  return Array.from({ length: message[4] ?? 0 }, (_, i) => toBase58(message.slice(5 + 32 * i, 37 + 32 * i)));
}
