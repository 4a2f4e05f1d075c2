import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { type WatchedTimers, watchTimers } from "../../../../../lib/testing/timers.ts";
import { until } from "../../../../../lib/testing/until.ts";
import { session } from "../api/client.ts";
import { type JsonObject } from "../api/shapes.ts";
import { drawHook, type DrawnHook } from "../testing/draw-hook.ts";
import { serveInterface } from "../testing/fake-page.ts";
import { draftOf, dropDraft } from "./drafts.ts";
import { type Editor, readBase, type Section, useEditor } from "./editor-state.ts";
import { ROUTES, SETTINGS, UPSTREAMS } from "./sections.ts";

const CHECK_AFTER_MS = 400;
const CHECK_AGAIN_MS = 2_000;
const DOCUMENT = {
  routes: [
    { path_prefix: "/a", upstream: "u" },
    { path_prefix: "/b", cache: { ttl_s: 1, vary: "x" } },
  ],
  upstreams: [{ name: "u" }, { name: "v" }],
  server: { port: 1 },
};

interface Asked {
  readonly line: string;
  readonly ifMatch: string | null;
  readonly body: unknown;
}

const gateway = serveInterface();
let document: JsonObject = DOCUMENT;
let tag = "first";
let asked: Asked[] = [];
let checks: unknown[] = [];
let check: () => Response = () => Response.json({ problems: [] });
let change: () => Response | Promise<Response> = () => Response.json({});
let timers: WatchedTimers;
let delays = new Map<number, number>();

beforeEach(() => {
  session.set({ kind: "open", session: { access: "full", csrf_token: "t" } });
  [document, tag, asked, checks] = [DOCUMENT, "first", [], []];
  check = () => Response.json({ problems: [] });
  change = () => Response.json({});
  delays = new Map([[CHECK_AFTER_MS, 0]]);
  timers = watchTimers((ms) => delays.get(ms) ?? ms);
  gateway.respond = async (request) => {
    const { pathname, search } = new URL(request.url);
    if (request.method === "GET") return Response.json(document, { headers: { etag: `"of ${tag}"` } });
    const body: unknown = await request.json();
    if (pathname === "/v1/config/check") {
      checks.push(body);
      return check();
    }
    asked.push({ line: `${request.method} ${pathname}${search}`, ifMatch: request.headers.get("if-match"), body });
    return await change();
  };
});
afterEach(() => {
  timers[Symbol.dispose]();
  for (const name of ["form", "other"]) dropDraft(name);
});
afterAll(() => {
  session.set({ kind: "unknown" });
  gateway.stop();
});

const isB = (item: JsonObject): boolean => item["path_prefix"] === "/b";

async function edit(section: Section, find: (item: JsonObject) => boolean = isB): Promise<DrawnHook<Editor>> {
  const base = await readBase(section, find);
  return drawHook(() => useEditor(section, "form", base));
}

/** Types a value, and waits until the form shows it. */
async function type(
  form: DrawnHook<Editor>,
  path: readonly (string | number)[],
  value: string | number,
): Promise<void> {
  const before = form.value.value;
  form.value.form.change(path, value);
  await until(() => form.value.value !== before);
}

const failing =
  (status: number, ...paths: string[]) =>
  () =>
    Response.json({ detail: `${status}`, errors: paths.map((path) => ({ path, message: `no ${path}` })) }, { status });

test("a form begins with the item of the newest configuration, a new one, or all settings", async () => {
  expect(await readBase(ROUTES, isB)).toMatchObject({
    etag: '"of first"',
    document: DOCUMENT,
    index: 1,
    item: DOCUMENT.routes[1],
  });
  expect(await readBase(ROUTES, () => false)).toMatchObject({ index: 2, item: undefined });
  const settings = await readBase(SETTINGS, () => false);
  expect([settings.item, settings.index, settings.etag]).toEqual([{ server: { port: 1 } }, 0, '"of first"']);
});

test("typed values are checked in their place of the whole configuration, and kept while other views are shown", async () => {
  const form = await edit(ROUTES);
  await until(() => checks.length === 1);
  expect(checks[0]).toEqual(DOCUMENT);
  expect([form.value.isChanged, form.value.isRestored, draftOf("form")]).toEqual([false, false, undefined]);
  await type(form, ["cache", "ttl_s"], 5);
  const typed = { path_prefix: "/b", cache: { ttl_s: 5, vary: "x" } };
  expect([form.value.isChanged, form.value.value, form.value.form.original]).toEqual([true, typed, DOCUMENT.routes[1]]);
  await until(() => checks.length === 2);
  expect(checks[1]).toEqual({ ...DOCUMENT, routes: [DOCUMENT.routes[0], typed] });
  expect(draftOf("form")?.value).toEqual(typed);
  form[Symbol.dispose]();
  using again = await edit(ROUTES);
  expect([again.value.isRestored, again.value.value]).toEqual([true, typed]);
  await type(again, ["cache", "ttl_s"], 1);
  await until(() => draftOf("form") === undefined);
  expect(again.value.isChanged).toBe(false);
});

