import { expect, test } from "bun:test";
import { loadText, loadValue } from "./load.ts";

/** The tables of the configuration's definition, key by key. `undefined` means that there is no default. */
const SECTIONS = {
  server: {
    address: "0.0.0.0",
    port: 8080,
    workers: 0,
    max_connections: 2048,
    max_connections_per_address: 1024,
    static_root: "",
    disable_middleware: false,
    cache_static_files: false,
    defer_accept: false,
    preencoded: false,
    allowed_hosts: [],
    listeners: [],
  },
  timeouts: { idle_ms: 60000, header_ms: 10000, body_ms: 30000, write_ms: 30000 },
  limits: { max_header_bytes: 32768, max_body_bytes: 33554432, max_header_count: 128 },
  buffer_pool: {
    buffer_size: 65536,
    buffer_count: 4096,
    body_buffer_size: 1048576,
    body_buffer_count: 32,
    response_buffer_bytes: 33554432,
    response_disk_bytes: 1073741824,
    temp_path: "",
  },
  tls: { cert_path: "", key_path: "", certificates: [], client_ca_path: "", client_cert_required: true, hosts: [] },
  http2: {
    max_streams: 128,
    max_header_list_size: 8192,
    initial_window_size: 1048576,
    max_frame_size: 16384,
    h2c_only: false,
  },
  quic: {
    enabled: false,
    port: 443,
    cert_path: "",
    key_path: "",
    max_idle_timeout_ms: 30000,
    max_streams_bidi: 100,
    max_streams_uni: 100,
  },
  admin: {
    enabled: false,
    port: 9180,
    address: "127.0.0.1",
    api_key: "",
    api_key_env: "",
    read_api_key: "",
    read_api_key_env: "",
    allow_short_keys: false,
    hosts: [],
    file_folders: [],
    tls: { cert_path: "", key_path: "" },
    audit_log: "",
  },
  otel: {
    enabled: false,
    collector_url: "http://localhost:4318",
    service_name: "service",
    flush_interval_s: 5,
    sample_rate: 100,
    max_batch_size: 256,
    headers: "",
  },
  x402: { enabled: false, facilitator_url: "", facilitator_timeout_ms: 5000, payment_required_b64: "" },
  postgres: {
    url: undefined,
    password_env: "",
    pool_size_per_worker: 2,
    statement_timeout_ms: 5000,
    allow_cleartext_password: false,
    ssl_root_cert: "",
    kept_response_bytes: 268_435_456,
  },
  upstreams: [],
  routes: [],
  wasm_filters: [],
  wasm_control_socket: "",
  wasm_control_connections: 1,
  wasm_host_call_deadline_ms: 30000,
  tenant_idle_ttl_ms: 600000,
  tenant_max_warm: 256,
};

/** The keys that Turnpike adds to the definition. */
const OWN = {
  server: { trusted_proxies: [] },
  x402: {
    facilitators: [],
    facilitator_headers: [],
    facilitator_refresh_s: 600,
    require_facilitator: false,
    channels: {
      authorizer_key_env: "TURNPIKE_CHANNEL_KEY",
      withdraw_delay_s: 86_400,
      deposit_requests: 10,
      fresh_s: 300,
      wait_ms: 5000,
      max_risk: "$100",
      max_total_risk: "$10000",
      contracts: { max_risk: "$1", max_total_risk: "$100" },
      claim: { charges: 1000, amount: "$10", age_s: 21_600, batch: 100, on_stop: true },
      settle_s: 86_400,
    },
    embedded: {
      enabled: false,
      key_env: "TURNPIKE_FACILITATOR_KEY",
      signers: [],
      max_pending: 256,
      wallet_factories: [],
      approval_key_env: "",
    },
    chains: [],
    settlement_secret_env: "TURNPIKE_SETTLEMENT_SECRET",
    screening: { denied_payers: [], service_url: "", token_env: "", timeout_ms: 2000, cache_s: 600 },
    refunds: { key_envs: [], owed_after_days: 0 },
    signed_receipts: { key_env: "", format: "eip712", algorithm: "EdDSA", kid: "", transaction: false },
    discovery: { manifest: true, llms_txt: "auto" },
    payment_fields: {
      payer: "Turnpike-Payer",
      amount: "Turnpike-Amount",
      asset: "Turnpike-Asset",
      network: "Turnpike-Network",
      payment_id: "Turnpike-Payment-Id",
      transaction: "Turnpike-Transaction",
      signature: "Turnpike-Signature",
      secret_env: "",
    },
    answer_disk_bytes: 1_073_741_824,
    ledger_keep_days: 400,
    test_mode: false,
    public_url: "",
  },
  access_log: { enabled: true, format: "combined", path: "stderr", sample_rate: 100 },
  content: {
    allow_private: false,
    browser_path: "",
    browsers: { enabled: false, max: 2, max_minutes: 60 },
    browser: {
      endpoint: "",
      endpoint_env: "",
      tls_ca_path: "",
      max_pages: 8,
      proxy_address: "",
      allowed_addresses: [],
    },
    socket: "",
    charge_timeouts: false,
    firecrawl: true,
    discovery: true,
    ai_uses: [],
    files: {
      max_upload_mb: 32,
      ocr: {
        enabled: false,
        languages: ["eng"],
        max_pages: 20,
        timeout_s: 60,
        max_megapixels: 25,
        concurrency: 1,
        text_price_percent: 100,
      },
    },
    proxies: [],
    page_cache: { max_mb: 256, versions_mb: 256, shared: false, hit_price_percent: 100 },
    jobs: {
      max_run_s: 86_400,
      results_ttl_s: 86_400,
      host_interval_ms: 100,
      max_job_mb: 1024,
      max_mb: 16_384,
      postgres: {
        url: "",
        pool_size: 4,
        password_env: "",
        statement_timeout_ms: 5000,
        allow_cleartext_password: false,
        ssl_root_cert: "",
      },
    },
    search: {
      providers: ["local", "searxng", "brave", "duckduckgo", "mojeek"],
      parallel: 2,
      provider_timeout_ms: 8000,
      searxng_url: "",
      brave_key_env: "BRAVE_API_KEY",
      user_agent: "",
      cache_ttl_s: 300,
      index_fetched: false,
      index_max_mb: 1024,
    },
    resolve: {},
  },
  state_path: "",
  wasm_park_capacity: 64,
  rate_limit_store: { redis_url_env: "", timeout_ms: 50 },
};

