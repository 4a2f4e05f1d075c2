import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND } from "../../test/support/program.ts";
import { withBrowser } from "../content/testing/state-folder.ts";
import { patient } from "../lib/testing/patience.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-wrong-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const MISSING = join(folder, "missing");
const PLAIN = file("plain", "neither JSON nor a database");
const BINARY = file("binary", Uint8Array.of(0xff, 0xfe, 0x00, 0x7b));
const ARRAY = file("array.json", "[]");
const WRONG = file("wrong.json", '{"server": {"port": "x"}, "routes": [{"path_prefix": 5}]}');
const UNSET = file(
  "unset.json",
  JSON.stringify({
    x402: {
      enabled: true,
      embedded: { enabled: true, key_env: "TURNPIKE_ABSENT_KEY" },
      chains: [{ network: "base-sepolia", rpc_url_env: "TURNPIKE_ABSENT_RPC" }],
    },
  }),
);
const BAD_CERTIFICATE = file(
  "certificate.json",
  JSON.stringify({ tls: { cert_path: PLAIN, key_path: PLAIN }, server: { listeners: [{ port: 0, use_tls: true }] } }),
);
const BAD_DATABASE = file("database.json", '{"postgres": {"url": "postgres://u@127.0.0.1:1/d?sslmode=disable"}}');
const LOOP = join(folder, "loop");
symlinkSync(LOOP, LOOP);
withBrowser(join(folder, "home"));

/** Wrong for every command. */
const ANYWHERE: readonly (readonly string[])[] = [
  ["--no-such-flag=1"],
  ["--help=yes"],
  ["\u001b[31m\n"],
  ["--", "--x", "y", "z"],
];
/** Wrong for every command as well, and found by code that all commands share: given to some commands. */
const SHARED: readonly (readonly string[])[] = [["--no-such-flag"], ["-Z"], ["--color"], ["--color=mauve"]];
/** The gateway, a command with a client of its admin interface, and one with commands below it. */
const SHARED_BY = new Set(["", "status", "ledger"]);

const CONFIGS = [MISSING, folder, PLAIN, BINARY, ARRAY, WRONG, LOOP, ""];
const NUMBERS = ["", "x", "-1", "1e9", "65536999", "0x10"];
const FOLDERS = [PLAIN, join(PLAIN, "below"), "/proc/turnpike", LOOP];

function each(flag: string, values: readonly string[], ...before: string[]): string[][] {
  return values.map((value) => [...before, flag, value]);
}

const KEY = file("key", "a-key\n");
const NOWHERE = ["--admin", "http://127.0.0.1:1", "--admin-key-file", KEY];
const ROUTE = file("route.json", '{"path_prefix": "/x", "upstream": "content"}');

/** Arguments with wrong shared flags, for a command with an admin interface. `words` come first and are right. */
function ofAdmin(...words: string[]): string[][] {
  return [words, [...words, ...NOWHERE], [...words, "--admin-key", "k"], [...words, ...NOWHERE, "--timeout", "x"]];
}

/** Every wrong value of the flags that commands with an admin interface share: given to one of them. */
const ALL_OF_ADMIN: readonly (readonly string[])[] = [
  [],
  NOWHERE,
  ["--admin-key", "k"],
  ...each("--admin", ["", "x", "ftp://a", "http://a:b@c/", "http://127.0.0.1:1"]),
  ...each("--admin-key-file", ["", MISSING, folder, PLAIN, BINARY, LOOP], "--admin", "http://127.0.0.1:1"),
  ...each("--admin-ca", [MISSING, folder, PLAIN, BINARY, LOOP], ...NOWHERE),
  ...each("--timeout", ["", "x", "0", "9999"], ...NOWHERE),
  ...each("--state-dir", [...FOLDERS, MISSING]),
];

