import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { respondWithError } from "../exchange/local-response.ts";
import { until } from "../../lib/testing/until.ts";
import { loadValue } from "../config/load.ts";
import { type Config } from "../config/config.ts";
import { CallTargets } from "./calls/call-targets.ts";
import { LoadedFilters } from "./loaded-filters.ts";
import { ModuleCache } from "./module/module-cache.ts";
import { onRequest, op } from "./module/testing/assembler.ts";
import { ownModule } from "./own-abi/testing/own-module.ts";
import { call, moduleOf } from "./proxy-wasm/testing/proxy-module.ts";
import { type TestRuntime, testRuntime } from "./testing/test-runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-loaded-"));
const modules = new ModuleCache();
let runtime: TestRuntime;
let logged: string[] = [];

beforeEach(async () => {
  runtime = testRuntime();
  logged = [];
  await Bun.write(join(folder, "a.wasm"), ownModule([], { on_request: op.i32(0) }));
  await Bun.write(join(folder, "b.wasm"), ownModule([], { on_request: op.i32(2) }));
  await Bun.write(join(folder, "bad.wasm"), "no module");
});

afterAll(() => rmSync(folder, { recursive: true }));

function configuration(filters: readonly (readonly [match: string, module: string, more?: object])[]): Config {
  const { config, problems } = loadValue({
    upstreams: [{ name: "app", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [
      { path_prefix: "/a", upstream: "app" },
      { path_prefix: "/b", upstream: "app" },
      { path_prefix: "/b", upstream: "app", host: "b.test" },
    ],
    wasm_filters: filters.map(([match, module, more]) => ({ match, module: join(folder, module), ...more })),
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

function log(message: string): void {
  logged.push(message.replaceAll(folder, ""));
}

async function load(config: Config, previous?: LoadedFilters, isFirst = true): Promise<LoadedFilters> {
  const deps = { modules, runtime, log, isFirst, callTargets: new CallTargets(runtime.wheel) };
  return await LoadedFilters.load({ config, deps, respondWithError, previous });
}

test("an unchanged filter keeps its instances; a changed entry or file creates a new filter", async () => {
  const before = await load(
    configuration([
      ["/a", "a.wasm"],
      ["/b", "a.wasm"],
    ]),
  );
  // One for each route, because two routes have the prefix /b.
  expect(runtime.gauge.instances).toBe(3);
  const after = await load(
    configuration([
      ["/a", "a.wasm"],
      ["/b", "a.wasm", { fuel: 1000 }],
    ]),
    before,
  );
  expect(runtime.gauge.instances).toBe(5);
  before.close(after);
  expect(runtime.gauge.instances).toBe(3);
  await Bun.write(join(folder, "a.wasm"), ownModule([], { on_request: op.i32(1) }));
  const last = await load(configuration([["/a", "a.wasm"]]), after);
  expect(runtime.gauge.instances).toBe(4);
  after.close(last);
  expect(runtime.gauge.instances).toBe(1);
  last.close(undefined);
  expect(runtime.gauge.instances).toBe(0);
});

test("a rejected configuration closes the filters that it has created, and none of the active configuration", async () => {
  const served = await load(configuration([["/a", "a.wasm"]]));
  const failed = await load(
    configuration([
      ["/a", "a.wasm"],
      ["/a", "b.wasm"],
    ]),
    served,
  );
  expect(runtime.gauge.instances).toBe(2);
  failed.close(served);
  expect(runtime.gauge.instances).toBe(1);
  served.close(undefined);
});

test("the same entry twice on one route creates two filters, also after a reload", async () => {
  const twice = configuration([
    ["/a", "a.wasm"],
    ["/a", "a.wasm"],
  ]);
  const before = await load(twice);
  const after = await load(twice, before);
  before.close(after);
  expect(runtime.gauge.instances).toBe(2);
  after.close(undefined);
  expect(runtime.gauge.instances).toBe(0);
});

test("one filter that cannot be loaded, or does not start, closes all routes of its prefix", async () => {
  const trap = onRequest(op.i32(0), { functions: [{ type: 0, code: op.unreachable }], start: 1 });
  await Bun.write(join(folder, "trap.wasm"), trap);
  const config = configuration([
    ["/a", "a.wasm"],
    ["/b", "a.wasm"],
    ["/b", "bad.wasm"],
    ["/b", "gone.wasm"],
    ["/a", "trap.wasm"],
  ]);
  const loaded = await load(config);
  const kinds = config.routes.map((route) => typeof loaded.route(route));
  expect([kinds, loaded.closed]).toEqual([
    ["string", "string", "string"],
    ["/a", "/b"],
  ]);
  expect(logged.toSorted((a, b) => a.localeCompare(b))).toEqual([
    expect.stringMatching(
      /^wasm_filters\[2\]\.module: Cannot load the filter "\/bad\.wasm": .+; the route "\/b" gets 503$/,
    ),
    'wasm_filters[3].module: Cannot load the filter "/gone.wasm": there is no such file; the route "/b" gets 503',
    expect.stringMatching(
      /^wasm_filters\[4\]\.module: Cannot start the filter: it trapped: .+; the route "\/a" gets 503$/,
    ),
  ]);
  loaded.close(undefined);
  expect(runtime.gauge.instances).toBe(0);
});

test("a match without a route is logged once, by one worker, and its module is not read", async () => {
  const config = configuration([["/nowhere", "gone.wasm"]]);
  const first = await load(config);
  const said = ['wasm_filters[0].match: no route has the path_prefix "/nowhere"; the filter never runs'];
  expect(logged).toEqual(said);
  await load(config, first);
  await load(config, undefined, false);
  expect(logged).toEqual(said);
  expect(first.diagnostics.map(({ kind }) => kind)).toEqual(["ineffective"]);
});

test("a filter runs on every route with its path_prefix, whatever else the route matches", async () => {
  const upstream = "app";
  const matches = [
    { exact_path: true },
    { path_pattern: "/a/[0-9]+" },
    { methods: ["POST"] },
    { headers: [{ name: "X-Channel", value: "beta" }] },
    { query: [{ name: "page", value: "2" }] },
  ];
  const { config, problems } = loadValue({
    upstreams: [{ name: upstream, servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [
      ...matches.map((match, i) => ({ path_prefix: "/a", upstream, name: `route-${i}`, match })),
      { path_prefix: "/a/b", upstream, match: { exact_path: true } },
    ],
    wasm_filters: [{ match: "/a", module: join(folder, "a.wasm") }],
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  const loaded = await load(config);
  expect(config.routes.map((route) => loaded.route(route) !== undefined)).toEqual([...matches.map(() => true), false]);
  loaded.close(undefined);
});

test("a filter that can set an upstream is reported on a route without tenant", async () => {
  await Bun.write(join(folder, "sets.wasm"), ownModule(["set_upstream"], { on_request: op.i32(0) }));
  const loaded = await load(configuration([["/a", "sets.wasm"]]));
  expect(logged).toEqual(['wasm_filters[0].module: the route "/a" has no tenant; set_upstream has no effect']);
  expect(loaded.closed).toEqual([]);
  loaded.close(undefined);
});

/** A plugin with a tick and no context for requests: it traps if it must make one, as plugins of the SDKs do. */
const PLUGIN = moduleOf({
  imports: [
    ["proxy_set_tick_period_milliseconds", 1],
    ["proxy_log", 3],
  ],
  text: "tick",
  callbacks: {
    proxy_on_context_create: [0x20, 1, 0x04, 0x40, ...op.unreachable, 0x0b, ...op.i32(0)],
    proxy_on_configure: [...call(0, 10), ...op.drop, ...op.i32(1)],
    proxy_on_tick: [...call(1, 2, 0, 4), ...op.drop, ...op.unreachable],
  },
});

function ticks(): number {
  return logged.filter((line) => line === 'filter "plugin.wasm": info: tick').length;
}

test("a plugin without requests runs with an empty match and is started again after a failure; a route refuses it by name", async () => {
  await Bun.write(join(folder, "plugin.wasm"), PLUGIN);
  const loaded = await load(
    configuration([
      ["", "plugin.wasm"],
      ["/a", "plugin.wasm"],
      ["", "a.wasm"],
    ]),
  );
  expect(loaded.closed).toEqual(["/a"]);
  expect(loaded.diagnostics.map(({ message, effect }) => [message, effect])).toEqual([
    ["Cannot start the filter: only a proxy-wasm filter can run without a route", "it does not run"],
    [
      expect.stringMatching(
        /^Cannot start the filter: it trapped: .+ in proxy_on_context_create, for a request\. .+ empty match$/,
      ),
      'the route "/a" gets 503',
    ],
  ]);
  // Each tick breaks its instance.
  await until(() => ticks() >= 2);
  loaded.close(undefined);
  expect(runtime.gauge.instances).toBe(0);
});
