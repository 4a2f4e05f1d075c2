import { createHash } from "node:crypto";
import { type Html, html } from "../../lib/text/html.ts";
import { PAGE_STYLE } from "../../lib/text/page-style.ts";
import { STOCK_CLIENTS } from "../../payments/x402/stock-client.ts";
import { operationsOf, priceOf } from "../api/api-document.ts";
import { type DocumentedAt } from "./page.ts";
import { htmlPage } from "../../lib/text/html-page.ts";

const STYLE = `${PAGE_STYLE}
main { max-width: 46rem; margin: 0 auto; padding: 4rem 1.25rem }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.2 }
.lead { font-size: 1.125rem; color: var(--soft) }
.go { display: inline-block; margin: 1.25rem 0 2.5rem; padding: .6rem 1.1rem; border-radius: 8px; background: var(--link); color: var(--paper); font-weight: 600; text-decoration: none }
.go:hover { text-decoration: underline }
h2 { margin: 2rem 0 .25rem; font-size: 1.05rem }
table { width: 100%; border-collapse: collapse }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; vertical-align: baseline }
td:last-child { padding-right: 0; text-align: right; color: var(--price); font-variant-numeric: tabular-nums }
.dim { color: var(--soft) }
@media (max-width: 30rem) { main { padding-top: 2rem } th { display: block; border: 0; padding-bottom: 0 } td:last-child { vertical-align: top } tr { border-bottom: 1px solid var(--line) } td { border: 0 } }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The header fields of the page: it loads nothing and runs no script. */
export const LANDING_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  vary: "Accept",
};

/** The JSON response to programs that request `/`. */
export function pointers({ document }: DocumentedAt): object {
  const { title, version, description } = document.info;
  return {
    title,
    version,
    description,
    docs: "/docs",
    openapi: "/openapi.json",
    mcp: "/mcp",
    catalogue: "/.well-known/x402",
  };
}

/** The page at `/`. It introduces the service and its operations, and links to their descriptions. */
export function landingPage({ document, list }: DocumentedAt): string {
  const { title, description } = document.info;
  const body = html`<main>
<h1>${title}</h1>
<p class="lead">${description}</p>
<a class="go" href="docs">Read the documentation</a>
<h2>Operations</h2>
<table><tbody>${operationsOf(document).map(
    (operation): Html =>
      html`<tr><th scope="row"><a href="docs#${operation.operationId}"><code>${operation.method.toUpperCase()} ${operation.path}</code></a></th><td>${operation.summary}</td><td>${priceOf(operation, list)}</td></tr>`,
  )}</tbody></table>
<h2>Call it from a program</h2>
<p>An x402 client pays for each call, such as ${STOCK_CLIENTS}. The <a href="docs">documentation</a> has a program for each operation.</p>
<p class="dim">For programs: <a href="openapi.json">openapi.json</a>, <a href=".well-known/x402">the price list</a>, and MCP at <code>/mcp</code>.</p>
</main>`;
  return htmlPage({ title, style: STYLE }, body);
}
