import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config } from "../../config/config.ts";
import { type Actor, type NewEvent } from "../../telemetry/event.ts";
import { openConfig } from "./config-source.ts";
import { LiveConfig } from "./live-config.ts";

const BY: Actor = { kind: "operator", key: "api_key", address: "127.0.0.1" };
const SERVER = { address: "127.0.0.1", port: 9000 };

let folder = "";
let path = "";
let events: NewEvent[] = [];
let applied: Config[] = [];
/** Configurations whose files were opened. */
let checked: Config[] = [];
let refusal: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  path = join(folder, "turnpike.json");
  events = [];
  applied = [];
  checked = [];
  refusal = undefined;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DOCUMENT = {
  comment: "of our own",
  upstreams: [{ name: "a", servers: [SERVER] }],
  routes: [{ path_prefix: "/", upstream: "a" }],
};

const DOCUMENT_OF_A = { upstreams: DOCUMENT.upstreams, routes: DOCUMENT.routes };

async function configOf(document: object = DOCUMENT): Promise<LiveConfig> {
  writeFileSync(path, JSON.stringify(document));
  return new LiveConfig({
    opened: await openConfig({ path, flags: {} }),
    checkMaterial: async (config) => {
      checked.push(config);
      return { problems: [], warnings: [] };
    },
    apply: async (config) => {
      if (refusal !== undefined) throw new Error(refusal);
      applied.push(config);
    },
    countReload: () => {},
    onEvent: (event) => void events.push(event),
  });
}

test("checks with the read-only key do not have an operator's check refused", async () => {
  const running = await configOf();
  const bytes = new TextEncoder().encode(JSON.stringify(DOCUMENT_OF_A));
  const reader: Actor = { kind: "read-only operator", key: "read_api_key", address: "127.0.0.1" };
  const flood = Array.from({ length: 8 }, () => running.check(bytes, reader));
  expect(await running.check(bytes, BY)).toMatchObject({ kind: "checked", ok: true });
  const kinds = (await Promise.all(flood)).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["checked", "busy"]));
});

test("the only diagnostic of a reloaded file has its line", async () => {
  const running = await configOf(DOCUMENT_OF_A);
  const text = JSON.stringify({ ...DOCUMENT_OF_A, unknown_key: 1 }, undefined, 2);
  const line = text.split("\n").findIndex((at) => at.includes("unknown_key")) + 1;
  writeFileSync(path, text);
  expect(await running.reload(BY)).toMatchObject({ warnings: [{ path: "unknown_key", position: { line } }] });
});

test("a route is added, changed and removed, and each change has its own revision", async () => {
  const running = await configOf();
  const seen = new Set([running.revision]);
  const route = { path_prefix: "/new", upstream: "a" };
  for (const edit of [
    { kind: "add-route", route },
    { kind: "patch-route", prefix: "/new", host: undefined, patch: { mirror: "a", upstream: "a" } },
    { kind: "delete-route", prefix: "/new", host: undefined },
  ] as const) {
    const outcome = await running.change(edit, BY);
    expect(outcome).toMatchObject({ kind: "done", revision: running.revision, restart: [] });
    seen.add(running.revision);
  }
  expect(seen.size).toBe(4);
  expect(applied.map(({ routes }) => routes.map(({ path_prefix: prefix, mirror }) => [prefix, mirror]))).toEqual([
    [
      ["/", undefined],
      ["/new", undefined],
    ],
    [
      ["/", undefined],
      ["/new", "a"],
    ],
    [["/", undefined]],
  ]);
  expect(events.map(({ kind, outcome, message }) => [kind, outcome, message])).toEqual([
    ["change", "done", 'add the route "/new"'],
    ["change", "done", 'change the route "/new"'],
    ["change", "done", 'remove the route "/new"'],
  ]);
  expect(events.at(-1)?.details).toEqual({ edit: "delete-route", revision: running.revision, restart: [] });
});

const REFERENCES: readonly (readonly [what: string, route: object])[] = [
  ["a route", { upstream: "b" }],
  ["a mirror", { upstream: "a", mirror: "b" }],
  ["one of several mirrors", { upstream: "a", mirrors: [{ upstream: "b" }] }],
  ["a part of a split", { upstream: "a", traffic_split: [{ upstream: "b", weight: 1 }] }],
  [
    "a mirror of a part of a split",
    { upstream: "a", traffic_split: [{ upstream: "a", weight: 1, mirrors: [{ upstream: "b" }] }] },
  ],
];

