import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Html, html, raw } from "../../lib/text/html.ts";
import { canonicalAddress } from "../x402/address.ts";
import { findAsset } from "../x402/assets.ts";
import { type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
import { explorerPages, networkTitle, chainId, explorerOf } from "../x402/networks.ts";
import { DATA_ID, type PageData, type ChainToAdd } from "./page-data.ts";

/** A script of a page that pays, and the source expression that allows it in `script-src`. */
export interface PayScript {
  readonly text: string;
  readonly source: string;
}

/** Sources that a page with a payment needs besides its script: its own origin, the icons of wallets, and the goods. */
export const PAY_SOURCES = "connect-src 'self'; img-src data: blob:";

const scripts = new Map<string, PayScript>();

/** The script with which wallets pay, or the one of test mode, whose own wallet pays. Read at the first use. */
export function payScript(isTest: boolean): PayScript {
  const name = isTest ? "pay-test.js" : "pay.js";
  const known = scripts.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(join(import.meta.dir, "dist", name), "utf8");
  const script = { text, source: `'sha256-${createHash("sha256").update(text).digest("base64")}'` };
  scripts.set(name, script);
  return script;
}

/** The elements of a page in which the script finds its data, and the script itself. */
export function payElements(script: PayScript, data: PageData): Html {
  // "<" could end the element.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return html`<script type="application/json" id="${DATA_ID}">${raw(json)}</script>
<script>${raw(script.text)}</script>`;
}

/** The URL at which a page gets a blockhash of a cluster of Solana; undefined if the gateway has no node of it. */
export type BlockhashUrl = (network: string) => string | undefined;

/** The data of a page whose payments have one of these requirements. */
export function payData(
  accepts: readonly PaymentRequirements[],
  required?: PaymentRequired,
  blockhashUrl?: BlockhashUrl,
): PageData {
  const networks: Record<string, PageData["networks"][string]> = {};
  const tokens: Record<string, PageData["tokens"][string]> = {};
  for (const { network, asset } of accepts) {
    networks[network] = {
      title: networkTitle(network),
      explorer: explorerPages(network),
      add: chainToAdd(network),
      blockhash: blockhashUrl?.(network),
    };
    const known = findAsset(network, asset);
    if (known !== undefined) {
      tokens[`${network} ${canonicalAddress(asset)}`] = { symbol: known.symbol, decimals: known.decimals };
    }
  }
  return { required, networks, tokens };
}

/** The style of what the script shows. */
export const PAY_STYLE = `
.pay { margin-top: .75rem }
.pay fieldset { min-width: 0; margin: 0 0 1rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: 8px }
.pay label { display: flex; gap: .6rem; align-items: center; padding: .4rem 0; overflow-wrap: anywhere }
.choices { display: flex; flex-wrap: wrap; gap: .6rem }
.choices button { display: inline-flex; align-items: center; gap: .5rem; min-height: 2.75rem; max-width: 100%; padding: .5rem 1.1rem; border: 1px solid var(--link); border-radius: 8px; background: var(--link); color: var(--paper); font: inherit; font-weight: 600; text-align: left; overflow-wrap: anywhere; cursor: pointer }
.choices img { width: 1.5rem; height: 1.5rem; border-radius: 4px; background: #fff }
.told { min-height: 1.55em; overflow-wrap: anywhere }
.told.good { color: var(--price) }
.told.bad { color: var(--bad) }
.result:empty { display: none }
.result pre { max-height: 32rem; overflow-y: auto }
.result article { padding: 0 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow-wrap: anywhere }
.result img { display: block; max-width: 100%; border: 1px solid var(--line) }
.result iframe { width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: 8px; background: #fff }
`;

interface Public {
  /** The RPC endpoint that the chain's own documentation names for wallets. */
  readonly rpc: string;
  readonly coin: string;
}

const CHAINS: Readonly<Record<string, Public>> = {
  "eip155:8453": { rpc: "https://mainnet.base.org", coin: "ETH" },
  "eip155:84532": { rpc: "https://sepolia.base.org", coin: "ETH" },
  "eip155:43114": { rpc: "https://api.avax.network/ext/bc/C/rpc", coin: "AVAX" },
  "eip155:43113": { rpc: "https://api.avax-test.network/ext/bc/C/rpc", coin: "AVAX" },
};

/** The parameters of `wallet_addEthereumChain`; undefined if this chain's endpoint is not known. */
function chainToAdd(network: string): ChainToAdd | undefined {
  const chain = CHAINS[network];
  if (chain === undefined) return undefined;
  const explorer = explorerOf(network);
  return {
    chainId: `0x${chainId(network).toString(16)}`,
    chainName: networkTitle(network).replace(/ \(.*/, ""),
    nativeCurrency: { name: chain.coin, symbol: chain.coin, decimals: 18 },
    rpcUrls: [chain.rpc],
    blockExplorerUrls: explorer === undefined ? [] : [explorer],
  };
}
