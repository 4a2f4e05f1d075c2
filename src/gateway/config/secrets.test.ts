import { expect, test } from "bun:test";
import { describeFound, diagnosticText } from "./diagnostic.ts";
import { describedSchema, type JsonSchema, publishedSchema } from "./json-schema.ts";
import { loadValue } from "./load.ts";
import { PLACEHOLDER, withKeptSecrets, withoutSecrets } from "./secrets.ts";

/** Names of keys that may have secret values. */
const SOUNDS_SECRET =
  /secret|passw|token|credential|private|key|_hash$|^value$|url$|^url|headers$|cookie|signature|mnemonic|seed|auth/i;

/** Keys with such a name that have no secret, with the reason. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  "tls.key_path": "the path of a file",
  "tls.certificates[].key_path": "the path of a file",
  "server.listeners[].tls.key_path": "the path of a file",
  "server.listeners[].tls.certificates[].key_path": "the path of a file",
  "tls.acme.key_type": "the name of an algorithm",
  "tls.acme.external_account.key_id": "the name of a key",
  "tls.acme.external_account.hmac_key_env": "the name of a variable",
  "quic.key_path": "the path of a file",
  "admin.tls.key_path": "the path of a file",
  "admin.api_key_env": "the name of a variable",
  "admin.read_api_key_env": "the name of a variable",
  "postgres.password_env": "the name of a variable",
  "content.jobs.postgres.password_env": "the name of a variable",
  "x402.embedded.key_env": "the name of a variable",
  "x402.channels.authorizer_key_env": "the name of a variable",
  "x402.mpp.secret_env": "the name of a variable",
  "x402.embedded.signers[].key_env": "the name of a variable",
  "x402.embedded.signers[].public_key": "it is public",
  "x402.embedded.signers[].key_id": "the name of a key",
  "x402.embedded.signers[].access_key_id_env": "the name of a variable",
  "x402.embedded.signers[].secret_access_key_env": "the name of a variable",
  "x402.embedded.signers[].session_token_env": "the name of a variable",
  "x402.embedded.signers[].key_version": "the name of a key",
  "x402.embedded.signers[].token_path": "the path of a file",
  "x402.settlement_secret_env": "the name of a variable",
  "x402.chains[].rpc_url_env": "the name of a variable",
  "x402.public_url": "clients see it",
  "x402.facilitators": "what of it is secret is marked below it",
  "x402.facilitators[].headers": "names of fields and of variables",
  "x402.facilitator_headers": "names of fields and of variables",
  "routes[].x402.resource_url": "clients see it",
  "routes[].auth": "what of it is secret is marked below it",
  "routes[].auth.keys": "what of it is secret is marked below it",
  "routes[].auth.headers_forward": "names of fields",
  "routes[].auth.headers_upstream": "names of fields",
  "routes[].auth.claims_to_headers": "names of claims and fields",
  "routes[].rate_limit.key": "what has a bucket",
  "x402.credit.rate_limit.key": "what has a bucket",
  "routes[].traffic_split_sticky.cookie": "its name and age",
  "routes[].upstream_headers": "what of it is secret is marked below it",
  "upstreams[].tls_key_path": "the path of a file",
  "upstreams[].token_env": "the name of a variable",
  "routes[].fixed_response.headers": "what of it is secret is marked below it",
  "routes[].traffic_split[].headers": "what of it is secret is marked below it",
  "routes[].match.headers": "what of it is secret is marked below it",
  "routes[].headers": "what of it is secret is marked below it",
  "routes[].security_headers": "clients see them",
  security_headers: "clients see them",
  "routes[].cors.allow_headers": "names of fields",
  "routes[].cors.expose_headers": "names of fields",
  "cors.allow_headers": "names of fields",
  "cors.expose_headers": "names of fields",
  "content.browser.endpoint_env": "the name of a variable",
  "content.proxies[].url_env": "the name of a variable",
  "content.search.brave_key_env": "the name of a variable",
  "content.resolve.model.key_env": "the name of a variable",
  "content.resolve.model.tokens_field": "the name of a field",
  "content.resolve.model.max_input_tokens": "a number",
  "content.resolve.model.max_output_tokens": "a number",
  "content.resolve.model.max_tokens_per_question": "a number",
  "content.resolve.model.max_tokens_per_day": "a number",
  "rate_limit_store.redis_url_env": "the name of a variable",
  "x402.screening.token_env": "the name of a variable",
  "x402.embedded.approval_key_env": "the name of a variable",
  "x402.embedded.solana_key_env": "the name of a variable",
  "x402.refunds.key_envs": "names of variables",
  "x402.signed_receipts.key_env": "the name of a variable",
  "routes[].x402.rules[].match.headers": "what of it is secret is marked below it",
  "routes[].x402.rules[].body[].value": "what has a price",
  "routes[].x402.free_per_day.key": "what is counted",
  "x402.payment_fields.secret_env": "the name of a variable",
  "x402.payment_fields.signature": "the name of a field",
};

interface Key {
  readonly path: string;
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * Every key of the schema, including those of all alternatives. The methods of a chain are omitted, because they have
 * the same keys.
 */
