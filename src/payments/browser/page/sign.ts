import { type PaymentRequired, type PaymentRequirements } from "../../x402/messages.ts";
import { type PageNetwork } from "../page-data.ts";
import { member, type Provider } from "./wallets.ts";

/** The payer cannot or does not want to sign. The text is for the person. Nothing was sent. */
export class NotSigned extends Error {}

/** Seconds that a signed payment is valid at most, even if the gateway asks for more. */
const MAX_VALID_S = 600;
/** Longest payment header, in characters. */
const MAX_HEADER_LENGTH = 8192;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** A contract wallet's signature can be longer than 65 bytes. */
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){65,2048}$/;
const UNKNOWN_CHAIN = 4902;

const DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];
const TRANSFER = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

export interface Signing {
  readonly required: PaymentRequired;
  readonly accepted: PaymentRequirements;
  readonly provider: Provider;
  readonly network: PageNetwork;
  /** The gateway's clock, in Unix seconds. */
  readonly now: () => number;
  /** Tells the person what the wallet waits for. */
  readonly tell: (text: string) => void;
}

/**
 * Asks the wallet for an account, for the chain and for a signature, in this order. Returns the payment's header. Throws
 * NotSigned.
 */
export async function signPayment(signing: Signing): Promise<string> {
  const { required, accepted, provider, now, tell } = signing;
  tell("Waiting for the wallet: allow this page to see your account.");
  const accounts = await ask(provider, "eth_requestAccounts");
  const from: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof from !== "string" || !ADDRESS.test(from)) throw new NotSigned("The wallet named no account.");
  await choose(signing);
  tell("Waiting for the wallet: check the amount, and sign.");
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(now() + Math.min(accepted.maxTimeoutSeconds, MAX_VALID_S)),
    nonce: `0x${randomHex()}`,
  };
  const typed = {
    types: { EIP712Domain: DOMAIN, TransferWithAuthorization: TRANSFER },
    primaryType: "TransferWithAuthorization",
    domain: {
      name: accepted.extra["name"],
      version: accepted.extra["version"],
      chainId: chainIdOf(accepted.network),
      verifyingContract: accepted.asset,
    },
    message: authorization,
  };
  const signature = await ask(provider, "eth_signTypedData_v4", [from, JSON.stringify(typed)]);
  if (typeof signature !== "string" || !SIGNATURE.test(signature)) {
    throw new NotSigned("The wallet did not return a signature. Nothing was sent.");
  }
  const payload = { signature: withRecovery(signature), authorization };
  return withExtensions(required, { x402Version: 2, resource: required.resource, accepted, payload });
}

/** Some hardware wallets write 0 and 1 for 27 and 28, which token contracts do not accept. */
function withRecovery(signature: string): string {
  if (signature.length !== 132) return signature;
  return signature.replace(/0([01])$/, (_, bit: string) => (bit === "0" ? "1b" : "1c"));
}

function chainIdOf(network: string): number {
  return Number(network.slice("eip155:".length));
}

/** Switches the wallet to the payment's chain, and adds the chain if the wallet does not know it. */
async function choose({ accepted, provider, network, tell }: Signing): Promise<void> {
  const id = chainIdOf(accepted.network);
  const chainId = `0x${id.toString(16)}`;
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
function explained(error: unknown): NotSigned {
  const code = member(error, "code");
  if (code === 4001) return new NotSigned("You declined in the wallet. Nothing was paid.");
  if (code === 4100) return new NotSigned("The wallet does not let this page use the account. Nothing was paid.");
  if (code === 4200 || code === -32601) return new NotSigned("The wallet cannot do this. Try another wallet.");
  if (code === 4900 || code === 4901) return new NotSigned("The wallet is not connected to the network.");
  if (code === -32002) return new NotSigned("The wallet already waits for you. Open it, then pay again.");
  const shown = typeof code === "number" ? ` (code ${code})` : "";
  return new NotSigned(`The wallet failed${shown}. Nothing was paid.`);
}

function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The payment header with the gateway's extensions, if they fit, and with an identifier if the gateway accepts one. */
function withExtensions({ extensions }: PaymentRequired, payment: object): string {
  if (extensions === undefined) return encode(payment);
  const key = "payment-identifier";
  const offered = extensions[key];
  const named =
    typeof offered === "object" && offered !== null
      ? { [key]: { ...offered, info: { ...infoOf(offered), id: `pay_${randomHex()}` } } }
      : {};
  const whole = encode({ ...payment, extensions: { ...extensions, ...named } });
  return whole.length <= MAX_HEADER_LENGTH ? whole : encode({ ...payment, extensions: named });
}

function infoOf(extension: object): object {
  const info: unknown = member(extension, "info");
  return typeof info === "object" && info !== null ? info : {};
}

/** JSON in base64. */
function encode(value: unknown): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}

/** The JSON of a payment header; undefined if it is not valid. */
export function decode(header: string | null): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header ?? ""), (char) => char.charCodeAt(0))));
  } catch {
    return undefined;
  }
}
