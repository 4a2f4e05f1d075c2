import { member } from "./member.ts";
import { NotSigned, type Signing } from "./signing.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** A contract wallet's signature can be longer than 65 bytes. */
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){65,2048}$/;
const WORD = /^0x[0-9a-fA-F]{64}$/;
const UNKNOWN_CHAIN = 4902;

/** A wallet's interface (EIP-1193). Nothing that it returns can be relied on. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** A message of EIP-712. The members of each type are written as in Solidity: `address from,uint256 value`. */
export interface Message {
  readonly primaryType: string;
  readonly types: Readonly<Record<string, string>>;
  readonly domain: object;
  readonly message: object;
}

/** A wallet on an EVM chain, of which the person has let this page see an account. */
export class EvmWallet {
  readonly account: string;
  readonly #provider: Provider;

  private constructor(provider: Provider, account: string) {
    this.#provider = provider;
    this.account = account;
  }

  /** Asks for an account, and for the payment's chain. Throws NotSigned. */
  static async open(provider: Provider, signing: Signing): Promise<EvmWallet> {
    signing.tell("Waiting for the wallet: allow this page to see your account.");
    const accounts = await ask(provider, "eth_requestAccounts");
    const account: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
    if (typeof account !== "string" || !ADDRESS.test(account)) throw new NotSigned("The wallet named no account.");
    await choose(provider, signing);
    return new EvmWallet(provider, account);
  }

  /** The account's signature of a message. Throws NotSigned. */
  async sign({ types, domain, ...rest }: Message): Promise<string> {
    const own = Object.keys(domain).map((name) => `${DOMAIN_TYPES[name] ?? "string"} ${name}`);
    const all = Object.entries({ EIP712Domain: own.join(","), ...types }).map(([name, members]) => [
      name,
      members.split(",").map((text) => ({ name: text.replace(/.* /, ""), type: text.replace(/ .*/, "") })),
    ]);
    const typed = JSON.stringify({ types: Object.fromEntries(all), domain, ...rest });
    const signature = await ask(this.#provider, "eth_signTypedData_v4", [this.account, typed]);
    if (typeof signature !== "string" || !SIGNATURE.test(signature)) {
      throw new NotSigned("The wallet did not return a signature. Nothing was sent.");
    }
    return withRecovery(signature);
  }

  /** The number that a contract returns; undefined if the wallet does not say. */
  async read(to: string, data: string): Promise<bigint | undefined> {
    try {
      const result = await request(this.#provider, "eth_call", [{ to, data }, "latest"]);
      return typeof result === "string" && WORD.test(result) ? BigInt(result) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Sends a transaction of the account, and returns its hash. Throws NotSigned. */
  async send(chainId: number, to: string, data: string): Promise<string> {
    const transaction = { from: this.account, to, data, chainId: hexOf(chainId) };
    const hash = await ask(this.#provider, "eth_sendTransaction", [transaction]);
    if (typeof hash !== "string" || !WORD.test(hash)) throw new NotSigned("The wallet sent no transaction.");
    return hash;
  }

  /** True for a transaction that is known to have failed. */
  async hasFailed(hash: string): Promise<boolean> {
    const receipt = await request(this.#provider, "eth_getTransactionReceipt", [hash]).catch(() => undefined);
    return member(receipt, "status") === "0x0";
  }
}

const DOMAIN_TYPES: Readonly<Record<string, string>> = { chainId: "uint256", verifyingContract: "address" };

/** Some hardware wallets write 0 and 1 for 27 and 28, which token contracts do not accept. */
function withRecovery(signature: string): string {
  if (signature.length !== 132) return signature;
  return signature.replace(/0([01])$/, (_, bit: string) => (bit === "0" ? "1b" : "1c"));
}

export function chainIdOf(network: string): number {
  return Number(network.slice("eip155:".length));
}

function hexOf(chainId: number): string {
  return `0x${chainId.toString(16)}`;
}

/** Switches the wallet to the payment's chain, and adds the chain if the wallet does not know it. */
async function choose(provider: Provider, { accepted, network, tell }: Signing): Promise<void> {
  const id = chainIdOf(accepted.network);
  const chainId = hexOf(id);
  const isThere = async () => Number(await ask(provider, "eth_chainId")) === id;
  if (await isThere()) return;
  tell(`Waiting for the wallet: switch to ${network.title}.`);
  try {
    await request(provider, "wallet_switchEthereumChain", [{ chainId }]);
  } catch (error) {
    if (!isUnknownChain(error)) throw explained(error);
    if (network.add === undefined) {
      throw new NotSigned(`The wallet does not know ${network.title}. Add the network in the wallet, and pay again.`);
    }
    tell(`Waiting for the wallet: add ${network.title}.`);
    await ask(provider, "wallet_addEthereumChain", [network.add]);
    // Some wallets add a network without a switch to it.
    if (!(await isThere())) await ask(provider, "wallet_switchEthereumChain", [{ chainId }]);
  }
  if (!(await isThere())) throw new NotSigned(`The wallet stayed on another network than ${network.title}.`);
}

async function request(provider: Provider, method: string, params: readonly unknown[] = []): Promise<unknown> {
  return await provider.request({ method, params });
}

async function ask(provider: Provider, method: string, params?: readonly unknown[]): Promise<unknown> {
  try {
    return await request(provider, method, params);
  } catch (error) {
    throw explained(error);
  }
}

function isUnknownChain(error: unknown): boolean {
  const inner = member(member(error, "data"), "originalError");
  return member(error, "code") === UNKNOWN_CHAIN || member(inner, "code") === UNKNOWN_CHAIN;
}

/** The wallet's own text is not shown: it can say anything. */
export function explained(error: unknown): NotSigned {
  const code = member(error, "code");
  if (code === 4001) return new NotSigned("You declined in the wallet. Nothing was paid.");
  if (code === 4100) return new NotSigned("The wallet does not let this page use the account. Nothing was paid.");
  if (code === 4200 || code === -32601) return new NotSigned("The wallet cannot do this. Try another wallet.");
  if (code === 4900 || code === 4901) return new NotSigned("The wallet is not connected to the network.");
  if (code === -32002) return new NotSigned("The wallet already waits for you. Open it, then pay again.");
  const shown = typeof code === "number" ? ` (code ${code})` : "";
  return new NotSigned(`The wallet failed${shown}. Nothing was paid.`);
}
