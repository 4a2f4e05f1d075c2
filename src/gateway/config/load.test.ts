import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diagnosticText } from "./diagnostic.ts";
import { withFlags } from "./flags.ts";
import { loadFile, loadText, loadValue } from "./load.ts";
import { serverTarget } from "../upstream/directory/plan.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a file that cannot be read is a problem", async () => {
  const missing = join(folder, "missing.json");
  expect((await loadFile(missing)).problems.map(diagnosticText)).toEqual([
    `Cannot read the file: there is no such file`,
  ]);
  expect((await loadFile(folder)).problems.map(diagnosticText)).toEqual(["Cannot read the file: it is a folder"]);
  const binary = join(folder, "binary.json");
  writeFileSync(binary, Buffer.from([0x7b, 0xff, 0x7d]));
  expect((await loadFile(binary)).problems.map(diagnosticText)).toEqual(["Cannot read the file: it is not UTF-8 text"]);
});

test("a check changes neither the value nor a prototype", () => {
  const value: unknown = JSON.parse('{"__proto__": {"port": 1}, "server": {"__proto__": {"workers": 9}, "x": 1}}');
  const before = JSON.stringify(value);
  const { config, warnings } = loadValue(value);
  expect(warnings.map(diagnosticText)).toEqual([
    "server.__proto__: unknown key, ignored",
    "server.x: unknown key, ignored",
    "__proto__: unknown key, ignored",
  ]);
  expect(config?.server.workers).toBe(0);
  expect(JSON.stringify(value)).toBe(before);
});

test("chains nest at most three levels deep", () => {
  const chain = (depth: number): unknown =>
    depth === 0 ? { type: "none" } : { type: "chain", methods: [chain(depth - 1)] };
  const problems = (depth: number): string[] =>
    loadValue({ routes: [{ path_prefix: "/", auth: chain(depth) }] }).problems.map(diagnosticText);
  expect(problems(3).join("\n")).not.toContain("methods");
  expect(problems(4).join("\n")).toContain('.type: expected one of "api_key"');
});

test("flags override the file", () => {
  const { config } = loadText('{"server": {"port": 1, "workers": 4}, "tls": {"cert_path": "a", "key_path": "b"}}');
  if (config === undefined) throw new Error("the configuration is right");
  const flagged = loadValue(withFlags(config, { port: 0, address: "127.0.0.1", workers: 2, cert: "c", key: "d" }));
  expect(flagged.config?.server).toEqual({ ...config.server, port: 0, address: "127.0.0.1", workers: 2 });
  expect(flagged.config?.tls).toMatchObject({ cert_path: "c", key_path: "d" });
  expect(loadValue(withFlags(config, {})).config).toEqual(config);
});

test("with listeners, flags change the first one", () => {
  const { config } = loadText('{"server": {"listeners": [{"port": 1}, {"port": 2}]}}');
  if (config === undefined) throw new Error("the configuration is right");
  const { config: flagged } = loadValue(withFlags(config, { port: 3, address: "127.0.0.1" }));
  expect(flagged?.server.listeners.map(({ address, port }) => `${address} ${port}`)).toEqual([
    "127.0.0.1 3",
    "0.0.0.0 2",
  ]);
});

test("flags are checked", () => {
  const { config } = loadText("{}");
  if (config === undefined) throw new Error("the configuration is right");
  expect(loadValue(withFlags(config, { cert: "c", workers: -1 })).problems.map(diagnosticText)).toEqual([
    "server.workers: expected 0 or more, found -1",
    "tls.key_path: required with tls.cert_path",
  ]);
});

test("test mode is refused on an address that other machines can reach", () => {
  const { config } = loadText('{"server": {"address": "127.0.0.1"}, "x402": {"test_mode": true}}');
  if (config === undefined) throw new Error("the configuration is right");
  expect(loadValue(withFlags(config, { address: "::1" })).problems).toEqual([]);
  expect(loadValue(withFlags(config, { address: "::" })).problems.map(diagnosticText)).toEqual([
    'server.address: expected a loopback address with x402.test_mode, found "::"',
  ]);
});

