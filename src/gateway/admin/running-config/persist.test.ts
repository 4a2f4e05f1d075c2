import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigFile } from "./config-file.ts";
import { type ConfigSource, openConfig } from "./config-source.ts";
import { type OwnParts } from "../../config/own-parts.ts";
import { type NewEvent } from "../../telemetry/event.ts";
import { LiveConfig } from "./live-config.ts";
import { watchFile } from "./watch-file.ts";
import { writeDocument } from "./write-document.ts";
import { until } from "../../../lib/testing/until.ts";

const BY = { kind: "operator", key: "api_key", address: "127.0.0.1" } as const;
const FILE = `{
  "$schema": "../turnpike.schema.json",
  "10": "an unknown key", "9": { "of": "nobody" },
  "upstreams": [{ "name": "a", "servers": [{ "address": "127.0.0.1", "port": 9000 }] }],
  "routes": [
    { "path_prefix": "/", "upstream": "a" }
  ]
}
`;
const ROUTE = { path_prefix: "/new", upstream: "a" };
const ADDED = FILE.replace(`"a" }\n`, `"a" },\n    {\n      "path_prefix": "/new",\n      "upstream": "a"\n    }\n`);

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  path = join(folder, "turnpike.json");
  writeFileSync(path, FILE);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function changed(source: Partial<ConfigSource> = {}): Promise<LiveConfig> {
  const opened = await openConfig({ path, flags: {}, ...source });
  const running = new LiveConfig({ opened, apply: async () => {}, countReload() {}, onEvent() {} });
  expect(await running.change({ kind: "add-route", route: ROUTE }, BY)).toMatchObject({ kind: "done" });
  return running;
}

test("the file keeps its mode, its unknown keys, the order of its keys and its layout", async () => {
  chmodSync(path, 0o640);
  const running = await changed();
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path });
  expect(readFileSync(path, "utf8")).toBe(ADDED);
  expect(statSync(path).mode & 0o7777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(["turnpike.json"]);
});

test("the leftovers of a crash are removed, and the files of other programs are not", async () => {
  const [left, young, other] = [
    ".turnpike.json.0123456789ab.tmp",
    ".turnpike.json.ba9876543210.tmp",
    ".turnpike.json.mine.tmp",
  ];
  for (const name of [left, young, other]) writeFileSync(join(folder, name), "{}");
  for (const name of [left, other]) utimesSync(join(folder, name), 1, 1);
  const running = await changed();
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path });
  expect(readdirSync(folder).toSorted()).toEqual([young, other, "turnpike.json"]);
});

test("a long file is written in a thread as a short one is", async () => {
  const routes = Array.from({ length: 600 }, (_, i) => `    { "path_prefix": "/r${i}", "upstream": "a" },\n`).join("");
  const long = (text: string): string => text.replace(`"routes": [\n`, `"routes": [\n${routes}`);
  writeFileSync(path, long(FILE));
  const running = await changed();
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path });
  expect(readFileSync(path, "utf8")).toBe(long(ADDED));
  const refused = { "x-note": "y".repeat(16 * 1024 * 1024) };
  expect(await running.change({ kind: "patch-upstream", name: "a", patch: refused }, BY)).toMatchObject({
    kind: "done",
  });
  expect(await running.persist(BY, { force: false })).toMatchObject({ kind: "failed", code: undefined });
  expect(readFileSync(path, "utf8")).toBe(long(ADDED));
});

test("a symbolic link stays, and its target is written", async () => {
  mkdirSync(join(folder, "real"));
  renameSync(path, join(folder, "real/own.json"));
  symlinkSync("real/own.json", path);
  const running = await changed();
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, "real/own.json"), "utf8")).toBe(ADDED);
});

const parts = (): OwnParts => ({ sections: { otel: { service_name: "prepared" } } });

test("neither flags nor the program's additions are written", async () => {
  const running = await changed({ parts, flags: { port: 1234, workers: 3 } });
  expect(running.config).toMatchObject({ otel: { service_name: "prepared" }, server: { port: 1234, workers: 3 } });
  await running.persist(BY, { force: false });
  expect(readFileSync(path, "utf8")).toBe(ADDED);
});