test("the messages of a check belong to fields of the item, or to other places", async () => {
  const problems = ["routes[1].cache.ttl_s", "routes[1].cache", "routes[0]", "server.port"];
  check = () => Response.json({ problems: problems.map((path) => ({ path, message: `no ${path}` })) });
  using form = await edit(ROUTES);
  await until(() => form.value.check !== undefined);
  expect(form.value.own.map(({ path }) => path)).toEqual(["cache.ttl_s", "cache"]);
  expect(form.value.others.map(({ path }) => path)).toEqual(["routes[0]", "server.port"]);
  const { messagesAt, countBelow, namesFor } = form.value.form;
  expect([messagesAt(["cache", "ttl_s"]), messagesAt(["match"])]).toEqual([["no routes[1].cache.ttl_s"], []]);
  expect([countBelow(["cache"]), countBelow(["cache", "ttl_s"]), countBelow(["match"])]).toEqual([2, 1, 0]);
  expect(["upstream", "mirror", "auth"].map(namesFor)).toEqual([["u", "v"], ["u", "v"], undefined]);
  using upstream = await edit(UPSTREAMS, ({ name }) => name === "u");
  expect(upstream.value.form.namesFor("upstream")).toBeUndefined();
  using settings = await edit(SETTINGS);
  await until(() => settings.value.check !== undefined);
  expect([settings.value.own, settings.value.others].map((list) => list.map(({ path }) => path))).toEqual([
    ["server.port"],
    ["routes[1].cache.ttl_s", "routes[1].cache", "routes[0]"],
  ]);
});

test("a check that fails is repeated, and none is made after the form has ended", async () => {
  check = () => new Response("", { status: 503 });
  const form = await edit(ROUTES);
  await until(() => timers.pending(CHECK_AGAIN_MS) === 1);
  expect([checks.length, form.value.check]).toEqual([1, undefined]);
  form[Symbol.dispose]();
  expect([timers.pending(CHECK_AGAIN_MS), timers.pending(CHECK_AFTER_MS)]).toEqual([0, 0]);
  delays.set(CHECK_AGAIN_MS, 0);
  using again = await edit(ROUTES);
  await until(() => checks.length > 3);
  check = () => Response.json({ problems: [] });
  await until(() => again.value.check !== undefined);
});

test("only the last of some keystrokes is checked", async () => {
  using form = await edit(ROUTES);
  await until(() => form.value.check !== undefined);
  delays.set(CHECK_AFTER_MS, CHECK_AFTER_MS);
  await type(form, ["host"], "a");
  await until(() => timers.pending(CHECK_AFTER_MS) === 1);
  await type(form, ["host"], "ab");
  await until(() => checks.length === 2);
  expect(checks[1]).toMatchObject({ routes: [{}, { host: "ab" }] });
  expect(timers.pending(CHECK_AFTER_MS)).toBe(0);
});

test("a changed item is saved as a patch of the configuration that the form began with", async () => {
  using form = await edit(ROUTES);
  await type(form, ["cache", "ttl_s"], 5);
  await until(() => draftOf("form") !== undefined);
  const gate = Promise.withResolvers<void>();
  change = () => gate.promise.then(() => Response.json({}));
  const saved = form.value.save();
  await until(() => form.value.isBusy);
  gate.resolve();
  expect(await saved).toBe(true);
  await until(() => !form.value.isBusy);
  expect(asked).toEqual([
    { line: "PATCH /v1/routes/%2Fb?host=&name=", ifMatch: '"of first"', body: { cache: { ttl_s: 5 } } },
  ]);
  expect([draftOf("form"), form.value.problem, form.value.conflict]).toEqual([undefined, undefined, undefined]);
});

