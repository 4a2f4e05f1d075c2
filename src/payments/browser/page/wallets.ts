/** A wallet's interface (EIP-1193). Nothing that it returns can be relied on. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

export interface Wallet {
  /** Text from the wallet. */
  readonly name: string;
  /** A data URL of a picture; undefined without a valid one. */
  readonly icon: string | undefined;
  readonly provider: Provider;
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
  const wallets = new Map<unknown, Wallet>();
  addEventListener("eip6963:announceProvider", (event) => {
    const wallet = announced(event);
    if (wallet === undefined || wallets.has(wallet.provider) || wallets.size >= MAX_WALLETS) return;
    wallets.set(wallet.provider, wallet);
    found([...wallets.values()]);
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  // Wallets announce themselves at once. One from before EIP-6963 only sets a global.
  const old: unknown = Reflect.get(globalThis, "ethereum");
  if (wallets.size === 0 && isProvider(old)) {
    wallets.set(old, { name: "the browser's wallet", icon: undefined, provider: old });
  }
  found([...wallets.values()]);
}

function announced(event: Event): Wallet | undefined {
  try {
    const detail: unknown = Reflect.get(event, "detail");
    const provider = member(detail, "provider");
    const info = member(detail, "info");
    if (!isProvider(provider)) return undefined;
    const name = member(info, "name");
    const icon = member(info, "icon");
    return {
      name: (typeof name === "string" ? name.replace(UNSEEN, "").trim().slice(0, MAX_NAME) : "") || "a wallet",
      icon: typeof icon === "string" && icon.length <= MAX_ICON && ICON.test(icon) ? icon : undefined,
      provider,
    };
  } catch {
    // A getter of the announcement threw.
    return undefined;
  }
}

function isProvider(value: unknown): value is Provider {
  return typeof member(value, "request") === "function";
}

/** The property of an unknown value; undefined without it. */
export function member(value: unknown, key: string): unknown {
  return (typeof value === "object" || typeof value === "function") && value !== null
    ? Reflect.get(value, key)
    : undefined;
}
