import { type Provider } from "./evm-wallet.ts";
import { member } from "./member.ts";
import { evm } from "./sign-evm.ts";
import { networksOf, signSolana } from "./solana-wallet.ts";
import { type Wallet } from "./wallet.ts";

/** Wallets that are shown, and characters of a name. A hostile page extension could announce any number. */
const MAX_WALLETS = 12;
const MAX_NAME = 40;
const MAX_ICON = 100_000;
const ICON = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;
/** Controls, and marks that change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/** Calls `found` with all wallets so far, each time that another one announces itself. */
export function findWallets(found: (wallets: readonly Wallet[]) => void): void {
  const wallets = new Map<unknown, Wallet>();
  const add = (key: unknown, wallet: Wallet) => {
    if (wallets.has(key) || wallets.size >= MAX_WALLETS) return;
    wallets.set(key, wallet);
    found([...wallets.values()]);
  };
  addEventListener("eip6963:announceProvider", (event) => {
    const detail = member(event, "detail");
    const provider = member(detail, "provider");
    if (isProvider(provider)) add(provider, { ...shownOf(member(detail, "info")), ...evm(provider) });
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  // Wallets announce themselves at once. One from before EIP-6963 only sets a global.
  const old = member(globalThis, "ethereum");
  if (wallets.size === 0 && isProvider(old)) add(old, { name: "the browser's wallet", icon: undefined, ...evm(old) });
  findStandardWallets((wallet) => {
    const networks = networksOf(wallet);
    if (networks.length === 0) return;
    const pays = (network: string) => networks.includes(network);
    add(wallet, { ...shownOf(wallet), pays, sign: (signing) => signSolana(wallet, signing) });
  });
  found([...wallets.values()]);
}

/** Calls `add` with each wallet of the Wallet Standard: those before this page, and those after it. */
function findStandardWallets(add: (wallet: unknown) => void): void {
  const api = Object.freeze({
    register(...registered: unknown[]) {
      for (const wallet of registered) attempt(() => add(wallet));
      // A wallet calls it to take itself back, which none does before the page ends.
      return () => {};
    },
  });
  addEventListener("wallet-standard:register-wallet", (event) => {
    const register = member(event, "detail");
    if (typeof register === "function") attempt(() => Reflect.apply(register, undefined, [api]));
  });
  dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
}

/** A wallet that fails is left out. */
function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // Its error is not shown: it can say anything.
  }
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
