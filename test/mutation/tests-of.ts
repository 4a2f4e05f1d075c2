/** Folders in which the tests are to notice at least 85 of 100 mutants. */
export const ROOMS: readonly string[] = [
  "src/gateway/http1",
  "src/gateway/http2",
  "src/gateway/http3",
  "src/gateway/proxy",
  "src/gateway/proxy/cache",
  "src/gateway/upstream",
  "src/gateway/policy",
  "src/gateway/policy/payment",
  "src/payments/evm",
  "src/store",
  "src/gateway/admin",
  "src/gateway/filters",
  "src/gateway/tenants",
  "src/content/egress",
  "src/content/extraction",
  "src/content/resolve",
];

/** Whole-program tests of a folder's code in other folders: test files, or folders of them. */
export const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  "src/gateway/policy/auth": [
    "test/policy/auth.test.ts",
    "test/policy/auth-forward.test.ts",
    "test/policy/auth-protocols.test.ts",
    "test/policy/auth-tls.test.ts",
    "test/policy/refusals-combined.test.ts",
  ],
  "src/gateway/policy/payment": [
    "test/flow",
    "test/embedded-facilitator.test.ts",
    "test/facilitators.test.ts",
    "test/responses.test.ts",
    "test/pay-before.test.ts",
    "test/pay.test.ts",
    "test/payments/catalogue.test.ts",
    "test/payments/credit-attacks.test.ts",
    "test/payments/credit.test.ts",
    "test/payments/delivery.test.ts",
    "test/payments/price-rules.test.ts",
    "test/payments/refunds.test.ts",
    "test/payments/said-prices.test.ts",
    "test/payments/screening.test.ts",
    "test/payments/signed-receipts.test.ts",
    "test/payments/unsold-responses.test.ts",
    "test/payments/worthless-responses.test.ts",
    "test/admin/credits.test.ts",
    "test/policy/payment-resource.test.ts",
    "test/policy/payment-traces.test.ts",
    "test/shared-ledger.test.ts",
  ],
  "src/gateway/policy": ["test/flow", "test/policy"],
  "src/gateway/http1": [
    "test/flow",
    "test/http1",
    "test/conformance/http1",
    "test/floods/http1.test.ts",
    "test/proxy/http1-faults.test.ts",
    "test/websocket",
  ],
  "src/gateway/http2": [
    "test/flow",
    "test/http2",
    "test/conformance/http2",
    "test/floods/http2.test.ts",
    "test/proxy/http2-faults.test.ts",
    "test/proxy/http2-streams.test.ts",
  ],
  "src/gateway/http3": [
    "test/flow",
    "test/http3",
    "test/conformance/http3",
    "test/process/quic-reload.test.ts",
    "test/process/quic-workers.test.ts",
  ],
  "src/gateway/proxy/cache": ["test/flow", "test/cache", "test/conformance/http-cache"],
  "src/gateway/proxy": ["test/flow", "test/proxy", "test/grpc", "test/websocket"],
  "src/gateway/upstream": [
    "test/proxy",
    "test/grpc",
    "test/process/connection-shares.test.ts",
    "test/process/directory.test.ts",
    "test/process/upstreams.test.ts",
  ],
  "src/gateway/admin": ["test/admin"],
  "src/gateway/filters": [
    "test/flow",
    "test/filters",
    "test/process/control-socket.test.ts",
    "test/process/host-calls.test.ts",
    "test/policy/own-filters.test.ts",
    "test/policy/own-filters-random.test.ts",
    "test/policy/own-filter-responses.test.ts",
  ],
  "src/gateway/tenants": ["test/flow", "test/tenants", "test/admin/tenants.test.ts"],
  "src/content/extraction": ["test/engines"],
  "src/payments/evm": [
    "test/embedded-facilitator.test.ts",
    "test/payments/chain.test.ts",
    "test/payments/permit2.test.ts",
  ],
  "src/store": ["src/cli/content/shared-templates.test.ts", "test/acme/shared.test.ts", "test/shared-ledger.test.ts"],
};

/** The tests in the table for a file or folder, with those of every folder around it. */
export function elsewhere(place: string): readonly string[] {
  return Object.entries(TESTS_OF)
    .filter(([folder]) => place === folder || place.startsWith(`${folder}/`))
    .flatMap(([, tests]) => tests);
}