function* keysOf(schema: JsonSchema, path = ""): Generator<Key> {
  for (const alternative of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) yield* keysOf(alternative, path);
  if (schema.items !== undefined) yield* keysOf(schema.items, `${path}[]`);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? name : `${path}.${name}`;
    yield { path: at, name, schema: member };
    if (!at.endsWith(".methods")) yield* keysOf(member, at);
  }
}

test("every key with a name that suggests a secret is marked in the schema, or listed as not secret", () => {
  const unmarked = [...keysOf(describedSchema())].filter(
    ({ name, path, schema }) =>
      SOUNDS_SECRET.test(name) &&
      schema.type !== "boolean" &&
      schema.secret === undefined &&
      !Object.hasOwn(NO_SECRETS, path),
  );
  expect(unmarked.map(({ path }) => path)).toEqual([]);
  const known = new Set([...keysOf(describedSchema())].map(({ path }) => path));
  expect(Object.keys(NO_SECRETS).filter((path) => !known.has(path))).toEqual([]);
});

test("no diagnostic repeats the value of a marked key", () => {
  const marked = [...keysOf(describedSchema())].filter(
    ({ schema }) => schema.secret !== undefined && schema.secret !== "none",
  );
  expect(marked.length).toBeGreaterThan(15);
  for (const { path } of marked) {
    expect([path, describeFound(path.replaceAll("[]", "[0]"), "hunter2")]).toEqual([path, "a string"]);
  }
});

test("no diagnostic repeats a secret that stands in place of a variable's name, a field's name or an object", () => {
  const variables = [...keysOf(describedSchema())].filter(({ name }) => name.endsWith("_env"));
  expect(variables.length).toBeGreaterThan(8);
  for (const { path } of variables) {
    expect([path, describeFound(path.replaceAll("[]", "[0]"), "hunter2!")]).toEqual([path, "a string"]);
  }
  const config = {
    rate_limit_store: "redis://:hunter2@store",
    content: { browser: "ws://pool/hunter2" },
    x402: { facilitator_headers: [{ name: "Authorization: Bearer hunter2", value_env: "hunter2-" }] },
    routes: ["hunter2", { headers: { request: { set: [{ name: "Authorization:hunter2", value: "hunter2" }] } } }],
  };
  const text = loadValue(config).problems.map(diagnosticText).join("\n");
  expect(text).not.toContain("hunter2");
  for (const part of [
    "rate_limit_store: expected an object, found a string",
    "content.browser: expected an object, found a string",
    "value_env: expected the name of an environment variable, found a string",
    'facilitator_headers[0].name: expected a header name (letters, digits, !#$%&\'*+-.^_`|~), found "Authorization:…"',
    "routes[0]: expected an object, found a string",
  ])
    expect(text).toContain(part);
});

test("the published schema marks secrets as writeOnly", () => {
  const writeOnly = [...keysOf(publishedSchema())].filter(({ schema }) => schema.writeOnly === true);
  const whole = [...keysOf(describedSchema())].filter(({ schema }) => schema.secret === "whole");
  expect(new Set(writeOnly.map(({ path }) => path))).toEqual(new Set(whole.map(({ path }) => path)));
  expect(JSON.stringify(publishedSchema())).not.toContain(`"secret":"`);
});

