import { expect, test } from "bun:test";
import { diagnosticText } from "./diagnostic.ts";
import { loadValue } from "./load.ts";

const KEY = "a-key-of-some-length";

function diagnostics(admin: object, server: object = {}) {
  const { problems, warnings } = loadValue({ admin: { enabled: true, ...admin }, server });
  return { problems: problems.map(diagnosticText), warnings: warnings.map(diagnosticText) };
}

const PUBLIC =
  "can be reached from other machines, and keys go there in clear text; set admin.tls, or listen on 127.0.0.1";

test("the admin interface needs a key, from the file or from the environment", () => {
  expect(diagnostics({}).problems).toEqual([
    "admin.api_key: required with admin.enabled, unless admin.api_key_env names a variable",
  ]);
  expect(diagnostics({ api_key: KEY })).toEqual({ problems: [], warnings: [] });
  expect(diagnostics({ api_key_env: "ADMIN_KEY" })).toEqual({ problems: [], warnings: [] });
  expect(
    diagnostics({ api_key: KEY, api_key_env: "ADMIN_KEY", read_api_key: `${KEY}2`, read_api_key_env: "R" }),
  ).toEqual({
    problems: [],
    warnings: [
      "admin.api_key: has no effect, because admin.api_key_env is set",
      "admin.read_api_key: has no effect, because admin.read_api_key_env is set",
    ],
  });
});

test("a key that can be guessed is refused, unless the operator insists", () => {
  const problem = "a key of fewer than 16 characters can be guessed; use a longer one, or set admin.allow_short_keys";
  const [api_key, read_api_key] = ["fifteen-letters", "short"];
  expect(diagnostics({ api_key, read_api_key }).problems).toEqual([
    `admin.api_key: ${problem}`,
    `admin.read_api_key: ${problem}`,
  ]);
  const insisted = diagnostics({ api_key, allow_short_keys: true });
  expect([insisted.problems, insisted.warnings.length]).toEqual([[], 1]);
  expect(diagnostics({ api_key: "sixteen--letters" })).toEqual({ problems: [], warnings: [] });
});

test("the read key must differ from the admin key", () => {
  const problem = "admin.read_api_key: expected another secret than that of admin.api_key";
  expect(diagnostics({ api_key: KEY, read_api_key: KEY }).problems).toEqual([problem]);
  expect(diagnostics({ api_key_env: "K", read_api_key_env: "K" }).problems).toEqual([problem]);
});

test.each(["brief", "with a space in it", "ümlaut-ümlaut-ümlaut"])("no diagnostic contains the key '%s'", (key) => {
  const { problems, warnings } = diagnostics({ api_key: key });
  expect(problems.length + warnings.length).toBe(1);
  expect([...problems, ...warnings].join()).not.toContain(key);
});

test.each<[string, boolean]>([
  ["127.0.0.1", false],
  ["::1", false],
  ["localhost", false],
  ["10.1.2.3", false],
  ["fd00::1", false],
  ["0.0.0.0", true],
  ["::", true],
  ["8.8.8.8", true],
  ["admin.example.com", true],
])("without TLS there is a warning for the address %s: %p", (address, isWarned) => {
  const { problems, warnings } = diagnostics({ api_key: KEY, address });
  expect(problems).toEqual([]);
  expect(warnings).toEqual(isWarned ? [`admin.address: "${address}" ${PUBLIC}`] : []);
  const tls = { cert_path: "/c", key_path: "/k" };
  expect(diagnostics({ api_key: KEY, address, tls }).warnings).toEqual([]);
});

test("the admin port differs from the traffic listeners' ports, and its certificate needs a key", () => {
  expect(diagnostics({ api_key: KEY, port: 8080 }).problems).toEqual(["admin.port: 8080 is taken by server.port"]);
  expect(diagnostics({ api_key: KEY, port: 1 }, { listeners: [{ port: 2 }, { port: 1 }] }).problems).toEqual([
    "admin.port: 1 is taken by server.listeners[1].port",
  ]);
  expect(diagnostics({ api_key: KEY, port: 8080 }, { address: "10.0.0.1" }).problems).toEqual([]);
  expect(diagnostics({ api_key: KEY, port: 0 }, { port: 0 }).problems).toEqual([]);
  expect(diagnostics({ api_key: KEY, tls: { cert_path: "/c" } }).problems).toEqual([
    "admin.tls.key_path: required with admin.tls.cert_path",
  ]);
});
