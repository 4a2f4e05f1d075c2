import { createHash } from "node:crypto";
import {
  type ApiDocument,
  type ApiResponse,
  jobRequestsOf,
  operationsOf,
  type PlacedOperation,
  priceOf,
  successOf,
} from "../api/api-document.ts";
import { fieldsTable } from "./fields.ts";
import { type Html, html, prose, raw } from "../../lib/text/html.ts";
import { type PriceList } from "../api/price-list.ts";
import { PAY_SOURCES, payData, payElements, payScript } from "../../payments/browser/pay-script.ts";
import { STOCK_CLIENTS, STOCK_INSTALL } from "../../payments/x402/stock-client.ts";
import { samplesOf } from "./samples.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { htmlPage } from "../../lib/text/html-page.ts";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
const SCRIPT_HASH = createHash("sha256").update(SCRIPT).digest("base64");

/**
 * The header fields of the page: it loads nothing, runs only its own scripts, and sends requests only to its own origin.
 */
export function docsHeaders({ list }: DocumentedAt): Readonly<Record<string, string>> {
  const allowed = list === undefined ? "" : `${payScript(list.testMode).source}; ${PAY_SOURCES}`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; script-src 'sha256-${SCRIPT_HASH}' ${allowed}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/** Maximum number of characters of a price in the menu. */
const MAX_MENU_PRICE = 16;

/** The API's description at a base URL, and the prices there. */
export interface DocumentedAt {
  readonly document: ApiDocument;
  /** Undefined if the prices are not known. */
  readonly list: PriceList | undefined;
}

function priceTag(price: string | undefined): Html | undefined {
  return price === undefined ? undefined : html`<span class="price">${price}</span>`;
}

/** The API's description as a page for people: one document that loads nothing, and is complete without its script. */
export function docsPage({ document, list }: DocumentedAt): string {
  const operations = operationsOf(document);
  const jobRequests = jobRequestsOf(document);
  const { title, version, description } = document.info;
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
${navigation(operations, jobRequests, list)}
<main id="content">
<div class="overview">
<h1>${title}</h1>
<p class="version">Version ${version} at <code>${document.servers[0]?.url ?? "/"}</code>; <a href="openapi.json">openapi.json</a></p>
<p>${prose(description)}</p>
${list?.testMode === true ? TEST_MODE : undefined}
</div>
${paying()}
${[...operations, ...jobRequests].map((operation) => section({ document, list }, operation))}
${schemas(document)}
<p class="back"><a href="#content">All operations</a></p>
</main>
</div>
<script>${raw(SCRIPT)}</script>
${list === undefined ? undefined : payElements(payScript(list.testMode), payData(list.accepts))}`;
  return htmlPage({ title, style: STYLE }, body);
}

function navigation(
  operations: readonly PlacedOperation[],
  jobRequests: readonly PlacedOperation[],
  list: PriceList | undefined,
): Html {
  return html`<nav aria-label="Contents">${SEARCH}<p>Start</p><ul><li><a href="#paying">Paying</a></li></ul><p>Operations</p><ul>${operations.map(
    (operation) =>
      html`<li><a href="#${operation.operationId}">${operation.path} <span>${menuPrice(priceOf(operation, list))}</span></a></li>`,
  )}</ul><p>Jobs</p><ul>${jobRequests.map(
    ({ operationId, method, path }) => html`<li><a href="#${operationId}">${method.toUpperCase()} ${path}</a></li>`,
  )}</ul><p>More</p><ul><li><a href="#schemas">Schemas</a></li><li><a href="openapi.json">OpenAPI</a></li></ul></nav>`;
}

/** The operation itself lists the rules of a price that depends on the request. */
function menuPrice(price = ""): string {
  return price.length > MAX_MENU_PRICE ? "varies" : price;
}

const TEST_MODE = html`<p class="test"><strong>Test mode.</strong> Signatures are checked, and no money moves. The forms here pay
with a wallet of this page.</p>`;

/** Hidden until the script shows it. */
const SEARCH = html`<form role="search" hidden><label for="find">Search</label><input id="find" type="search" autocomplete="off" placeholder="Operation, field or error"><ul id="results" hidden></ul></form>`;

function paying(): Html {
  return html`<section class="part" id="paying" aria-labelledby="paying-title"><h2 id="paying-title">Paying</h2>
<p>There are no accounts and no keys: each request is paid by itself, with <a href="https://www.x402.org/">x402</a>. A request
without a payment gets <code>402</code>, with a <code>PAYMENT-REQUIRED</code> field that states the price: base64 of JSON.
The client signs a payment and sends the same request again with a <code>PAYMENT-SIGNATURE</code> field. The response has a
receipt in <code>PAYMENT-RESPONSE</code>. An error is not charged. The
operator may have set one exception: a page that uses its time up with its own scripts, which brings a receipt too.</p>
<p>An x402 client does all this by itself, such as ${STOCK_CLIENTS}. The examples in JavaScript need
<code>${STOCK_INSTALL}</code>. In the examples with curl, <code>$PAYMENT</code> is a signed payment.</p></section>`;
}

function section({ document, list }: DocumentedAt, operation: PlacedOperation): Html {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const samples = samplesOf(document, operation);
  const body = requestBody?.content["application/json"]?.schema;
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<h2 id="${operationId}-title"><code>${method.toUpperCase()} ${path}</code>${priceTag(priceOf(operation, list))}</h2>
<p class="summary">${summary}</p>
<p>${prose(description)}</p>
${figure("curl", samples.curl)}
${samples.program === undefined ? undefined : figure("JavaScript", samples.program)}
${list === undefined || path.includes("{") ? undefined : tryForm(operation)}
${body === undefined ? undefined : fieldsTable(document, body, "Request")}
${fieldsTable(document, { properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])) }, "Parameters")}
${reply(document, successOf(operation))}
${errors(responses)}
</section>
`;
}

function figure(caption: string, code: string): Html {
  return html`<figure><figcaption>${caption}</figcaption><pre><code>${code}</code></pre></figure>`;
}

/** Hidden until the script shows it. The script sends it, and lets a wallet pay. */
function tryForm({ operationId, method, path, requestBody }: PlacedOperation): Html {
  const example = requestBody?.content["application/json"]?.example;
  const id = `${operationId}-body`;
  const body =
    example === undefined
      ? undefined
      : html`<label for="${id}">Body</label><textarea id="${id}" rows="5" spellcheck="false">${JSON.stringify(example, undefined, 2)}</textarea>`;
  return html`<form class="try" data-method="${method.toUpperCase()}" data-path="${path}" hidden>${body}<button type="submit">Try ${operationId}</button><div class="pay"></div></form>`;
}

function reply(document: ApiDocument, response: ApiResponse | undefined): Html | undefined {
  if (response === undefined) return undefined;
  const content = Object.entries(response.content);
  const [[, { schema, example }] = ["", { schema: {}, example: undefined }]] = content;
  const types = content.map(([type], at) => html`${at > 0 ? ", " : ""}<code>${type}</code>`);
  return html`<h3>Response</h3><p>${response.description}, as ${types}.</p>${
    example === undefined ? undefined : figure("Example", JSON.stringify(example, undefined, 2))
  }${fieldsTable(document, schema, "Response's fields")}`;
}

function errors(responses: Readonly<Record<string, ApiResponse>>): Html {
  const all = Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content["application/problem+json"]?.examples ?? {}).map(([code, { value }]) => ({
      status,
      code,
      detail: detailOf(value),
    })),
  );
  return html`<details><summary>Errors (${all.length})</summary><table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">For example</th></tr></thead><tbody>${all.map(
    ({ status, code, detail }) =>
      html`<tr><td>${status}</td><td class="code"><code>${code}</code></td><td>${detail}</td></tr>`,
  )}</tbody></table></details>`;
}

function detailOf(problem: unknown): string {
  return typeof problem === "object" && problem !== null && "detail" in problem ? String(problem.detail) : "";
}

/** The schemas that other schemas refer to. Schemas of requests and responses stand with their operations. */
function schemas(document: ApiDocument): Html {
  const shared = Object.keys(document.components.schemas).filter((name) => !/(?:Request|Response)$/.test(name));
  return html`<section class="part" id="schemas" aria-labelledby="schemas-title"><h2 id="schemas-title">Schemas</h2>${shared.map(
    (name) => html`<div id="${name}">${fieldsTable(document, { $ref: `#/components/schemas/${name}` }, name)}</div>`,
  )}</section>`;
}
