/** The configurations that `turnpike init` writes, with comments. */
import { parseDocument, Scalar, visit } from "yaml";
import { bareHost, portOf } from "../../lib/url-host.ts";

/** The choices from which `turnpike init` writes a configuration. */
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

/** One line of the file with its depth of indentation: a comment, or the start of a member or block. */
type Line = readonly [depth: number, text: string];

function serverLines({ port }: InitChoices): Line[] {
  return [
    [1, "// The gateway listens here. Use 0.0.0.0 to listen on all addresses of the machine."],
    [1, '"server": {'],
    [2, '"address": "127.0.0.1",'],
    [2, `"port": ${port},`],
    [2, "// Processes that serve; 0: one for each CPU."],
    [2, '"workers": 1,'],
    [1, "},"],
  ];
}

function paymentLines({ price }: InitChoices): Line[] {
  if (price === undefined) return [];
  return [
    [
      1,
      "// Payments. In test mode signatures are checked, and no money moves. To take money, remove test_mode and name a",
    ],
    [1, "// facilitator_url, or let the gateway settle itself (embedded). docs/payments.md explains both."],
    [1, '"x402": {'],
    [2, '"enabled": true,'],
    [2, '"test_mode": true,'],
    [1, "},"],
  ];
}

function priceLines(depth: number, { price, payTo, network }: InitChoices, own = price): Line[] {
  if (own === undefined) return [];
  return [
    [depth, '"x402": {'],
    [depth + 1, `"price": ${JSON.stringify(own)},`],
    [depth + 1, '"asset": "USDC",'],
    [depth + 1, `"network": ${JSON.stringify(network)},`],
    [depth + 1, `"pay_to": ${JSON.stringify(payTo)},`],
    [depth, "},"],
  ];
}

function apiLines(choices: InitChoices, upstream: URL): Line[] {
  const isTls = upstream.protocol === "https:";
  const port = portOf(upstream);
  const host = bareHost(upstream.hostname);
  return [
    [1, "// Your own service. Several servers share the load."],
    [1, '"upstreams": ['],
    [2, "{"],
    [3, '"name": "api",'],
    [3, `"servers": [{ "address": ${JSON.stringify(host)}, "port": ${port} }],`],
    ...(isTls ? ([[3, '"tls": true,']] as const) : []),
    [2, "},"],
    [1, "],"],
    [1, "// The longest prefix that fits a path decides."],
    [1, '"routes": ['],
    ...choices.paths.flatMap((path): Line[] => [
      [2, "{"],
      [3, `"path_prefix": ${JSON.stringify(path)},`],
      [3, '"upstream": "api",'],
      ...schemaLines(3, choices),
      ...priceLines(3, choices),
      [2, "},"],
    ]),
    ...(choices.paths.includes("/") ? [] : FREE_LINES),
    [1, "],"],
  ];
}

const FREE_LINES: Line[] = [
  [2, "// Free: all other paths. Without this route they get 404."],
  [2, '{ "path_prefix": "/", "upstream": "api" },'],
];

function schemaLines(depth: number, { bodySchema, price }: InitChoices): Line[] {
  if (bodySchema === undefined) {
    const before = price === undefined ? "" : " before their payment";
    return [
      [
        depth,
        `// With a JSON Schema in "body_schema", the gateway refuses other bodies${before}: docs/body-schema.md.`,
      ],
    ];
  }
  const lines = `"body_schema": ${JSON.stringify(bodySchema, undefined, 2)},`.split("\n");
  return lines.map((line): Line => [depth, line]);
}

/** The operations, each with its timeout in milliseconds. */
const SOLD = [
  ["/read", 200_000],
  ["/scrape", 200_000],
  ["/extract", 200_000],
  ["/search", 140_000],
] as const;

function contentLines(choices: InitChoices): Line[] {
  return [
    [1, '// "turnpike start" serves this upstream itself: the content service, which loads pages.'],
    [1, '"upstreams": [{ "name": "content", "servers": [{ "unix": "/run/turnpike/content.sock" }] }],'],
    [
      1,
      "// Each operation is a path with a price, and the schema of its bodies. docs/getting-started.md lists all operations.",
    ],
    [1, '"routes": ['],
    ...SOLD.flatMap(([path, ms]): Line[] => [
      [2, "{"],
      [3, `"path_prefix": "${path}",`],
      [3, '"upstream": "content",'],
      [3, `"body_schema": { "$ref": "urn:turnpike:body:${path.slice(1)}" },`],
      [3, `"read_timeout_ms": ${ms - 10_000},`],
      [3, `"total_timeout_ms": ${ms},`],
      ...priceLines(3, choices),
      [2, "},"],
    ]),
    [2, "// Free: the state of the service, and its description."],
    [2, '{ "path_prefix": "/", "upstream": "content" },'],
    [1, "],"],
  ];
}

/** A configuration in JSON with comments. */
export function initText(choices: InitChoices): string {
  const { upstream } = choices;
  const lines: Line[] = [
    [
      0,
      "// Turnpike's configuration. docs/configuration.md lists every key; check this file with: turnpike check FILE",
    ],
    [0, "{"],
    ...serverLines(choices),
    ...paymentLines(choices),
    ...(upstream === undefined ? contentLines(choices) : apiLines(choices, upstream)),
    [0, "}"],
  ];
  return lines.map(([depth, text]) => `${"  ".repeat(depth)}${text}\n`).join("");
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
