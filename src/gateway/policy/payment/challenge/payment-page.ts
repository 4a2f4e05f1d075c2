import { createHash } from "node:crypto";
import { fieldLine, type Fields } from "../../../../lib/fields.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { networkTitle } from "../../../../payments/x402/networks.ts";
import { formatAmount } from "../../../../payments/x402/price.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --ground: #f6f7f9; --card: #fff; --line: #d9dee4; --mark: #0b6b50; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --dim: #9aa4af; --ground: #14171a; --card: #1d2125; --line: #343a40; --mark: #5fd0a8; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
.status, .dim { color: var(--dim); }
.status { margin: 0 0 .5rem; font-size: .875rem; letter-spacing: .04em; }
ul { list-style: none; margin: 1.25rem 0 0; padding: 0; }
li { padding: .875rem 0; overflow-wrap: anywhere; border-top: 1px solid var(--line); }
.price { display: block; font-size: 1.375rem; font-weight: 600; color: var(--mark); font-variant-numeric: tabular-nums; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .875rem; overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; }
summary { cursor: pointer; font-weight: 600; }
details { margin-top: 2rem; }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The page loads nothing and runs nothing; only its own style applies. */
export const PAGE_FIELDS: Fields =
  fieldLine(
    "Content-Security-Policy",
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  ) +
  fieldLine("X-Content-Type-Options", "nosniff") +
  fieldLine("Referrer-Policy", "no-referrer");

/** A challenge for a person: what it costs, how to pay, and the challenge itself. `price` is all ways in a sentence. */
export function paymentPage(required: PaymentRequired, price: string): string {
  const { resource, accepts } = required;
  const title = resource.description || "This page is sold by the request";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Payment required: ${escape(price)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="status">402 Payment required</p>
<h1>${escape(title)}</h1>
<p class="dim"><code>${escape(resource.url)}</code></p>
<ul>
${accepts.map(wayItem).join("\n")}
</ul>
<h2>Pay from a program</h2>
<p>Any <a href="https://www.x402.org" rel="noreferrer">x402</a> client pays by itself: it reads this page's <code>PAYMENT-REQUIRED</code> header, signs what it says, and asks again with the signature. In JavaScript:</p>
<pre><code>${escape(program(resource.url))}</code></pre>
<h2>Pay from a terminal</h2>
<p>What Turnpike itself sells, such as reading a page, is asked for and paid by one command: <code>npx turnpike call --help</code> tells how. <code>npx turnpike wallet create</code> makes the wallet.</p>
<details>
<summary>The challenge</summary>
<pre><code>${escape(JSON.stringify(required, undefined, 2))}</code></pre>
</details>
</main>
</body>
</html>
`;
}

function wayItem({ scheme, amount, asset, network, payTo }: PaymentRequirements): string {
  const known = findAsset(network, asset);
  const token = known === undefined ? `units of ${asset}` : known.symbol;
  const figure = known === undefined ? amount : formatAmount(amount, known.decimals);
  const most = scheme === "upto" ? "up to " : "";
  const on = `on ${networkTitle(network)}, to ${payTo}`;
  return `<li><span class="price">${escape(`${most}${figure} ${token}`)}</span><span class="dim">a request, ${escape(on)}</span></li>`;
}

function program(url: string): string {
  return `import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client().register("eip155:*", new ExactEvmScheme(account));
const response = await wrapFetchWithPayment(fetch, client)(${JSON.stringify(url)});`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");
}