const FULL = {
  $schema: "./turnpike.schema.json",
  misspelt_secret: "s3cret-1",
  comment: { of: ["s3cret-2", 7] },
  admin: { enabled: true, api_key: "s3cret-3", read_api_key: "s3cret-4", audit_log: "audit.log" },
  otel: { collector_url: "https://otel.example/v1/traces?key=s3cret-5", headers: "authorization=s3cret-6" },
  postgres: { url: "postgres://me:s3cret-7@db.example:5432/ledger?sslmode=require" },
  x402: { enabled: true, facilitator_url: "https://facilitator.example/s3cret8aaaaaaaaaaaa/x402" },
  content: { search: { searxng_url: "https://find.example/?token=s3cret-9" } },
  upstreams: [
    {
      name: "a",
      servers: [{ address: "127.0.0.1", port: 1 }],
      health_check: { path: "/health?key=s3cret-10" },
      catalog_discovery: { service: "a", token: "s3cret-11" },
      servres: "s3cret-12",
    },
  ],
  routes: [
    {
      path_prefix: "/keys",
      upstream: "a",
      match: {
        headers: [
          { name: "X-Key", value: "s3cret-24" },
          { name: "X-Keys", pattern: "s3cret-25|26" },
          { name: "Accept", pattern: ".*json.*" },
        ],
        query: [
          { name: "token", value: "s3cret-27" },
          { name: "sig", pattern: "s3cret-2[89]" },
        ],
      },
      rewrite: { path: "/bots/s3cret30aaaaaaaaaaaa/send" },
      traffic_split: [{ upstream: "a", weight: 1, rewrite: { prefix: "/s3cret31aaaaaaaaaaaa" } }],
      auth: {
        type: "chain",
        methods: [
          {
            type: "api_key",
            keys: [
              { name: "alice", key: "s3cret-13" },
              { name: "bob", key: "s3cret-14" },
              { name: "bob", key_hash: "5ec4e1".repeat(11).slice(0, 64) },
            ],
          },
          { type: "jwt", secret: "s3cret-15", jwks_url: "https://keys.example/jwks?s3cret-16" },
          { type: "forward_auth", url: "https://auth.example/ask?key=s3cret-17" },
        ],
      },
      upstream_headers: [
        { name: "Authorization", value: "Bearer s3cret-18" },
        { name: "X-Whatever", value: "s3cret-19" },
        { name: "Host", value: "inner.example" },
      ],
      headers: {
        request: { set: [{ name: "X-Api-Key", value: "s3cret-20" }], add: [{ name: "Cookie", value: "s3cret-21" }] },
        response: {
          set: [{ name: "X-Robots-Tag", value: "noindex" }],
          add: [{ name: "Set-Cookie", value: "login=s3cret-23" }],
        },
      },
      body_schema: { properties: { token: { const: "open" } } },
      x402: {
        price: "$0.01",
        asset: "USDC",
        network: "base-sepolia",
        pay_to: "0x000000000000000000000000000000000000dEaD",
        settlement_url: "https://hooks.example/T0/B0/s3cret22aaaaaaaaaaaa",
        facilitator_url: "unix:/run/facilitator.sock",
        resource_url: "https://shop.example/?item=7",
      },
    },
  ],
};

