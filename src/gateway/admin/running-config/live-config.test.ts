import { afterEach, beforeEach, expect, test } from "bun:test";
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
let refusal: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  path = join(folder, "turnpike.json");
  events = [];
  applied = [];
  refusal = undefined;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DOCUMENT = {
  comment: "of our own",
  upstreams: [{ name: "a", servers: [SERVER] }],
  routes: [{ path_prefix: "/", upstream: "a" }],
};

async function configOf(document: object = DOCUMENT): Promise<LiveConfig> {
  writeFileSync(path, JSON.stringify(document));
  const opened = await openConfig({ path, flags: {} });
  return new LiveConfig({
    opened,
    apply: async (config) => {
      if (refusal !== undefined) throw new Error(refusal);
      applied.push(config);
    },
    countReload: () => {},
    onEvent: (event) => void events.push(event),
  });
}

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
    { kind: "delete-upstream", name: "a" },
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
    {
      kind: "referenced",
      by: [
        "routes[0].upstream",
        "routes[1].upstream",
        "routes[1].mirror",
        "routes[2].upstream",
        "routes[2].traffic_split[0].upstream",
        "routes[2].traffic_split[0].mirrors[0].upstream",
      ],
    },
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