describe.each(REFERENCES)("an upstream that %s names", (_, reference) => {
  const b = { name: "b", servers: [SERVER], load_balancer: "random" };
  const left = { name: "b", servers: [], deleted: true };
  const routes = [...DOCUMENT.routes, { path_prefix: "/b", ...reference }];
  const upstreams = [b, ...DOCUMENT.upstreams];
  const remove = { kind: "delete-upstream", name: "b" } as const;
  const STRICT = { strict: true };

  test("leaves its place when it is deleted, takes it again, and is gone with its last reference", async () => {
    const running = await configOf({ upstreams, routes });
    const { revision } = running;
    const deleted = await running.change(remove, BY, { ...STRICT, ifMatch: [revision] });
    expect(deleted).toMatchObject({ kind: "done", warnings: [{ path: "upstreams", isNotice: true }] });
    expect(running.revision).not.toBe(revision);
    expect(await running.document()).toEqual({ upstreams: [left, ...DOCUMENT.upstreams], routes });
    expect(await running.change(remove, BY)).toEqual({ kind: "absent" });
    expect(await running.change({ kind: "patch-upstream", name: "b", patch: b }, BY)).toEqual({ kind: "absent" });
    const add = { kind: "add-upstream", upstream: b } as const;
    expect(await running.change(add, BY, STRICT)).toMatchObject({ kind: "done", warnings: [] });
    expect(await running.document()).toEqual({ upstreams, routes });
    expect(await running.change(add, BY)).toEqual({ kind: "duplicate" });
    await running.change(remove, BY);
    expect(await running.change({ kind: "delete-route", prefix: "/b", host: undefined }, BY)).toMatchObject({
      kind: "done",
      warnings: [],
    });
    expect(await running.document()).toEqual(DOCUMENT_OF_A);
  });

  test("stays deleted in the file, which --strict accepts, and is gone when its route names another", async () => {
    const running = await configOf({ upstreams, routes });
    await running.change(remove, BY);
    expect(await running.persist(BY, { force: false })).toMatchObject({ kind: "done" });
    expect(await running.reload(BY, STRICT)).toMatchObject({ kind: "done", warnings: [{ isNotice: true }] });
    const { loaded } = await openConfig({ path, flags: {}, strict: true });
    expect([loaded.problems, loaded.warnings]).toMatchObject([[], [{ path: "upstreams" }]]);
    const patch = { upstream: "a", mirror: null, mirrors: null, traffic_split: null };
    await running.change({ kind: "patch-route", prefix: "/b", host: undefined, patch }, BY);
    expect(await running.document()).toMatchObject({ upstreams: DOCUMENT.upstreams });
  });
});

test("a deleted upstream has no servers and no discovery, and goes when no route names it", async () => {
  const left = { name: "b", servers: [], deleted: true };
  const running = await configOf({ ...DOCUMENT_OF_A, upstreams: [...DOCUMENT.upstreams, left] });
  for (const more of [{ servers: [SERVER] }, { dns_discovery: { hostname: "b.test", port: 1 } }]) {
    const upstream = { ...left, name: "c", ...more };
    expect(await running.change({ kind: "add-upstream", upstream }, BY)).toMatchObject({
      kind: "invalid",
      problems: [{ path: "upstreams[2].deleted", message: "excludes servers and discovery" }],
    });
  }
  expect(await running.change({ kind: "delete-upstream", name: "b" }, BY)).toMatchObject({ kind: "done" });
  expect(await running.document()).toEqual(DOCUMENT_OF_A);
});

test("an impossible change and a refused one have different errors, and change nothing", async () => {
  const running = await configOf({
    ...DOCUMENT,
    routes: [
      { path_prefix: "/", upstream: "a" },
      { path_prefix: "/x", host: "one.test", upstream: "a", mirror: "a" },
      {
        path_prefix: "/x",
        host: "two.test",
        traffic_split: [{ upstream: "a", weight: 1, mirrors: [{ upstream: "a" }] }],
        upstream: "a",
      },
    ],
  });
  const before = running.revision;
  const shown = await running.document();
  const outcomes = [];
  for (const edit of [
    { kind: "add-route", route: { path_prefix: "/x", host: "ONE.test", upstream: "a" } },
    { kind: "add-upstream", upstream: { name: "a", servers: [SERVER] } },
    { kind: "delete-upstream", name: "b" },
    { kind: "delete-route", prefix: "/x", host: undefined },
    { kind: "delete-route", prefix: "/x", host: "" },
    { kind: "patch-route", prefix: "/x", host: "one.test", patch: { host: "two.test" } },
    { kind: "patch-upstream", name: "a", patch: { servers: [{ port: 9 }] } },
  ] as const) {
    outcomes.push(await running.change(edit, BY));
  }
  expect(outcomes).toEqual([
    { kind: "duplicate" },
    { kind: "duplicate" },
    { kind: "absent" },
    { kind: "ambiguous", hosts: ["one.test", "two.test"], names: ["", ""] },
    { kind: "absent" },
    { kind: "duplicate" },
    expect.objectContaining({ kind: "invalid" }),
  ]);
  let deep: object = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  expect(await running.change({ kind: "add-route", route: { path_prefix: "/y", "x-deep": deep } }, BY)).toMatchObject({
    kind: "invalid",
    problems: [{ path: "", message: "expected at most 64 levels" }],
  });
  expect(outcomes.at(-1)).toMatchObject({
    problems: [{ path: "upstreams[0].servers[0].address", pointer: "/servers/0/address" }],
  });
  refusal = "a worker cannot";
  expect(await running.change({ kind: "add-upstream", upstream: { name: "b", servers: [SERVER] } }, BY)).toEqual({
    kind: "failed",
    reason: refusal,
  });
  expect([running.revision, await running.document(), applied]).toEqual([before, shown, []]);
});

