import { type Provider } from "./evm-wallet.ts";
import { member } from "./member.ts";
import { signEvm } from "./sign-evm.ts";
import { type Signing } from "./signing.ts";

export interface Wallet {
  /** Text from the wallet. */
  readonly name: string;
  /** A data URL of a picture; undefined without a valid one. */
  readonly icon: string | undefined;
  /** True if it can pay on the network. */
  readonly pays: (network: string) => boolean;
  /** Returns the payment's header. Throws NotSigned. */
  readonly sign: (signing: Signing) => Promise<string>;
}

/** Wallets that are shown, and characters of a name. A hostile page extension could announce any number. */
const MAX_WALLETS = 12;
const MAX_NAME = 40;
const MAX_ICON = 100_000;
const ICON = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;
/** Controls, and marks that change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/** Calls `found` with all wallets so far, each time that another one announces itself (EIP-6963). */
export function findWallets(found: (wallets: readonly Wallet[]) => void): void {
  const wallets = new Map<Provider, Wallet>();
  addEventListener("eip6963:announceProvider", (event) => {
    const detail = member(event, "detail");
    const provider = member(detail, "provider");
    if (!isProvider(provider) || wallets.has(provider) || wallets.size >= MAX_WALLETS) return;
    wallets.set(provider, { ...shownOf(member(detail, "info")), ...evm(provider) });
    found([...wallets.values()]);
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  // Wallets announce themselves at once. One from before EIP-6963 only sets a global.
  const old: unknown = Reflect.get(globalThis, "ethereum");
  if (wallets.size === 0 && isProvider(old)) {
    wallets.set(old, { name: "the browser's wallet", icon: undefined, ...evm(old) });
  }
  found([...wallets.values()]);
}

/** The abilities of a provider on EVM chains. */
export function evm(provider: Provider): Pick<Wallet, "pays" | "sign"> {
  return {
    pays: (network) => network.startsWith("eip155:"),
    sign: (signing) => signEvm(provider, signing),
  };
}

function isProvider(value: unknown): value is Provider {
  return typeof member(value, "request") === "function";
}

/** A wallet's name and icon, as far as they can be shown. */
function shownOf(info: unknown): Pick<Wallet, "name" | "icon"> {
  const name = member(info, "name");
  const icon = member(info, "icon");
  return {
    name: (typeof name === "string" ? name.replace(UNSEEN, "").trim().slice(0, MAX_NAME) : "") || "a wallet",
    icon: typeof icon === "string" && icon.length <= MAX_ICON && ICON.test(icon) ? icon : undefined,
  };
}
