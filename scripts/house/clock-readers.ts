/** Files of src that may read a clock or draw random values themselves, by the reason. Read by clocks.ts. */
export const READERS: Readonly<Record<string, readonly string[]>> = {
  /** The clocks themselves. */
  clocks: ["src/lib/time/event-clock.ts", "src/lib/time/machine-time.ts"],
  /** Their scripts run in a page, whose clock the browser has. */
  inBrowser: [
    "src/content/browser/capture/rest.ts",
    "src/content/browser/capture/show-all.ts",
    "src/content/browser/actions/element.ts",
    "src/content/browser/actions/steps.ts",
    "src/content/browser/content-wait.ts",
    "src/content/browser/snapshot.ts",
  ],
  /** Entry points: they pass the clock to what they create, and note when they started. */
  entryPoints: [
    "src/cli/content/index-command.ts",
    "src/cli/common/stop-signal.ts",
    "src/content/open-live.ts",
    "src/content/service.ts",
    "src/gateway/process/administered-gateway.ts",
    "src/gateway/process/start-administered.ts",
    "src/gateway/process/check/check-files-worker.ts",
  ],
  /** They give a guest program the clock and the random values of the system. */
  guests: [
    "src/gateway/filters/proxy-wasm/host/plain.ts",
    "src/gateway/filters/proxy-wasm/host/wasi.ts",
    "src/gateway/filters/proxy-wasm/guest/properties.ts",
  ],
  /** They arm timers of the runtime, and read the clock that those timers follow. A test of them waits in real time. */
  timers: [
    "src/content/page/deadline.ts",
    "src/lib/slices.ts",
    "src/gateway/process/listeners/gateway-listener.ts",
    "src/gateway/wire/finish-accepting.ts",
  ],
  /** Keys, tokens and ids of sessions. Another source of random values would make them guessable. */
  secrets: [
    "src/cli/admin/admin-key.ts",
    "src/content/browser/remote/confinement.ts",
    "src/gateway/acme/x509.ts",
    "src/gateway/admin/http/sessions.ts",
    "src/gateway/admin/operations/keys.ts",
    "src/gateway/process/facilitators/own-facilitator.ts",
    "src/gateway/proxy/split.ts",
    "src/gateway/static/static-files.ts",
    "src/lib/memory/half-sip-hash.ts",
    "src/lib/http/websocket-handshake.ts",
    "src/lib/text/random-hex.ts",
  ],
  /** They draw the ids of requests and traces. */
  ids: ["src/gateway/telemetry/tracing/new-traces.ts", "src/lib/http/request-id.ts"],
  /** The name of this process among those that share a store, a configuration or a folder. No two may be equal. */
  owners: [
    "src/gateway/acme/keeper.ts",
    "src/gateway/admin/running-config/live-config.ts",
    "src/gateway/admin/usage/usage-keeper.ts",
    "src/gateway/policy/payment/responses/response-index.ts",
    "src/store/postgres/certificates.ts",
    "src/store/postgres/channels.ts",
    "src/store/postgres/ledger.ts",
    "src/store/sqlite/sqlite-channels.ts",
    "src/store/sqlite/sqlite-ledger.ts",
  ],
  /** Names of files that no other process uses. */
  fileNames: [
    "src/gateway/admin/running-config/replace-file.ts",
    "src/gateway/policy/payment/responses/response-disk.ts",
    "src/gateway/proxy/spool.ts",
    "src/lib/text/unique-name.ts",
    "src/lib/files/whole-file.ts",
  ],
};
