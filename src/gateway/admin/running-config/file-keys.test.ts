import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atOnce } from "../../../lib/slices.ts";
import { describedSchema, type JsonSchema } from "../../config/json-schema.ts";
import { fileSteps } from "./file-keys.ts";

/** Names of keys that may name a file, a folder or a program. */
const SOUNDS_LIKE_FILE = /path|file|dir|folder|socket|unix|root|module|program|_log$|cert|facilitator_url/i;

/** Keys with such a name that name none. */
const NO_FILES: ReadonlySet<string> = new Set([
  "routes[].path_prefix",
  "routes[].match.path_pattern",
  "routes[].x402.rules[].match.path_pattern",
  "routes[].match.exact_path",
  "routes[].redirect.path",
  "routes[].rewrite.path",
  "routes[].traffic_split[].redirect.path",
  "routes[].traffic_split[].rewrite.path",
  // Must be empty.
  "content.socket",
  "tls.acme.directory_url",
  "upstreams[].health_check.path",
  "wasm_filters[].root_id",
]);

function* stringKeys(schema: JsonSchema, path = ""): Generator<readonly [path: string, schema: JsonSchema]> {
  for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) yield* stringKeys(part, path);
  if (schema.items !== undefined) yield* stringKeys(schema.items, `${path}[]`);
  if (schema.type === "string" && schema.enum === undefined) yield [path, schema];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    yield* stringKeys(member, path === "" ? name : `${path}.${name}`);
  }
}

test("every key with a name that suggests a file has a role in the schema, or is listed as naming none", () => {
  const unmarked = [...stringKeys(describedSchema())].filter(
    ([path, { file }]) => SOUNDS_LIKE_FILE.test(path.replace(/^.*\./, "")) && file === undefined && !NO_FILES.has(path),
  );
  expect(unmarked.map(([path]) => path)).toEqual([]);
});

