import { VERSION } from "../../lib/process/version.ts";
import { STOCK_CLIENTS } from "../../payments/x402/stock-client.ts";
import { operationsOf, priceOf } from "../api/api-document.ts";
import { type DocumentedAt } from "./page.ts";

/** Paths of the documents by which programs find the service and its MCP server. The last one has an older draft's path. */
export const LLMS_PATH = "/llms.txt";
export const MCP_CATALOG_PATH = "/.well-known/mcp/catalog.json";
export const SERVER_CARD_PATHS: readonly string[] = ["/mcp/server-card", "/.well-known/mcp/server-card.json"];

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const CARD_TYPE = "application/mcp-server-card+json";
const TITLE = "Turnpike web content";
const NAME = "web-content";

/** The documents change with prices and upgrades. Pages of other sites may read them. */
const COMMON = { "cache-control": "public, max-age=60", "access-control-allow-origin": "*" };

/** The MCP server at a base URL: a server card of MCP's extension (SEP-2127). */
export function serverCard(base: string): Response {
  const host = hostNameOf(base);
  // A name is a domain in reverse order. The order of an address says nothing.
  const domain = /[a-z]/i.test(host) ? host.split(".").toReversed().join(".") : host;
  const card = {
    $schema: SCHEMA,
    name: `${domain}/${NAME}`,
    version: VERSION,
    title: TITLE,
    description: "Web search, pages as Markdown, text, data, PDF and pictures. Calls are paid by x402.",
    remotes: [{ type: "streamable-http", url: `${base.replace(/\/$/, "")}/mcp` }],
  };
  return new Response(JSON.stringify(card), { headers: { ...COMMON, "content-type": CARD_TYPE } });
}

/** The MCP servers of a base URL, by the draft of MCP's catalogue. */
export function mcpCatalog(base: string): Response {
  const entry = {
    identifier: `urn:air:${hostNameOf(base)}:${NAME}`,
    displayName: TITLE,
    type: CARD_TYPE,
    url: `${base}${SERVER_CARD_PATHS[0]}`,
  };
  return Response.json({ specVersion: "draft", entries: [entry] }, { headers: COMMON });
}

function hostNameOf(base: string): string {
  const host = URL.parse(base)?.hostname ?? "";
  return /^[\w.-]+$/.test(host) ? host : "localhost";
}

/** The operations as Markdown for language models, by the proposal `llms.txt`. */
export function llmsText({ document, list }: DocumentedAt, hasMcp: boolean): Response {
  const { title, description } = document.info;
  const lines = operationsOf(document).map((operation) => {
    const { method, path, operationId, summary } = operation;
    const price = priceOf(operation, list);
    return `- [${method.toUpperCase()} ${path}](/docs#${operationId}): ${summary}${price === undefined ? "" : `. ${price}`}`;
  });
  const test =
    list?.testMode === true ? "\nTest mode: signatures are checked, and no money moves. A new wallet can pay.\n" : "";
  const text = `# ${title}

> ${description}
${test}
A request without a payment gets 402. Its field PAYMENT-REQUIRED has the price: base64 of JSON. Sign one of \`accepts\`, and send the
same request again with the payment in PAYMENT-SIGNATURE. An x402 client does this, such as ${STOCK_CLIENTS}.

## Operations

${lines.join("\n")}

## Descriptions

- [OpenAPI](/openapi.json): fields, bounds, errors and prices
- [Documentation](/docs): the same for people
${hasMcp ? "- MCP: streamable HTTP at /mcp\n" : ""}- [Prices](/.well-known/x402): with payment requirements
`;
  return new Response(text, { headers: { ...COMMON, "content-type": "text/markdown; charset=utf-8" } });
}