const SERVER = { weight: 1, max_fails: 3, fail_timeout_ms: 30000, backup: false };
const UPSTREAM = {
  deleted: false,
  load_balancer: "round_robin",
  slow_start_ms: 0,
  health_check: undefined,
  connection_pool: {
    max_connections: 64,
    max_idle: 16,
    idle_timeout_ms: 60000,
    connect_timeout_ms: 5000,
    client_share: 80,
  },
  dns_discovery: undefined,
  catalog_discovery: undefined,
  allow_private: true,
  tls: false,
  tls_verify: true,
  tls_sni: "",
  tls_subject_alt_names: [],
  tls_ca_path: "",
  tls_cert_path: "",
  tls_key_path: "",
  token_env: "",
  protocol: "http1",
};
const ROUTE = {
  host: undefined,
  tenant: undefined,
  rewrite_pattern: undefined,
  rewrite_replacement: "",
  connect_timeout_ms: 5000,
  send_timeout_ms: 30000,
  read_timeout_ms: 60000,
  total_timeout_ms: 120000,
  max_response_bytes: 33554432,
  auth: { type: "none" },
  without: [],
  rate_limit: undefined,
  cache: undefined,
  traffic_split: undefined,
  mirror: undefined,
  body_schema: undefined,
  request_buffering: true,
  response_buffering: true,
  upstream_headers: [],
  forward_client_address: true,
  retry: {
    max_retries: 1,
    connect_any_method: false,
    any_method: false,
    statuses: [502, 503, 504],
    backoff_ms: 0,
    max_backoff_ms: 10000,
    try_timeout_ms: 0,
  },
};
const ROUTE_X402 = {
  scheme: "exact",
  max_timeout_seconds: 60,
  settlement_url: "",
  gateway_id: "",
  extra_name: "",
  extra_version: "",
  facilitator_url: "",
  resource_url: "",
  description: "",
  extensions: undefined,
  accepts: [],
  settle: "after",
  inline_receipt: false,
  max_partial_answers: 3,
  max_repeats: 3,
  rules: [],
  exempt_consumers: [],
};
const PRICE = { price: "1", asset: "USDC", network: "base", pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" };

test("an empty object has all defaults of the tables", () => {
  const { config, warnings } = loadText("{}");
  const found: unknown = config;
  expect(warnings).toEqual([]);
  expect(found).toEqual({
    ...SECTIONS,
    ...OWN,
    server: { ...SECTIONS.server, ...OWN.server },
    x402: { ...SECTIONS.x402, ...OWN.x402 },
  });
});

test("items of lists have the defaults of their tables", () => {
  const { config } = loadValue({
    server: { listeners: [{ port: 1 }] },
    x402: { enabled: true, facilitator_url: "http://127.0.0.1:1" },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [
      { path_prefix: "/", upstream: "a" },
      { path_prefix: "/x", upstream: "a", x402: PRICE },
    ],
  });
  // The tables are wider than the types of the configuration.
  const found: readonly unknown[] = [
    config?.server.listeners,
    config?.upstreams[0],
    // Routes inherit their defaults.
    { ...Object.getPrototypeOf(config?.routes[0]), ...config?.routes[0] },
    config?.routes[1]?.x402,
  ];
  const [listeners, upstream, route, x402] = found;
  expect(listeners).toEqual([
    {
      address: "0.0.0.0",
      port: 1,
      use_tls: false,
      h2c_only: false,
      quic_enabled: false,
      quic_port: 0,
      proxy_protocol: false,
    },
  ]);
  const servers = [{ address: "127.0.0.1", port: 1, ...SERVER }];
  expect(upstream).toEqual({ name: "a", servers, ...UPSTREAM });
  expect(route).toEqual({ path_prefix: "/", upstream: "a", ...ROUTE });
  expect(x402).toEqual({ ...PRICE, ...ROUTE_X402 });
});