test("a new item is added, and its fields have messages once they are reached or sent", async () => {
  check = () =>
    Response.json({ problems: ["routes[2].host", "routes[2].match[0].path"].map((path) => ({ path, message: "no" })) });
  using form = await edit(ROUTES, () => false);
  await until(() => form.value.check !== undefined);
  expect([form.value.value, form.value.own]).toEqual([{}, []]);
  form.value.form.touch(["match"]);
  await until(() => form.value.own.length > 0);
  expect(form.value.own.map(({ path }) => path)).toEqual(["match[0].path"]);
  form.value.form.touch(["name"]);
  await type(form, ["path_prefix"], "/c");
  expect(form.value.own.map(({ path }) => path)).toEqual(["match[0].path"]);
  expect(await form.value.save()).toBe(true);
  await until(() => form.value.own.length === 2);
  expect(asked).toEqual([{ line: "POST /v1/routes", ifMatch: null, body: { path_prefix: "/c" } }]);
  using upstream = drawHook(() => useEditor(UPSTREAMS, "other", { ...form.value.base, index: 2 }));
  expect(upstream.value.value).toEqual({ servers: [{}] });
});

test("settings are saved with the routes and upstreams that the form does not show", async () => {
  using form = await edit(SETTINGS);
  await type(form, ["server", "port"], 2);
  expect(await form.value.save()).toBe(true);
  expect(asked).toEqual([
    { line: "PUT /v1/config", ifMatch: '"of first"', body: { ...DOCUMENT, server: { port: 2 } } },
  ]);
  document = { server: {} };
  using bare = await edit(SETTINGS);
  await until(() => checks.length > 0);
  expect(await bare.value.save()).toBe(true);
  expect(asked[1]?.body).toMatchObject({ routes: [], upstreams: [] });
});

test("a refusal shows its messages until the value changes", async () => {
  change = failing(400, "routes[1].cache.ttl_s");
  using form = await edit(ROUTES);
  await until(() => form.value.check !== undefined);
  await type(form, ["cache", "ttl_s"], -1);
  expect(await form.value.save()).toBe(false);
  await until(() => form.value.problem !== undefined && !form.value.isBusy);
  expect([form.value.problem?.status, form.value.own.map(({ path }) => path)]).toEqual([400, ["cache.ttl_s"]]);
  expect([form.value.conflict, draftOf("form")?.value]).toEqual([undefined, form.value.value]);
  await type(form, ["cache", "ttl_s"], 2);
  expect([form.value.problem, form.value.own]).toEqual([undefined, []]);
});

test("after another change, the typed values are applied to the newer item", async () => {
  using form = await edit(ROUTES);
  await type(form, ["cache", "ttl_s"], 5);
  form.value.keepTyped();
  expect(form.value.value).toMatchObject({ cache: { ttl_s: 5 } });
  document = { ...DOCUMENT, routes: [{ path_prefix: "/b", cache: { ttl_s: 1 }, host: "h" }] };
  change = failing(412);
  expect(await form.value.save()).toBe(false);
  await until(() => form.value.conflict !== undefined && !form.value.isBusy);
  // An item with another host is another item.
  expect([form.value.conflict?.item, form.value.conflict?.index]).toEqual([undefined, 1]);
  tag = "newer";
  document = { ...DOCUMENT, routes: [{ path_prefix: "/b", cache: { ttl_s: 1 }, auth: "key" }] };
  expect(await form.value.save()).toBe(false);
  await until(() => form.value.conflict?.item !== undefined && !form.value.isBusy);
  expect([form.value.problem, form.value.conflict?.index]).toEqual([undefined, 0]);
  form.value.keepTyped();
  await until(() => form.value.conflict === undefined);
  expect(form.value.value).toEqual({ path_prefix: "/b", cache: { ttl_s: 5 }, auth: "key" });
  change = () => Response.json({});
  expect(await form.value.save()).toBe(true);
  expect(asked.at(-1)).toMatchObject({ ifMatch: '"of newer"', body: { cache: { ttl_s: 5 } } });
});

test("typed values are discarded for the newer item, or for that of the start", async () => {
  using form = await edit(ROUTES);
  await type(form, ["cache", "ttl_s"], 5);
  form.value.discardTyped();
  await until(() => !form.value.isChanged);
  expect(form.value.value).toEqual(DOCUMENT.routes[1] ?? {});
  await type(form, ["cache", "ttl_s"], 6);
  document = { ...DOCUMENT, routes: [DOCUMENT.routes[0] ?? {}, { path_prefix: "/b", auth: "key" }] };
  change = failing(412);
  await form.value.save();
  await until(() => form.value.conflict !== undefined && !form.value.isBusy);
  form.value.discardTyped();
  await until(() => form.value.conflict === undefined);
  expect([form.value.value, form.value.isChanged]).toEqual([{ path_prefix: "/b", auth: "key" }, false]);
  using fresh = drawHook(() => useEditor(UPSTREAMS, "other", { ...form.value.base, item: undefined }));
  await type(fresh, ["name"], "w");
  fresh.value.discardTyped();
  await until(() => !fresh.value.isChanged);
  expect(fresh.value.value).toEqual({ servers: [{}] });
});