test("the file and the memory differ until the document is persisted, or the file is reloaded", async () => {
  const running = await configOf();
  expect(running.file).toEqual({ path, writesTo: path, changedInMemory: false, changedOnDisk: false });
  const upstream = { name: "b", servers: [SERVER] };
  await running.change({ kind: "add-upstream", upstream }, BY);
  expect(await running.difference()).toEqual([{ op: "add", path: "/upstreams/1", value: upstream }]);
  expect(running.file.changedInMemory).toBe(true);
  expect(await running.persist(BY, { force: false })).toEqual({ kind: "done", path });
  expect(running.file).toEqual({ path, writesTo: path, changedInMemory: false, changedOnDisk: false });
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    ...DOCUMENT,
    upstreams: [...DOCUMENT.upstreams, upstream],
  });
  await running.change({ kind: "delete-upstream", name: "b" }, BY);
  expect(await running.reload(BY)).toMatchObject({
    kind: "done",
    discarded: [{ op: "remove", path: "/upstreams/1" }],
  });
  expect(applied.at(-1)?.upstreams.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a change names no file that the configuration file does not name, and a reload may name any", async () => {
  const running = await configOf();
  const named = { path: join(folder, "access.log") };
  const edit = { kind: "patch-route", prefix: "/", host: undefined, patch: { access_log: named } } as const;
  expect(await running.change(edit, BY)).toMatchObject({
    kind: "invalid",
    problems: [
      {
        path: "routes[0].access_log.path",
        pointer: "/access_log/path",
        message: expect.stringMatching(/^names a file, program or socket/),
      },
    ],
  });
  expect([applied, checked]).toEqual([[], []]);
  writeFileSync(path, JSON.stringify({ ...DOCUMENT, routes: [{ ...DOCUMENT.routes[0], access_log: named }] }));
  expect(await running.reload(BY)).toMatchObject({ kind: "done" });
  expect(await running.change(edit, BY)).toMatchObject({ kind: "done" });
  expect(checked).toEqual(applied);
});

test("a file that cannot be read is a problem of its reload, and the configuration stays in use", async () => {
  const running = await configOf();
  const { revision } = running;
  rmSync(path);
  const missing = { path: "", message: "Cannot read the file: there is no such file" };
  expect(await running.reload(BY)).toEqual({ kind: "invalid", problems: [missing], warnings: [] });
  expect([running.revision, applied, running.lastReload?.ok]).toEqual([revision, [], false]);
});

test("the last reload has its time, who asked for it, and whether it was done", async () => {
  const running = await configOf();
  expect(running.lastReload).toBeNull();
  const before = Date.now();
  await running.reload(BY);
  const { time_ms: at = 0, ...last } = running.lastReload ?? {};
  expect(last).toEqual({ by: BY, ok: true, detail: "reloaded", discarded: [] });
  expect([at >= before, at <= Date.now()]).toEqual([true, true]);
  const opened = await openConfig({ path, flags: {} });
  const counted: boolean[] = [];
  const countReload = (ok: boolean) => void counted.push(ok);
  const timed = new LiveConfig({ opened, apply: async () => {}, countReload, onEvent() {}, clock: () => 7 });
  await timed.reload(BY);
  writeFileSync(path, "{");
  const signal: Actor = { kind: "signal", key: "-", address: "" };
  await timed.reload(signal);
  expect(timed.lastReload).toMatchObject({ time_ms: 7, by: signal, ok: false, discarded: [] });
  expect(counted).toEqual([true, false]);
});
