import { createHash } from "node:crypto";
import { fieldLine, type Fields } from "../../../../lib/http/fields.ts";
import { type Html, html } from "../../../../lib/text/html.ts";
import { PAGE_STYLE } from "../../../../lib/text/page-style.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { BATCH_SETTLEMENT } from "../../../../payments/x402/channel-messages.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { networkTitle } from "../../../../payments/x402/networks.ts";
import { formatAmount } from "../../../../payments/x402/price.ts";
import { wayOf } from "../../../../payments/browser/page-data.ts";
import {
  type BlockhashUrl,
  PAY_SOURCES,
  PAY_STYLE,
  payData,
  payElements,
  type PayScript,
  payScript,
} from "../../../../payments/browser/pay-script.ts";
import { SOLANA_INSTALL, STOCK_CLIENTS, STOCK_INSTALL } from "../../../../payments/x402/stock-client.ts";
import { visibleJson, visibleLines, visibleText } from "../../../../lib/text/visible-text.ts";
import { type RequestHead } from "../../../exchange/exchange.ts";
import { callOf, isOnSolana, programSnippet } from "./snippets.ts";
import { htmlPage } from "../../../../lib/text/html-page.ts";

const STYLE = `${PAGE_STYLE}${PAY_STYLE}
body { padding: 2rem 1rem }
main { max-width: 46rem; margin: 0 auto; padding: 2rem; background: var(--panel); border: 1px solid var(--line); border-radius: 12px }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25 }
h2 { margin: 2rem 0 .5rem; font-size: 1rem }
.status { margin: 0 0 .5rem; color: var(--soft); font-size: .875rem; letter-spacing: .03em }
.resource { color: var(--soft) }
.test { margin: 1.25rem 0 0; padding: .6rem .875rem; border: 1px solid var(--warn); border-radius: 8px; color: var(--warn) }
ul { list-style: none; margin: 1.25rem 0 0; padding: 0 }
li { padding: .875rem 0; overflow-wrap: anywhere; border-top: 1px solid var(--line) }
.price { display: block; font-size: 1.375rem; font-weight: 600; color: var(--price); font-variant-numeric: tabular-nums }
li .dim { color: var(--soft) }
details { margin-top: 2rem }
@media (max-width: 30rem) { body { padding: 0 } main { padding: 1.25rem 1rem 3rem; border: 0; border-radius: 0 } }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

function pageFields(script: PayScript | undefined): Fields {
  const allowed = script === undefined ? "" : `; script-src ${script.source}; ${PAY_SOURCES}`;
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'${allowed}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return (
    fieldLine("Content-Security-Policy", policy) +
    fieldLine("X-Content-Type-Options", "nosniff") +
    fieldLine("Referrer-Policy", "no-referrer")
  );
}

export interface PageContent {
  /** Its resource has the requested URL. */
  readonly required: PaymentRequired;
  readonly price: string;
  readonly testMode: boolean;
  readonly blockhashUrl?: BlockhashUrl | undefined;
}

/** A page, and its header fields. It loads nothing, and runs only the script that pays. */
export interface PaymentPage {
  readonly html: string;
  readonly fields: Fields;
}

/** A challenge for a person: the price, a way to pay it here, a program, and the challenge itself. */
export function paymentPage(
  { required, price, testMode, blockhashUrl }: PageContent,
  { method }: Pick<RequestHead, "method">,
): PaymentPage {
  const { resource, accepts } = required;
  const call = callOf(required, method);
  // The page can repeat only a request without a body.
  const isRepeatable = method === "GET" && call.method === "GET";
  const data = payData(accepts, required, blockhashUrl);
  const isPayable = accepts.some((requirements) => wayOf(requirements, data) !== undefined);
  const script = isRepeatable && isPayable ? payScript(testMode) : undefined;
  const body = html`<main>
<p class="status">402 Payment required</p>
<h1>${resource.description || "This page is sold by the request"}</h1>
<p class="resource"><code>${visibleText(`${call.method} ${call.url}`)}</code></p>
${testMode ? TEST_MODE : undefined}
<ul>
${accepts.map(requirementsItem)}
</ul>
${script === undefined ? undefined : PAY_HERE}
${isRepeatable && accepts.every(isChannel) ? CHANNEL_ONLY : undefined}
<h2>Pay from a program</h2>
<p>Any <a href="https://www.x402.org" rel="noreferrer">x402</a> client pays by itself, such as ${STOCK_CLIENTS}: it reads the <code>PAYMENT-REQUIRED</code> field of this response, signs a payment, and sends the request again with it. In JavaScript, after <code>${isOnSolana(required) ? SOLANA_INSTALL : STOCK_INSTALL}</code>:</p>
<pre><code>${visibleLines(programSnippet(call, required))}</code></pre>
<details>
<summary>The challenge</summary>
<pre><code>${visibleJson(required, 2)}</code></pre>
</details>
</main>
${script === undefined ? undefined : payElements(script, data)}`;
  const page = htmlPage({ title: `Payment required: ${price}`, style: STYLE, isListed: false }, body);
  return { html: page, fields: pageFields(script) };
}

const PAY_HERE = html`<h2>Pay here</h2>
<div class="pay" id="pay"><noscript>Scripts are off in this browser. Pay from a program.</noscript></div>
`;

/** Why: docs/guides/sell-to-browsers.md. */
const CHANNEL_ONLY = html`<h2>Pay here</h2>
<p>This price is paid from a payment channel: a deposit, and then a voucher with each request. Only a program can pay it.</p>
`;

function isChannel({ scheme }: PaymentRequirements): boolean {
  return scheme === BATCH_SETTLEMENT;
}

const TEST_MODE = html`<p class="test"><strong>Test mode.</strong> Signatures are checked, and no money moves: a new wallet can pay at once.</p>
`;

function requirementsItem(requirements: PaymentRequirements): Html {
  const { scheme, amount, asset, network, payTo } = requirements;
  const known = findAsset(network, asset);
  const token = known === undefined ? `units of ${visibleText(asset)}` : known.symbol;
  const figure = known === undefined ? amount : formatAmount(amount, known.decimals);
  const most = scheme === "upto" ? "up to " : "";
  const from = isChannel(requirements) ? "from a payment channel, " : "";
  const to = visibleText(`on ${networkTitle(network)}, to ${payTo}`);
  return html`<li><span class="price">${most}${figure} ${token}</span><span class="dim">a request, ${from}${to}</span></li>
`;
}
