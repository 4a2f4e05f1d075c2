import { expect, test } from "bun:test";
import { configSchema } from "./config.ts";
import { describedSchema, type JsonSchema } from "./json-schema.ts";
import { loadFile, loadText } from "./load.ts";

const EVERY_KEY = new URL("testdata/every-key.json", import.meta.url).pathname;

test("blocks without keys have the defaults of their tables", () => {
  const { upstreams, routes, wasm_filters } = configSchema.parse({
    upstreams: [
      {
        name: "a",
        servers: [],
        health_check: {},
        dns_discovery: { hostname: "h" },
        catalog_discovery: { service: "s" },
      },
    ],
    routes: [
      { path_prefix: "/", rate_limit: {}, cache: {}, tenant: { socket_dir: "/d" } },
      { path_prefix: "/a", auth: { type: "api_key", keys: [{ key: "k", name: "n" }] } },
      { path_prefix: "/b", auth: { type: "forward_auth", url: "http://a/" } },
      { path_prefix: "/c", auth: { type: "anonymous" } },
    ],
    wasm_filters: [{ match: "/", module: "m" }],
  });
  expect(upstreams[0]?.health_check).toEqual({
    path: "/health",
    interval_ms: 5000,
    timeout_ms: 2000,
    expected_status: 200,
    healthy_threshold: 2,
    unhealthy_threshold: 3,
  });
  expect(upstreams[0]?.dns_discovery).toEqual({ hostname: "h", port: 80, interval_s: 30, nameservers: [] });
  expect(upstreams[0]?.catalog_discovery).toEqual({
    service: "s",
    address: "127.0.0.1",
    port: 8500,
    interval_s: 15,
    token: "",
  });
  expect(routes[0]?.rate_limit).toEqual({
    requests_per_second: 100,
    burst_size: 200,
    key: "consumer",
    ipv6_prefix: 64,
  });
  expect(routes[0]?.cache).toEqual({
    ttl_s: 60,
    max_entries: 1024,
    max_bytes: 67_108_864,
    max_entry_bytes: 8_388_608,
    vary: [],
    targeted_fields: ["CDN-Cache-Control"],
  });
  expect(routes[0]?.tenant).toEqual({ socket_dir: "/d", header: "host", skip_filter_when_warm: true });
  expect(routes[1]?.auth).toMatchObject({ header_name: "X-API-Key", query_param: "api_key" });
  expect(routes[2]?.auth).toMatchObject({ timeout_ms: 5000, headers_forward: [], headers_upstream: [] });
  expect(routes[3]?.auth).toEqual({ type: "anonymous", subject: "anonymous" });
  expect(wasm_filters).toEqual([
    {
      match: "/",
      module: "m",
      instances: 1,
      fuel: 5_000_000,
      memory_limit_bytes: 33_554_432,
      config: "",
      vm_config: "",
      vm_id: "",
      root_id: "",
      response_fail_closed: false,
    },
  ]);
});

/** Every path of the schema that has a value, with `[]` for lists. The types below `auth` are separate. */
function schemaPaths(schema: JsonSchema, path: string): string[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([key, value]) =>
      schemaPaths(value, path === "" ? key : `${path}.${key}`),
    );
  }
  if (schema.items?.properties !== undefined) return schemaPaths(schema.items, `${path}[]`);
  return [path];
}

function valuePaths(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => valuePaths(item, `${path}[]`))];
  if (typeof value !== "object" || value === null) return [path];
  const keys = Object.entries(value).flatMap(([key, item]) => valuePaths(item, path === "" ? key : `${path}.${key}`));
  return [path, ...keys];
}

test("a file with every key has no problem", async () => {
  const paths = new Set(valuePaths(await Bun.file(EVERY_KEY).json(), ""));
  expect(schemaPaths(describedSchema(), "").filter((path) => !paths.has(path))).toEqual([]);
  expect((await loadFile(EVERY_KEY)).problems).toEqual([]);
});

test("no diagnostic repeats a secret", async () => {
  const text = await Bun.file(EVERY_KEY).text();
  const lists = [await loadFile(EVERY_KEY)];
  // Replaces every secret with a value of another type or form.
  lists.push(
    loadText(
      text.replaceAll(
        /"(key|key_hash|secret|token|api_key|value|headers)": "[^"]*hunter2[^"]*"/g,
        '"$1": ["hunter2\\n"]',
      ),
    ),
  );
  for (const [section, value] of [
    ["admin", "hunter2"],
    ["otel", { headers: "hunter2" }],
    ["postgres", { url: "hunter2" }],
    ["x402", { facilitator_url: "hunter2", payment_required_b64: "hunter2" }],
    ["upstreams", [{ name: "a", servers: [], catalog_discovery: "hunter2" }]],
    [
      "routes",
      [
        { path_prefix: "/", auth: "hunter2" },
        { path_prefix: "/", auth: { type: "api_key", keys: ["hunter2"] } },
      ],
    ],
    [
      "routes",
      [
        { path_prefix: "/", auth: { type: "api_key", keys: "hunter2" } },
        { auth: { type: "jwt", issuer: "hunter2", secret: "" } },
      ],
    ],
    ["routes", [{ path_prefix: "/", upstream_headers: ["hunter2", { name: "a", value: "hunter2\r" }] }]],
    ["routes", [{ path_prefix: "/", upstream_headers: "hunter2" }]],
  ] as const) {
    const loaded = loadText(JSON.stringify({ [section]: value }));
    expect(loaded.problems.length).toBeGreaterThan(0);
    lists.push(loaded);
  }
  for (const { problems, warnings } of lists) expect(JSON.stringify([problems, warnings])).not.toContain("hunter2");
});