test("a file that another program has changed or removed is written only with force", async () => {
  const running = await changed();
  const theirs = FILE.replace("nobody", "somebody");
  writeFileSync(path, theirs);
  expect(running.file.changedOnDisk).toBe(true);
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "changed-on-disk" });
  expect(readFileSync(path, "utf8")).toBe(theirs);
  expect(await running.persist(BY, { force: true })).toEqual({ kind: "done", path });
  expect(readFileSync(path, "utf8")).toBe(ADDED);
  rmSync(path);
  expect(running.file.changedOnDisk).toBe(true);
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "changed-on-disk" });
  expect(await running.persist(BY, { force: true })).toEqual({ kind: "done", path });
  expect(readFileSync(path, "utf8")).toBe(ADDED);
  expect(statSync(path).mode & 0o7777).toBe(0o600);
});

test("a file that another program changes while the gateway writes is left as it is", async () => {
  const theirs = FILE.replace("nobody", "somebody");
  /** A file that another program changes after the first check. */
  class Contested extends ConfigFile {
    #checks = 0;
    override get changed(): boolean {
      if (this.#checks++ === 1) writeFileSync(path, theirs);
      return super.changed;
    }
  }
  const { document, bytes } = await openConfig({ path, flags: {} });
  const source = { path, flags: {} };
  const like = { text: FILE, document, format: "json" } as const;
  const file = new Contested(path, bytes);
  expect(await writeDocument(file, { document, like, force: false, source })).toEqual({ kind: "changed-on-disk" });
  expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual([theirs, ["turnpike.json"]]);
  expect(await writeDocument(file, { document, like, force: true, source })).toEqual({ kind: "done", path });
  expect([readFileSync(path, "utf8"), file.changed]).toEqual([FILE, false]);
});

test("unknown keys that another program has added to the file stay when it is written with force", async () => {
  const running = await changed();
  const { revision } = running;
  const theirs = FILE.replace(`"nobody" },`, `"somebody" }, "x-note": { "by": "them" }, "server": { "port": 1 },`)
    .replace(`"port": 9000 }`, `"port": 9999, "x-rack": 3 }`)
    .replace(`"name": "a",`, `"name": "a", "x-team": "core",`)
    .replace(`"10": "an unknown key", `, "");
  writeFileSync(path, theirs);
  expect(await running.persist(BY, { force: true })).toEqual({ kind: "done", path });
  const written: unknown = JSON.parse(readFileSync(path, "utf8"));
  const ours = JSON.parse(ADDED);
  const [upstream] = ours.upstreams;
  // Servers have no names, so the item with the unknown key cannot be identified.
  expect(written).toEqual({ ...ours, "x-note": { by: "them" }, upstreams: [{ ...upstream, "x-team": "core" }] });
  expect(await running.document()).toMatchObject({ "x-note": "<secret>" });
  expect([await running.difference(), running.file.changedOnDisk, running.revision === revision]).toEqual([
    [],
    false,
    false,
  ]);
});

test("a file that is not JSON is written over with force", async () => {
  const running = await changed();
  writeFileSync(path, "{");
  expect(await running.persist(BY, { force: true })).toEqual({ kind: "done", path });
  expect(readFileSync(path, "utf8")).toBe(ADDED);
});

test("a file that is touched but not changed does not count as changed", async () => {
  const running = await changed();
  writeFileSync(path, FILE);
  expect(running.file.changedOnDisk).toBe(false);
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path });
});

test("the error names a missing folder", async () => {
  const running = await changed();
  rmSync(folder, { recursive: true });
  expect(await running.persist(BY, { force: true })).toEqual({
    kind: "failed",
    reason: "its folder is not there",
    code: "ENOENT",
  });
});

test("a configuration that the gateway could not start with is not written", async () => {
  const opened = await openConfig({ path, flags: {} });
  const running = new LiveConfig({ opened, apply: async () => {}, countReload() {}, onEvent() {} });
  const large = { "x-note": "y".repeat(17 * 1024 * 1024) };
  expect(await running.change({ kind: "patch-upstream", name: "a", patch: large }, BY)).toMatchObject({ kind: "done" });
  expect(await running.persist(BY, { force: false })).toEqual({
    kind: "failed",
    reason: "it would have more than 16777216 bytes",
    code: undefined,
  });
  expect(readFileSync(path, "utf8")).toBe(FILE);
});