test("a shown configuration has no secrets but the addresses of services, and restores the original", () => {
  const shown = withoutSecrets(FULL);
  const text = JSON.stringify(shown);
  expect(text.match(/s3cret|5ec4e1/g)).toBeNull();
  expect(shown).toMatchObject({
    $schema: "./turnpike.schema.json",
    misspelt_secret: PLACEHOLDER,
    comment: PLACEHOLDER,
    admin: { enabled: true, api_key: PLACEHOLDER, audit_log: "audit.log" },
    otel: { collector_url: "https://otel.example/v1/traces?<secret>", headers: PLACEHOLDER },
    postgres: { url: "postgres://me:<secret>@db.example:5432/ledger?sslmode=require" },
    x402: { facilitator_url: "https://facilitator.example/<secret>/x402" },
    upstreams: [{ health_check: { path: "/health?<secret>" }, servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [
      {
        auth: { methods: [{ keys: [{ name: "alice", key: PLACEHOLDER }, {}, { key_hash: PLACEHOLDER }] }, {}, {}] },
        upstream_headers: [{}, { name: "X-Whatever", value: PLACEHOLDER }, { name: "Host", value: "inner.example" }],
        headers: { response: { set: [{ name: "X-Robots-Tag", value: "noindex" }] } },
        body_schema: { properties: { token: { const: "open" } } },
        x402: {
          settlement_url: "https://hooks.example/T0/B0/<secret>",
          facilitator_url: "unix:/run/facilitator.sock",
          resource_url: "https://shop.example/?item=7",
        },
      },
    ],
  });
  expect(withKeptSecrets(shown, FULL)).toEqual(FULL);
});

test("a secret in place of an object is hidden too", () => {
  expect(withoutSecrets({ admin: "s3cret", routes: [{ auth: "s3cret" }, "s3cret"] })).toEqual({
    admin: PLACEHOLDER,
    routes: [{ auth: PLACEHOLDER }, PLACEHOLDER],
  });
});

test("the secrets of a part depend on its path in the whole", () => {
  const [route] = FULL.routes;
  expect(withoutSecrets(route, ["routes", 7])).toEqual(Object(withoutSecrets(FULL)).routes[0]);
  expect(withoutSecrets("s3cret", ["routes", 7, "auth", "keys", 0, "key"])).toBe(PLACEHOLDER);
  expect(withoutSecrets({ a: 1 }, ["nobody_knows"])).toBe(PLACEHOLDER);
});

const keys = (...list: readonly (readonly [name: string, key: string])[]): object => ({
  routes: [{ path_prefix: "/", auth: { type: "api_key", keys: list.map(([name, key]) => ({ name, key })) } }],
});

test.each([
  [
    "list items are matched by name at any index",
    [
      ["b", "2"],
      ["a", "1"],
    ],
    [
      ["a", PLACEHOLDER],
      ["b", PLACEHOLDER],
    ],
    [
      ["a", "1"],
      ["b", "2"],
    ],
  ],
  [
    "a new item has no secret to keep",
    [["a", "1"]],
    [
      ["a", PLACEHOLDER],
      ["b", PLACEHOLDER],
    ],
    [
      ["a", "1"],
      ["b", PLACEHOLDER],
    ],
  ],
  [
    "if the number of items with one name changes, no secret is kept",
    [
      ["a", "1"],
      ["a", "2"],
    ],
    [["a", PLACEHOLDER]],
    [["a", PLACEHOLDER]],
  ],
  [
    "if the number of items with one name stays, they are matched by order",
    [
      ["a", "1"],
      ["a", "2"],
    ],
    [
      ["a", PLACEHOLDER],
      ["a", "3"],
    ],
    [
      ["a", "1"],
      ["a", "3"],
    ],
  ],
] as const)("%s", (_, before, sent, kept) => {
  expect(withKeptSecrets(keys(...sent), keys(...before))).toEqual(keys(...kept));
});

function guarded(prefix: string, secret: string): object {
  return { path_prefix: prefix, auth: { type: "jwt", secret } };
}

function collector(url: string): object {
  return { otel: { collector_url: url } };
}

test("a route keeps its own secrets if another route is placed before it", () => {
  const before = { routes: [guarded("/a", "1"), guarded("/b", "2")] };
  expect(withKeptSecrets({ routes: [guarded("/b", PLACEHOLDER), guarded("/c", PLACEHOLDER)] }, before)).toEqual({
    routes: [guarded("/b", "2"), guarded("/c", PLACEHOLDER)],
  });
});

test.each([
  ["wss://s3cret@pool.example/chrome", "wss://<secret>@pool.example/chrome"],
  ["https://s3cret:@pool.example/", "https://<secret>@pool.example/"],
  ["wss://s3cret:s3cret@pool.example/?token=s3cret", "wss://<secret>@pool.example/?<secret>"],
  ["wss://pool.example/token=s3cretAAAAAAAAAA/x", "wss://pool.example/<secret>/x"],
  ["wss://pool.example/bot123456:s3cret-AAAAAAA", "wss://pool.example/<secret>"],
])("the endpoint %s of a remote browser is shown as %s, and keeps its secret", (endpoint, shown) => {
  const config = { content: { browser: { endpoint } } };
  const visible = { content: { browser: { endpoint: shown } } };
  expect(withoutSecrets(config)).toEqual(visible);
  expect(withKeptSecrets(visible, config)).toEqual(config);
});

test("a URL with another visible part does not keep its secret", () => {
  const before = collector("https://a.example/?key=1");
  expect(withKeptSecrets(collector("https://a.example/?<secret>"), before)).toEqual(before);
  expect(withKeptSecrets(collector("https://evil.example/?<secret>"), before)).toEqual(
    collector("https://evil.example/?<secret>"),
  );
});

test("a placeholder without an earlier secret is refused, with its path", () => {
  const { problems } = loadValue({
    admin: { enabled: false, api_key: PLACEHOLDER },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [{ path_prefix: "/", upstream: "a", auth: { type: "jwt", secret: PLACEHOLDER } }],
  });
  expect(problems.map(diagnosticText)).toEqual([
    'admin.api_key: "<secret>" stands for an existing secret, and there is no such secret',
    'routes[0].auth.secret: "<secret>" stands for an existing secret, and there is no such secret',
  ]);
});
