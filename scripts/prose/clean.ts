/** The files that the prose check covers. */

/** Generated from the docstrings of the source, which are checked with their folders. */
export const UNCHECKED_DOCUMENTS: readonly string[] = ["docs/reference/bounds.md"];

/** Folders whose TypeScript comments and error texts follow the rules. Entries are only added. */
export const CHECKED_FOLDERS: readonly string[] = [
  "scripts",
  "src/cli",
  "src/client",
  "src/content/api",
  "src/content/docs-page",
  "src/content/egress",
  "src/content/encoding",
  "src/content/extractor",
  "src/content/figures",
  "src/content/health",
  "src/content/mcp",
  "src/content/page",
  "src/content/page-reader",
  "src/content/qr",
  "src/content/static",
  "src/gateway/acme",
  "src/gateway/config",
  "src/gateway/http1",
  "src/gateway/http2",
  "src/gateway/http3",
  "src/gateway/process",
  "src/gateway/proxy",
  "src/gateway/routing",
  "src/gateway/static",
  "src/gateway/telemetry",
  "src/gateway/tenants",
  "src/gateway/upstream",
  "src/gateway/wire",
  "src/lib",
  "src/payments/client",
  "src/payments/evm",
  "src/payments/facilitator",
  "src/payments/settlement",
  "src/payments/testing",
  "src/payments/x402",
  "src/store",
];

/** Its sentences break the rules on purpose. */
export const EXAMPLES_OF_BAD_ENGLISH = "scripts/prose/check.test.ts";
