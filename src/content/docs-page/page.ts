import { createHash } from "node:crypto";
import { type ApiDocument, type ApiResponse, operationsOf, type PlacedOperation } from "../api-document.ts";
import { fieldsTable } from "./fields.ts";
import { type Html, html, prose } from "./html.ts";
import { samplesOf } from "./samples.ts";
import { STYLE } from "./style.ts";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The header fields that go with the page: it loads nothing, runs nothing and is framed by nobody. */
export const DOCS_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** The API's description as a page for people: one document without scripts, and nothing that it must load. */
export function docsPage(document: ApiDocument): string {
  const operations = operationsOf(document);
  const { title, version, description } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
${navigation(operations)}
<main id="content">
<h1>${title}</h1>
<p class="version">Version ${version} at <code>${document.servers[0]?.url ?? "/"}</code>; <a href="openapi.json">openapi.json</a></p>
<p>${prose(description)}</p>
${paying()}
${operations.map((operation) => section(document, operation))}
${schemas(document)}
</main>
</div>
</body>
</html>
`.text;
}

/** A style sheet holds nothing that HTML would take for markup. */
function raw(text: string): Html {
  return Object.assign(html``, { text });
}

function navigation(operations: readonly PlacedOperation[]): Html {
  return html`<nav aria-label="Contents"><p>Start</p><ul><li><a href="#paying">Paying</a></li></ul><p>Operations</p><ul>${operations.map(
    (operation) =>
      html`<li><a href="#${operation.operationId}">${operation.path} <span>${operation["x-price"] ?? "free"}</span></a></li>`,
  )}</ul><p>More</p><ul><li><a href="#schemas">Schemas</a></li><li><a href="openapi.json">OpenAPI</a></li></ul></nav>`;
}

function paying(): Html {
  return html`<h2 id="paying">Paying</h2>
<p>There are no accounts and no keys: each request is paid by itself, with <a href="https://www.x402.org/">x402</a>. A request
without a payment is answered <code>402</code>, with a <code>PAYMENT-REQUIRED</code> field that says what is asked: base64 of JSON.
The client signs a payment and sends the same request again with a <code>PAYMENT-SIGNATURE</code> field. The answer brings a
receipt in <code>PAYMENT-RESPONSE</code>. An error is never charged.</p>
<p>The typed client and <code>turnpike call</code> do all this by themselves. In the examples with curl, <code>$PAYMENT</code> is a
signed payment. The prices here are those of the shipped configuration; what a gateway really asks is in its challenge.</p>`;
}

function section(document: ApiDocument, operation: PlacedOperation): Html {
  const { operationId, method, path, summary, description, requestBody, responses } = operation;
  const samples = samplesOf(document, operation);
  const body = requestBody?.content["application/json"]?.schema;
  return html`<section aria-labelledby="${operationId}">
<h2 id="${operationId}"><code>${method.toUpperCase()} ${path}</code><span class="price">${operation["x-price"] ?? "free"}</span></h2>
<p class="summary">${summary}</p>
<p>${prose(description)}</p>
${figure("curl", samples.curl)}
${figure("Typed client", samples.client)}
${figure("Command", samples.command)}
${body === undefined ? undefined : fieldsTable(document, body, "Request")}
${answer(document, responses["200"])}
${errors(responses)}
</section>
`;
}

function figure(caption: string, code: string): Html {
  return html`<figure><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

function answer(document: ApiDocument, response: ApiResponse | undefined): Html | undefined {
  if (response === undefined) return undefined;
  const content = Object.entries(response.content);
  const [[, { schema, example }] = ["", { schema: {}, example: undefined }]] = content;
  const types = content.map(([type], at) => html`${at > 0 ? ", " : ""}<code>${type}</code>`);
  return html`<h3>Answer</h3><p>${response.description}, as ${types}.</p>${
    example === undefined ? undefined : figure("Example", JSON.stringify(example, undefined, 2))
  }${fieldsTable(document, schema, "Answer's fields")}`;
}

function errors(responses: Readonly<Record<string, ApiResponse>>): Html {
  const all = Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content["application/problem+json"]?.examples ?? {}).map(([code, { value }]) => ({
      status,
      code,
      detail: detailOf(value),
    })),
  );
  return html`<details><summary>Errors (${all.length})</summary><div class="scroll" tabindex="0" role="region" aria-label="Errors"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">For example</th></tr></thead><tbody>${all.map(
    ({ status, code, detail }) =>
      html`<tr><td>${status}</td><td class="code"><code>${code}</code></td><td>${detail}</td></tr>`,
  )}</tbody></table></div></details>`;
}

function detailOf(problem: unknown): string {
  return typeof problem === "object" && problem !== null && "detail" in problem ? String(problem.detail) : "";
}

/** The schemas that others refer to; those of requests and answers are with their operations. */
function schemas(document: ApiDocument): Html {
  const shared = Object.keys(document.components.schemas).filter((name) => !/(?:Request|Response)$/.test(name));
  return html`<h2 id="schemas">Schemas</h2>${shared.map(
    (name) => html`<div id="${name}">${fieldsTable(document, { $ref: `#/components/schemas/${name}` }, name)}</div>`,
  )}`;
}
