import { createServer, type Server } from "node:http";
import { generateKeyPairSync, KeyObject } from "node:crypto";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { bearer, RSA as ISSUER, token } from "../../../../test/policy/testing/tokens.ts";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { listenOnLoopback } from "../../../lib/testing/listen.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { KeySet, type KeySetDeps, parseKeySet } from "./jwks.ts";
import { createJwt } from "./jwt.ts";
import { requestOf } from "./testing/exchange.ts";

const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 });
const JWK = RSA.publicKey.export({ format: "jwk" });

let wheel: TimerWheel;
let server: Server;
let status: number;
let body: string;
let asked: number;
let now: number;
let logged: string[];
let changes: number;
let keys: KeySet;
let deps: KeySetDeps;
let url: string;

/** A set of keys with these ids. */
function setOf(...ids: string[]): string {
  return JSON.stringify({ keys: ids.map((kid) => ({ ...JWK, kid })) });
}

beforeEach(async () => {
  [status, body, asked, now, logged, changes] = [200, setOf("1"), 0, 0, [], 0];
  wheel = new TimerWheel();
  spyOn(wheel, "now").mockImplementation(() => now);
  server = createServer((_, response) => {
    asked++;
    response.writeHead(status).end(body);
  });
  const port = await listenOnLoopback(server);
  deps = {
    wheel,
    buffers: new BufferPool({ bufferSize: 65_536, bufferCount: 64, reserve: 2 }),
    onError: (error) => {
      throw error;
    },
    clock: Date.now,
    log: (message) => void logged.push(message),
    where: 'route "/a"',
  };
  url = `http://127.0.0.1:${port}/keys?a=1`;
  keys = new KeySet({ url, algorithm: "RS256", onChange: () => void changes++ }, deps);
});

afterEach(() => {
  keys.close();
  wheel.close();
  server.close();
});

/** The result: "key", "unknown" or "unavailable". */
async function find(kid: string | undefined): Promise<string> {
  const found = await keys.find(kid);
  return found instanceof KeyObject ? "key" : found;
}

test("a set is loaded once, on first use, for all requests that wait", async () => {
  expect(asked).toBe(0);
  expect(await Promise.all([find("1"), find("1"), find(undefined), find("2")])).toEqual([
    "key",
    "key",
    "key",
    "unknown",
  ]);
  expect([await find("1"), asked, changes]).toEqual(["key", 1, 1]);
  expect(keys.find("1")).toBeInstanceOf(KeyObject);
});

test("an unknown key id reloads the set, at most once in ten seconds", async () => {
  await find("1");
  body = setOf("1", "2");
  expect(await Promise.all(Array.from({ length: 100 }, (_, i) => find(`invented ${i}`)))).toEqual(
    Array.from({ length: 100 }, () => "unknown"),
  );
  expect([asked, await find("2")]).toEqual([1, "unknown"]);
  now += 10_000;
  expect([await find("2"), asked, changes]).toEqual(["key", 2, 2]);
  expect([await find("3"), asked]).toEqual(["unknown", 2]);
  // With two keys, a token must name its key.
  expect(await find(undefined)).toBe("unknown");
});

test("keys are loaded again when they are ten minutes old, and are used meanwhile", async () => {
  await find("1");
  using waits = spyOn(wheel, "set");
  now += 599_999;
  expect([keys.find("1") instanceof KeyObject, waits.mock.calls.length]).toEqual([true, 0]);
  now += 1;
  expect([keys.find("1") instanceof KeyObject, waits.mock.calls.length > 0]).toEqual([true, true]);
});

test("a key that the issuer has removed is refused after the next load", async () => {
  await find("1");
  body = setOf("2");
  now += 600_000;
  expect(await find("1")).toBe("key");
  expect(await find("2")).toBe("key");
  expect(await find("1")).toBe("unknown");
});

test("the keys of a failing issuer are trusted for an hour, then all tokens are refused, and the log says so once", async () => {
  await find("1");
  status = 500;
  now += 600_000;
  expect([await find("1"), await find("2")]).toEqual(["key", "unknown"]);
  now += 2_999_999;
  expect([await find("1"), await find("2")]).toEqual(["key", "unknown"]);
  now += 10_001;
  expect([await find("1"), await find("2")]).toEqual(["unavailable", "unavailable"]);
  expect(logged).toEqual(['Cannot get the keys of route "/a": jwks_url responded with 500']);
  status = 200;
  now += 10_000;
  expect(await find("1")).toBe("key");
  expect(logged.slice(1)).toEqual([expect.stringMatching(/^The keys of route "\/a" are loaded again, after [1-9]/)]);
});