test("a server's target is its socket or its address", () => {
  const { config } = loadValue({
    upstreams: [{ name: "a", servers: [{ unix: "/a.sock" }, { address: "[::1]", port: 1 }] }],
  });
  expect(config?.upstreams[0]?.servers.map(serverTarget)).toEqual([{ unix: "/a.sock" }, { address: "::1", port: 1 }]);
});

test("too many servers are refused, and a server that is named twice causes a warning", () => {
  const servers = Array.from({ length: 600 }, (_, i) => ({ address: "127.0.0.1", port: i + 1 }));
  const { problems } = loadValue({
    upstreams: [
      { name: "a", servers },
      { name: "b", servers },
    ],
  });
  expect(problems.map(diagnosticText)).toEqual([
    "upstreams: expected at most 1024 servers in all upstreams together, found 1200",
  ]);
  const twice = [{ unix: "/run/a.sock" }, ...servers.slice(0, 1), { unix: "/run/a.sock" }, ...servers.slice(0, 1)];
  const { warnings } = loadValue({ upstreams: [{ name: "a", servers: twice }] });
  expect(warnings.map(diagnosticText)).toEqual([
    "upstreams[0].servers[2]: the same server as servers[0], and counts once; see weight",
    "upstreams[0].servers[3]: the same server as servers[1], and counts once; see weight",
  ]);
});

test("an error about an address in the place of an upstream's name says where addresses belong", () => {
  const { problems } = loadValue({ routes: [{ path_prefix: "/", upstream: "http://127.0.0.1:9000" }] });
  expect(problems.map(({ message }) => message)).toContain(
    '"http://127.0.0.1:9000" is not a defined upstream; name one of upstreams[], whose servers have the addresses',
  );
});

test("problems and warnings of rules have the line and column of their key", () => {
  const text = [
    "{",
    '  "server": { "prot": 1 },',
    '  "upstreams": [{ "name": "a", "servers": [] }],',
    '  "routes": [',
    '    { "path_prefix": "/", "upstream": "b" },',
    '    { "path_prefix": "c", "upstream": "a", "x402": { "price": "1" } }',
    "  ]",
    "}",
  ].join("\n");
  const { problems, warnings } = loadText(`\uFEFF${text}`);
  expect(warnings.map(diagnosticText)).toEqual([
    'line 2, column 15: server.prot: unknown key, ignored; did you mean "port"?',
    "line 3, column 32: upstreams[0].servers: there is no server and no discovery: its routes respond with 503",
  ]);
  const lines = problems.map(diagnosticText);
  expect(lines).toContain('line 5, column 27: routes[0].upstream: "b" is not a defined upstream');
  expect(lines.find((line) => line.includes("routes[1].path_prefix"))).toStartWith("line 6, column 7: ");
  // The key is absent: the diagnostic has the position of the object that should contain it.
  expect(lines.find((line) => line.includes("routes[1].x402.network"))).toStartWith("line 6, column 44: ");
});

test("a key with special characters has a position", () => {
  const { warnings } = loadText('{"server": {"a.b": 1, "c\\"]d": 2, "": 3}}');
  expect(warnings.map(({ position }) => position?.column)).toEqual([13, 23, 35]);
});

test("the first 20 unknown keys are named, and the others counted", () => {
  const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key${i}`, i]));
  const { config, warnings } = loadText(JSON.stringify({ server: keys }));
  expect(config).toBeDefined();
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toEqual({ path: "", message: "9980 more unknown keys, ignored" });
});

test("the suggested key is one of the same object, for every kind of object", () => {
  const { warnings } = loadText(
    JSON.stringify({
      upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 1, wieght: 2 }] }],
      routes: [
        {
          path_prefix: "/",
          upstream: "a",
          auth: { type: "chain", methods: [{ type: "jwt", secret: "x".repeat(32), isuer: "i" }] },
        },
      ],
    }),
  );
  expect(warnings.map(({ message }) => message)).toEqual([
    'unknown key, ignored; did you mean "weight"?',
    'unknown key, ignored; did you mean "issuer"?',
  ]);
});