const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  status: [["more"], ["--if-match", "x"], ...ALL_OF_ADMIN],
  top: [["more"], ["--json", ...NOWHERE], ...ofAdmin()],
  routes: [
    ["fly"],
    ["list", "more"],
    ["list", "--host", "a"],
    ["add"],
    ["add", "a", "b"],
    ...[...CONFIGS, ROUTE].map((path) => ["add", path, ...NOWHERE]),
    ["change", "/x"],
    ...[...CONFIGS, ROUTE].map((path) => ["change", "/x", path, ...NOWHERE]),
    ["change", "..", ROUTE, ...NOWHERE],
    ["remove"],
    ["remove", "", ...NOWHERE],
    ...each("--if-match", ["", "a b", '"', '""', "W/\u00fc"], "remove", "/x", ...NOWHERE),
    ...ofAdmin("remove", "/x", "--host", ""),
  ],
  upstreams: [
    ["fly"],
    ["add"],
    ...[...CONFIGS, ROUTE].map((path) => ["add", path, ...NOWHERE]),
    ["change", "x"],
    ["remove"],
    ["remove", "..", ...NOWHERE],
    ["drain", "x"],
    ["drain", "x", "y", "z"],
    ["undrain", "x", "y", "--wait", "1"],
    ...each("--wait", ["", "x", "-1", "86401"], "drain", "x", "y", ...NOWHERE),
    ...ofAdmin("drain", "x", "y"),
  ],
  config: [
    [],
    ["fly"],
    ["show", "more"],
    ["check"],
    ["diff", "--if-match", "x"],
    ...CONFIGS.map((path) => ["check", path, ...NOWHERE]),
    ["replace", "--if-match", "", ROUTE],
    ...CONFIGS.map((path) => ["replace", path, ...NOWHERE]),
    ...ofAdmin("show"),
  ],
  reload: [["more"], ["--force"], ...ofAdmin()],
  persist: [["more"], ["--force=no"], ["--if-match", ""], ...ofAdmin("--force")],
  usage: [
    ["more"],
    ["--csv", "--json"],
    ["--csv", "--by", "route"],
    ["--json", "--by", "route"],
    ...each("--by", ["", "x", "toString"]),
    ...ofAdmin("--reset", "--csv"),
  ],
  events: [
    ["more"],
    ...each("--since", ["", "x", "1y", "2026-99-99", "12", "-5m"], ...NOWHERE),
    ...each("--kind", ["", "x"], ...NOWHERE),
    ...ofAdmin("--follow"),
  ],
  tenants: [["fly"], ["list", "more"], ["remove"], ["remove", "x", "y"], ...ofAdmin("remove", "x")],
  "": [
    ...each("--config", [...CONFIGS, UNSET, BAD_CERTIFICATE]),
    ...each("--port", NUMBERS),
    ...each("--workers", ["x", "-1", "99999999"]),
    ["--cert", PLAIN],
    ["--cert", MISSING, "--key", MISSING],
    ...each("--take-over", ["", "x", "1", "4194305"]),
  ],
  "upgrade-check": [[], ["a", "b"], ...[MISSING, WRONG, folder].map((path) => [path])],
  start: [
    ...each("--config", CONFIGS),
    ...each("--port", NUMBERS),
    ...each("--state-dir", FOLDERS),
    ...each("--admin-port", [...NUMBERS, "65536"]),
    ["--admin-port", "0", "--no-admin"],
    ["--no-admin=yes"],
    ["--take-over", "x"],
  ],
  content: [
    ...each("--port", ["", "x", "-1", "65536", "99999"]),
    ...each("--socket", [folder, join(MISSING, "below"), "x".repeat(200)], "--state-dir", join(folder, "home")),
    ...each("--state-dir", FOLDERS),
    ...each("--search", ["", "{", "[]", "null", '{"providers":["x"]}'], "--socket", join(folder, "c")),
    ...each(
      "--resolve",
      ["{", '{"model":{}}', `{"model":{"base_url":"http://127.0.0.1/","model":"a","key_env":"NO_SUCH_KEY"}}`],
      "--socket",
      join(folder, "c"),
    ),
    ...each("--gateway", ["", "x", "ftp://a"]),
    ["--browser-path", MISSING, "--socket", join(folder, "c"), "--state-dir", join(folder, "home")],
  ],
  check: [[], ["a", "b"], ["--strict"], ...[...CONFIGS, UNSET, BAD_CERTIFICATE].map((path) => [path])],
  call: [
    [],
    ["fly"],
    ["toString"],
    ["read"],
    ["read", "a", "b"],
    ["health", "a"],
    ...each("--set", ["", "x", "=", "a..b=1", "__proto__=1"], "read", "http://a.example/", "--gateway", "x"),
    ...each("--max-price", ["", "cheap", "0", "-1", "1e3", "$"], "read", "http://a.example/"),
    ...each("--max-total", ["", "x", "NaN"], "read", "http://a.example/"),
    ...each("--gateway", ["", "x", "ftp://a", "http://127.0.0.1:1"], "qr", "text"),
    ...each("--allow-asset", ["", "a", "eip155:1:0x0:a:b:c"], "qr", "text"),
  ],
  pay: [
    [],
    ["http://a.example/", "http://b.example/", "http://c.example/"],
    ...["", "ftp://a.example/", "http://", "a b", "http://[::1"].map((url) => [url]),
    ...["G T", "GET,POST", ""].map((method) => [method, "http://127.0.0.1:1/"]),
    ["GET", "http://127.0.0.1:1/", "-d", "x"],
    ...each("-d", [`@${MISSING}`, `@${folder}`, `@${LOOP}`], "http://127.0.0.1:1/"),
    ...each("-H", ["", "no colon", "a b: c", "X-Payment: x", "content-length: 1", "a: b\nc"], "http://127.0.0.1:1/"),
    ...each("--max-price", ["", "cheap", "0", "-1", "$"], "http://127.0.0.1:1/"),
    ["http://127.0.0.1:1/"],
  ],
  wallet: [
    ["fly"],
    ["create", "more"],
    ["address", "--network", "base"],
    ["balance"],
    ["balance", "--network", "moon"],
    ["balance", "--network", "base"],
    ["balance", "--network", "base", "--rpc-env", "1 2"],
    ["balance", "--network", "base", "--rpc-env", "TURNPIKE_ABSENT"],
    ["balance", "--rpc-env", "X"],
    ["balance", "--allow-asset", "x"],
    ["import"],
    ["import", "0x00"],
    ["--json=1"],
  ],
  mcp: [
    ["x"],
    ...each("--gateway", ["", "x", "ftp://a"]),
    ...each("--max-price", ["", "cheap", "0", "-1"]),
    ...each("--max-total", ["x", "0", "-1"]),
    ...each("--allow-asset", ["", "x"]),
  ],
  ledger: [
    [],
    ["fly"],
    ["list", "more"],
    ["show"],
    ["show", "xyz"],
    ["show", "ab"],
    ["totals"],
    ["totals", "--by", "x"],
    ["export"],
    ["export", "--csv", "--jsonl"],
    ["list", "--csv"],
    ...each("--state", ["", "x"], "list", "--store", MISSING),
    ...each("--since", ["", "x", "2026-99-99"], "list"),
    ...each("--limit", ["", "0", "x", "1e9"], "list"),
    ...each("--payer", ["", "0x0"], "list"),
    ...each("--store", [MISSING, PLAIN, folder, LOOP], "list"),
    ...each("--config", [MISSING, WRONG, BAD_DATABASE], "list"),
    ...each("--state-dir", FOLDERS, "list"),
  ],
  facilitator: [
    [],
    ...each("--config", [...CONFIGS, UNSET]),
    ...each("--listen", ["", "x", "1.2.3.4", "a:99999", "unix:relative"], "--test"),
    ["--listen", "0.0.0.0:0", "--test"],
    ["--test", "--any-asset"],
    ["--any-asset", "--asset", "x", "--chain", "base=X"],
    ...each("--chain", ["", "x", "=", "base=", "moon=X", "base=TURNPIKE_ABSENT"]),
    ...each("--asset", ["", "x", "base:0x0"], "--chain", "base=X"),
    ...each("--key-env", ["", "a b", "0xdeadbeef"], "--chain", "base=X"),
    ...each("--token-env", ["", "TURNPIKE_ABSENT"], "--test"),
    ...each("--state-dir", FOLDERS, "--test"),
  ],
  index: [
    [],
    ["fly"],
    ["add"],
    ["add", "x"],
    ["add", "ftp://a"],
    ["add", "http://a.example/", "more"],
    ["remove", "http://a.example/"],
    ["remove", "x"],
    ["refresh", "http://a.example/"],
    ["list", "more"],
    ...each("--depth", ["", "x", "-1", "101"], "add", "http://127.0.0.1:1/"),
    ...each("--delay", ["", "x", "61"], "add", "http://127.0.0.1:1/"),
    ...each("--max-size", ["", "x", "1e9"], "add", "http://127.0.0.1:1/"),
    ...each("--state-dir", FOLDERS, "list"),
  ],
};