let folder = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "turnpike-files-")));
  mkdirSync(join(folder, "allowed"));
  mkdirSync(join(folder, "allowed-too"));
  writeFileSync(join(folder, "secret"), "");
  symlinkSync(join(folder, "secret"), join(folder, "allowed", "link"));
  symlinkSync(join(folder, "to-be-made"), join(folder, "allowed", "dangling"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function refusedPaths(next: object, served: object, saved: object = served): string[] {
  return atOnce(fileSteps(next, served, saved)).map(({ path }) => path);
}

test("each key that names a file is refused with another file, and keeps the file that it has", () => {
  const files = {
    server: {
      static_root: "/srv",
      listeners: [{ port: 1, tls: { cert_path: "/c", hosts: [{ client_ca_path: "/ca" }] } }],
    },
    admin: { audit_log: "/a", tls: { cert_path: "/c" }, file_folders: ["/f"] },
    access_log: { path: "/l" },
    x402: { facilitator_url: "unix:/x" },
    content: { browser_path: "/b" },
    upstreams: [{ name: "u", servers: [{ unix: "/s" }], tls_key_path: "/k" }],
    routes: [{ path_prefix: "/", access_log: { path: "/r" }, tenant: { socket_dir: "/t" } }],
    wasm_filters: [{ match: "/", module: "/m" }],
    wasm_control_socket: "/w",
    state_path: "/d",
  };
  expect(refusedPaths(files, files)).toEqual([]);
  expect(refusedPaths({ ...files, routes: [], upstreams: [], wasm_filters: [] }, files)).toEqual([]);
  const paths = refusedPaths(files, {});
  expect(paths).toHaveLength(16);
  const moved = { access_log: { path: "/a" }, server: files.server };
  // A file may not serve another purpose, and a log cannot be taken away.
  expect(refusedPaths(moved, { admin: { audit_log: "/a" }, server: files.server }).toSorted()).toEqual([
    "access_log.path",
    "admin.audit_log",
  ]);
  expect(refusedPaths({ access_log: { path: "stdout" }, x402: { facilitator_url: "https://f.test" } }, {})).toEqual([]);
});

test("files below an allowed folder may be named, unless a link leads out of it", () => {
  const saved = { admin: { file_folders: [join(folder, "allowed")] } };
  const change = (module: string): string[] => refusedPaths({ ...saved, wasm_filters: [{ module }] }, saved);
  expect(change(join(folder, "allowed", "a.wasm"))).toEqual([]);
  expect(change(join(folder, "allowed", "below", "a.wasm"))).toEqual([]);
  for (const path of [
    "allowed",
    "allowed-too/a.wasm",
    "allowed/../secret",
    "allowed/link",
    "allowed/dangling",
    "secret",
  ]) {
    expect([path, change(`${folder}/${path}`)]).toEqual([path, ["wasm_filters[0].module"]]);
  }
  // A change cannot widen the list, even together with a file.
  const widened = { admin: { file_folders: ["/"] }, wasm_filters: [{ module: "/m" }] };
  expect(refusedPaths(widened, saved)).toEqual(["admin.file_folders[0]", "wasm_filters[0].module"]);
});

test("a change names no pipe, device or folder as a log", () => {
  const allowed = join(folder, "allowed");
  const saved = { admin: { file_folders: [allowed] } };
  mkdirSync(join(allowed, "below"));
  spawnSync("mkfifo", [join(allowed, "pipe")]);
  writeFileSync(join(allowed, "old.log"), "");
  const named = (name: string): string[] =>
    refusedPaths(
      { admin: { ...saved.admin, audit_log: `${allowed}/${name}` }, access_log: { path: `${allowed}/${name}` } },
      saved,
    );
  for (const name of ["pipe", "below"])
    expect([name, named(name)]).toEqual([name, ["admin.audit_log", "access_log.path"]]);
  for (const name of ["old.log", "new.log"]) expect([name, named(name)]).toEqual([name, []]);
});

test("a change names no environment variable that the served configuration and the file do not name at that key", () => {
  const served = { upstreams: [{ name: "a", token_env: "TOKEN" }], x402: { facilitator: { key_env: "WALLET" } } };
  const more = (token: string): object => ({
    ...served,
    upstreams: [...served.upstreams, { name: "b", token_env: token }],
  });
  expect(refusedPaths(more("WALLET"), served)).toEqual(["upstreams[1].token_env"]);
  expect(refusedPaths(more("TOKEN"), served)).toEqual([]);
  expect(refusedPaths(more("SAVED"), served, more("SAVED"))).toEqual([]);
  expect(refusedPaths({ x402: { facilitator_headers: [{ name: "A", value_env: "HOME" }] } }, {})).toEqual([
    "x402.facilitator_headers[0].value_env",
  ]);
  expect(refusedPaths({ admin: { api_key_env: "HOME" }, postgres: { password_env: "HOME" } }, {})).toEqual([
    "admin.api_key_env",
    "postgres.password_env",
  ]);
});

test("a variable does not pass as a file of an allowed folder, such as the one in which the gateway was started", () => {
  const saved = { admin: { file_folders: ["/", process.cwd()] } };
  expect(refusedPaths({ ...saved, postgres: { password_env: "HOME" } }, saved)).toEqual(["postgres.password_env"]);
});

test("a change may write down the default of a key that names a variable", () => {
  expect(refusedPaths({ x402: { settlement_secret_env: "TURNPIKE_SETTLEMENT_SECRET" } }, {})).toEqual([]);
  expect(refusedPaths({ x402: { settlement_secret_env: "HOME" } }, {})).toEqual(["x402.settlement_secret_env"]);
});

test("a path that cannot be looked up is refused", () => {
  const allowed = join(folder, "allowed");
  const saved = { admin: { file_folders: [allowed] } };
  for (const name of ["link/below-a-file", "x".repeat(300), "a\0b", "x/".repeat(100_000)]) {
    expect(refusedPaths({ ...saved, access_log: { path: `${allowed}/${name}` } }, saved)).toEqual(["access_log.path"]);
  }
});

test("the files of a long configuration are looked for in steps, between which requests are served", () => {
  const document = { routes: Array.from({ length: 500 }, (_, at) => ({ path_prefix: `/${at}` })) };
  let steps = 0;
  for (const _ of fileSteps(document, document, document)) steps += 1;
  // Each item of a list is one step, and each object.
  expect(steps).toBe(1001);
});
