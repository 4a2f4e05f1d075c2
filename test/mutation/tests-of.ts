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
    "test/responses.test.ts",
    "test/pay-before.test.ts",
    "test/pay.test.ts",
    "test/payments/catalogue.test.ts",
    "test/payments/delivery.test.ts",
    "test/payments/said-prices.test.ts",
    "test/policy/payment-resource.test.ts",
    "test/policy/payment-traces.test.ts",
    "test/shared-ledger.test.ts",
  ],
  "src/gateway/http1": ["test/http1", "test/proxy/http1-faults.test.ts", "test/websocket"],
  "src/gateway/http2": ["test/http2", "test/proxy/http2-faults.test.ts", "test/proxy/http2-streams.test.ts"],
};

/** The tests in the table for a file or folder, with those of every folder around it. */
export function elsewhere(place: string): readonly string[] {
  return Object.entries(TESTS_OF)
    .filter(([folder]) => place === folder || place.startsWith(`${folder}/`))
    .flatMap(([, tests]) => tests);
}