/** Processes that run at one time. */
const AT_ONCE = 4;

async function run(args: readonly string[]) {
  const { TURNPIKE_DEBUG: _debug, ...env } = process.env;
  const child = Bun.spawn([...COMMAND, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...env, TURNPIKE_HOME: join(folder, "home"), HOME: join(folder, "home") },
    timeout: 60_000,
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

/** Lines of a stack trace, of Bun's excerpt of the source, and of internal values. */
const TRACE = /^\s+at .+[:(]|^ *\d+ \| |\bnode:internal\b|\.ts:\d+|Bun v1\.|\[native code\]|\bundefined\b|\[object /m;

for (const [name, wrong] of Object.entries(COMMANDS)) {
  const inputs = [...wrong, ...ANYWHERE, ...(SHARED_BY.has(name) ? SHARED : [])];
  test(
    `turnpike ${name} reports ${inputs.length} wrong inputs in plain lines, without a stack trace`,
    async () => {
      expect(inputs.length).toBeGreaterThanOrEqual(8);
      for (let i = 0; i < inputs.length; i += AT_ONCE) {
        await Promise.all(
          inputs.slice(i, i + AT_ONCE).map((args) => checkResponse(name === "" ? args : [name, ...args])),
        );
      }
    },
    patient(600_000),
  );
}

async function checkResponse(args: readonly string[]): Promise<void> {
  const { out, err, code } = await run(args);
  const shown = JSON.stringify({ args, out, err, code });
  expect([1, 2], shown).toContain(code);
  expect(err.trim(), shown).not.toBe("");
  expect(TRACE.exec(`${out}\n${err}`)?.[0], shown).toBeUndefined();
}