test("text that is not a key set is rejected", async () => {
  for (const [text, reason] of [
    ["", "jwks_url returned no key set"],
    ["[]", "jwks_url returned no key set"],
    ['{"keys":{}}', "jwks_url returned no key set"],
    ['{"keys":[]}', "jwks_url has no key for RS256"],
    [`{"keys":[]}${" ".repeat(131_072)}`, "jwks_url returned more than 131072 bytes"],
  ] as const) {
    body = text;
    now += 3_600_000;
    expect(await find("1")).toBe("unavailable");
    expect(logged.splice(0)).toEqual([`Cannot get the keys of route "/a": ${reason}`]);
    body = setOf("1");
    now += 10_000;
    expect(await find("1")).toBe("key");
    expect(logged.splice(0)).toEqual([expect.stringContaining("are loaded again, after 1 failure")]);
  }
});

test("keys that cannot be meant are ignored", () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });
  const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const shared = { kty: "oct", k: "c2VjcmV0" };
  const others = [
    { ...JWK, use: "enc" },
    { ...JWK, alg: "RS512" },
    { ...JWK, key_ops: ["encrypt"] },
    { ...JWK, n: 1 },
    { ...JWK, kty: "rsa" },
    weak,
    curve,
    shared,
    null,
    "key",
    [],
  ];
  const text = JSON.stringify({
    keys: [...others.map((key) => key), { ...JWK, kid: "good", use: "sig", key_ops: ["verify"] }],
  });
  expect([...(parseKeySet(text, "RS256") ?? new Map()).keys()]).toEqual(["good"]);
  expect([...(parseKeySet(text, "ES256") ?? new Map()).keys()]).toEqual([""]);
  expect(parseKeySet(text, "EdDSA")?.size).toBe(0);
  const many = JSON.stringify({ keys: Array.from({ length: 100 }, (_, i) => ({ ...JWK, kid: String(i) })) });
  expect(parseKeySet(many, "RS256")?.size).toBe(64);
  const [first, second] = [JWK, ISSUER.publicKey.export({ format: "jwk" })].map((key) => ({ ...key, kid: "same" }));
  const alike = parseKeySet(JSON.stringify({ keys: [first, second] }), "RS256")?.get("same");
  expect(alike?.export({ format: "jwk" })).toMatchObject({ n: JWK.n });
  // A set with a private key still verifies, with its public half only.
  const leaked = JSON.stringify({ keys: [{ ...RSA.privateKey.export({ format: "jwk" }), kid: "p" }] });
  expect(parseKeySet(leaked, "RS256")?.get("p")?.type).toBe("public");
});

test("requests that wait for a set are limited, and further ones are refused", async () => {
  const waiting = Array.from({ length: 1024 }, () => find("1"));
  expect(keys.find("1")).toBe("unavailable");
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["key"]));
  now += 10_000;
  expect(await find("2")).toBe("unknown");
});

test("a token is verified by the key that it names, which is loaded first, and no set is loaded after the end", async () => {
  body = JSON.stringify({ keys: [{ ...ISSUER.publicKey.export({ format: "jwk" }), kid: "1" }] });
  const method = createJwt({ algorithm: "RS256", jwks_url: url, claims_to_headers: [], consumers: [] }, deps);
  const check = (sub: string, kid = "1") =>
    method.check(requestOf(`Authorization: ${bearer(token({ sub }, "RS256", { kid }))["authorization"]}\r\n`));
  expect(await check("a")).toMatchObject({ kind: "admitted", consumer: "a" });
  expect(check("b")).toMatchObject({ kind: "admitted", consumer: "b" });
  now += 10_000;
  expect(await check("a", "2")).toMatchObject({ kind: "refused" });
  now += 10_000;
  method.close();
  expect(await check("b", "2")).toMatchObject({ kind: "refused" });
  expect(asked).toBe(2);
});