test("a document with another output file is written to that file and read from it", async () => {
  const own = join(folder, "state/turnpike.json");
  mkdirSync(join(folder, "state"));
  const running = await changed({ writesTo: own });
  expect(running.file).toMatchObject({ path, writesTo: own });
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path: own });
  expect(readFileSync(path, "utf8")).toBe(FILE);
  const schema = join(folder, "../turnpike.schema.json");
  expect(readFileSync(own, "utf8")).toBe(ADDED.replace("../turnpike.schema.json", schema));
  expect(statSync(own).mode & 0o7777).toBe(0o600);
  expect(running.file).toEqual({ path: own, writesTo: own, changedInMemory: false, changedOnDisk: false });
  expect(await running.reload(BY)).toMatchObject({ kind: "done", discarded: [] });
  expect(running.config.routes).toHaveLength(2);
});

const NAMESPACES = ["--user", "--map-root-user", "--mount"];
const canMount = spawnSync("unshare", [...NAMESPACES, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.skipIf(!canMount).each([
  ["full", { reason: "the disk is full", code: "ENOSPC" }],
  ["read-only", { reason: "the file system is read-only", code: "EROFS" }],
])("a %s disk leaves the old file whole, and says why", (kind, expected) => {
  const program = new URL("./testing/persist-program.ts", import.meta.url).pathname;
  const command = [...NAMESPACES, process.execPath, program, folder, kind];
  const { stdout, stderr } = spawnSync("unshare", command, { encoding: "utf8" });
  expect([stderr, JSON.parse(stdout)]).toEqual([
    "",
    { outcome: { kind: "failed", ...expected }, files: ["turnpike.json"], isWhole: true },
  ]);
});

test("a change of the file by another program is one event, and another one after the file was read", async () => {
  const running = await changed();
  const events: NewEvent[] = [];
  const end = watchFile(running, (event) => void events.push(event), 5);
  await Bun.sleep(20);
  expect(events).toEqual([]);
  for (const [i, name] of ["b", "c"].entries()) {
    writeFileSync(path, FILE.replaceAll('"a"', `"${name}"`));
    await until(() => events.length > i);
    await Bun.sleep(20);
    expect(events).toHaveLength(i + 1);
    expect(events[i]).toMatchObject({ kind: "config_file", details: { path } });
    await running.reload(BY);
    await Bun.sleep(20);
  }
  end();
});

async function persisted(name: string, text: string): Promise<{ readonly outcome: unknown; readonly text: string }> {
  path = join(folder, name);
  writeFileSync(path, text);
  const running = await changed();
  const outcome = await running.persist(BY, { force: false });
  return { outcome, text: readFileSync(path, "utf8") };
}

test("a file with comments keeps them", async () => {
  const commented = FILE.replace(`"routes"`, `// All of them.\n  "routes"`).replace(`"a" }\n`, `"a" }, // one\n`);
  const { outcome, text } = await persisted("turnpike.jsonc", commented);
  expect(outcome).toEqual({ kind: "done", path });
  const added = `"a" }, // one\n    {\n      "path_prefix": "/new",\n      "upstream": "a"\n    },\n`;
  expect(text).toBe(commented.replace(`"a" }, // one\n`, added));
});

const YAML = `# Servers.
upstreams:
  - { name: a, servers: [ { address: 127.0.0.1, port: 9000 } ] }
# All.
routes:
  - path_prefix: /
    upstream: a # the one
`;

test("a YAML file keeps its comments", async () => {
  const { outcome, text } = await persisted("turnpike.yaml", YAML);
  expect(outcome).toEqual({ kind: "done", path });
  expect(text).toBe(`${YAML}  - path_prefix: /new\n    upstream: a\n`);
});

test("a YAML file with aliases is written unless the change is at an anchor", async () => {
  const text = YAML.replace("name: a", "name: &a a").replace("upstream: a", "upstream: *a");
  const { outcome, text: written } = await persisted("turnpike.yml", text);
  expect({ outcome, written }).toEqual({
    outcome: { kind: "done", path },
    written: `${text}  - path_prefix: /new\n    upstream: a\n`,
  });
  const shared = text.replace("upstreams", "x-port: &port 9000\nupstreams").replace("port: 9000", "port: *port");
  writeFileSync(path, shared.replace("x-port: &port 9000", "x-port: 1"));
  path = join(folder, "shared.yml");
  writeFileSync(path, shared);
  const opened = await openConfig({ path, flags: {} });
  const running = new LiveConfig({ opened, apply: async () => {}, countReload() {}, onEvent() {} });
  const document = { ...Object(opened.document), "x-port": 9001 };
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  await running.change({ kind: "replace", bytes }, BY);
  expect(await running.persist(BY, { force: false })).toMatchObject({
    kind: "failed",
    reason: expect.stringMatching(/aliases/),
  });
  expect(readFileSync(path, "utf8")).toBe(shared);
});
