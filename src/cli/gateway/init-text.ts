/** The configurations that `turnpike init` writes, with comments. */
import { parseDocument, Scalar, visit } from "yaml";
import { formatDollars, parseDollars } from "../../payments/client/choice.ts";
import { bareHost, portOf } from "../../lib/http/url-host.ts";

export interface InitChoices {
  /** The URL of the API to sell. Undefined: the content service is sold. */
  readonly upstream: URL | undefined;
  readonly port: number;
  /** A price such as `$0.01`; undefined: the API is free. */
  readonly price: string | undefined;
  /** The paths of the API that have the price; `/` for all. */
  readonly paths: readonly string[];
  /** The JSON Schema of the API's request bodies; undefined: they are not checked. */
  readonly bodySchema: unknown;
  readonly payTo: string;
  /** A CAIP-2 identifier. */
  readonly network: string;
}

function paymentText({ price }: InitChoices): string {
  if (price === undefined) return "";
  return `  // Payments. In test mode signatures are checked, and no money moves. To take money, remove test_mode and name a
  // facilitator_url, or let the gateway settle itself (embedded). docs/payments.md explains both.
  "x402": {
    "enabled": true,
    "test_mode": true,
  },
`;
}

function priceText({ price, payTo, network }: InitChoices): string {
  if (price === undefined) return "";
  return `      "x402": {
        "price": ${JSON.stringify(price)},
        "asset": "USDC",
        "network": ${JSON.stringify(network)},
        "pay_to": ${JSON.stringify(payTo)},
      },
`;
}

function schemaText({ bodySchema, price }: InitChoices): string {
  const before = price === undefined ? "" : " before their payment";
  const text =
    bodySchema === undefined
      ? `// With a JSON Schema in "body_schema", the gateway refuses other bodies${before}: docs/body-schema.md.`
      : `"body_schema": ${JSON.stringify(bodySchema, undefined, 2)},`;
  return `${text.replaceAll(/^/gm, "      ")}\n`;
}

function apiText(choices: InitChoices, upstream: URL): string {
  const address = JSON.stringify(bareHost(upstream.hostname));
  const routes = choices.paths.map(
    (path) => `    {
      "path_prefix": ${JSON.stringify(path)},
      "upstream": "api",
${schemaText(choices)}${priceText(choices)}    },
`,
  );
  const free = `    // Free: all other paths. Without this route they get 404.
    { "path_prefix": "/", "upstream": "api" },
`;
  return `  // For the console, turnpike status and turnpike refund, add the key of docs/admin.md:
  // "admin": { "enabled": true, "api_key_env": "TURNPIKE_ADMIN_KEY" },
  // Your own service. Several servers share the load.
  "upstreams": [
    {
      "name": "api",
      "servers": [{ "address": ${address}, "port": ${portOf(upstream)} }],
${upstream.protocol === "https:" ? '      "tls": true,\n' : ""}    },
  ],
  // The longest prefix that fits a path decides.
  "routes": [
${routes.join("")}${choices.paths.includes("/") ? "" : free}  ],
`;
}

/** The operations, each with its timeout in milliseconds. */
const SOLD = [
  ["/read", 200_000],
  ["/scrape", 200_000],
  ["/extract", 200_000],
  ["/search", 140_000],
] as const;

/** Pages of a crawl without `limit` in its body. */
const PAGES = 100n;

/** The price of a crawl, by its pages. */
function crawlText({ payTo, network }: InitChoices, page: string): string {
  const account = `"asset": "USDC", "network": ${JSON.stringify(network)}, "pay_to": ${JSON.stringify(payTo)}`;
  const price = JSON.stringify(formatDollars(parseDollars(page) * PAGES));
  return `      "x402": {
        "scheme": "upto", "price": ${price}, ${account},
        "max_timeout_seconds": 7200,
        "accepts": [{ "scheme": "exact", "price": ${price}, ${account} }],
        "rules": [
          { "body": [{ "pointer": "/limit" }], "unit_price": { "price": ${JSON.stringify(page)}, "count": "/limit" } },
        ],
      },
`;
}

function contentText(choices: InitChoices): string {
  const routes = SOLD.map(
    ([path, ms]) => `    {
      "path_prefix": "${path}",
      "upstream": "content",
      "body_schema": { "$ref": "urn:turnpike:body:${path.slice(1)}" },
      "read_timeout_ms": ${ms - 10_000},
      "total_timeout_ms": ${ms},
${priceText(choices)}    },
`,
  );
  const crawl =
    choices.price === undefined
      ? ""
      : `    // A crawl is a job: a payment by "upto" or from prepaid credit pays for its delivered pages alone. The price of a crawl
    // without a limit is that of 100 pages.
    {
      "path_prefix": "/crawl",
      "upstream": "content",
      "body_schema": { "$ref": "urn:turnpike:body:crawl" },
${crawlText(choices, choices.price)}    },
    { "path_prefix": "/crawl/", "upstream": "content", "without": ["price"], "read_timeout_ms": 310000, "total_timeout_ms": 310000 },
`;
  return `  // "turnpike start" serves this upstream itself: the content service, which loads pages.
  "upstreams": [{ "name": "content", "servers": [{ "unix": "/run/turnpike/content.sock" }] }],
  // Each operation is a path with a price, and the schema of its bodies. docs/getting-started.md lists all operations;
  // those without a route are not served.
  "routes": [
${routes.join("")}${crawl}    // Free: the state of the service, its description, and its tools for agents, which pay for each call.
    { "path_prefix": "/", "match": { "exact_path": true }, "upstream": "content" },
    { "path_prefix": "/health", "upstream": "content" },
    { "path_prefix": "/openapi.json", "upstream": "content" },
    { "path_prefix": "/docs", "upstream": "content" },
    { "path_prefix": "/mcp", "upstream": "content", "total_timeout_ms": 310000 },
  ],
`;
}

/** A configuration in JSON with comments. */
export function initText(choices: InitChoices): string {
  const { port, upstream } = choices;
  return `// Turnpike's configuration. docs/configuration.md lists every key; check this file with: turnpike check FILE
{
  // The gateway listens here. Use 0.0.0.0 to listen on all addresses of the machine.
  "server": {
    "address": "127.0.0.1",
    "port": ${port},
    // Processes that serve; 0: one for each CPU.
    "workers": 1,
  },
${paymentText(choices)}${upstream === undefined ? contentText(choices) : apiText(choices, upstream)}}
`;
}

/** The same configuration in YAML, with its comments. */
export function initYaml(jsonc: string): string {
  // The YAML parser reads JSON; only the comments have another syntax.
  const document = parseDocument(jsonc.replaceAll(/^(\s*)\/\/ /gm, "$1# "));
  visit(document, {
    Collection(_key, node) {
      node.flow = false;
    },
    Scalar(_key, node) {
      if (typeof node.value === "string" && /^(?:[a-z]+|\/[a-z]*|eip155:\d+)$/.test(node.value))
        node.type = Scalar.PLAIN;
    },
  });
  return document.toString({ lineWidth: 0 });
}
