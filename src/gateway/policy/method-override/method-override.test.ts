import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { loadValue } from "../../config/load.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { createMethodOverridePolicy, provideMethodOverride } from "./method-override.ts";

setDefaultTimeout(patient(20_000));

test.each([
  ["X-HTTP-Method-Override", "responded"],
  ["x-http-method", "responded"],
  ["x-method-override", "responded"],
  ["x-method", "continue"],
])("a request with the field %s: %s", async (name, expected) => {
  const client = new Consumer();
  const statuses: number[] = [];
  client.start = ({ status }) => void statuses.push(status);
  const exchange = new ClientExchange(client, { fields: `${name}: DELETE\r\n` });
  expect(await createMethodOverridePolicy().request(exchange)).toBe(expected as "continue");
  expect(statuses).toEqual(expected === "responded" ? [400] : []);
});

const KEY = { type: "api_key", keys: [{ key: "0123456789abcdef0123456789abcdef", name: "c" }] };

/** The paths of routes that check the fields. */
function checked(routes: readonly Record<string, unknown>[], filters: readonly string[] = []): string[] {
  const { config, problems } = loadValue({
    upstreams: [{ name: "u", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: routes.map((route, at) => ({ upstream: "u", name: `route-${at}`, ...route })),
    wasm_filters: filters.map((match) => ({ match, module: "/nowhere.wasm" })),
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  // The provider reads the configuration alone.
  const feature = provideMethodOverride({ config } as FeatureParts);
  expect(feature.policy(undefined)).toBeUndefined();
  return config.routes.filter((route) => feature.policy(route) !== undefined).map(({ path_prefix: path }) => path);
}

test("guarded, filtered and cached routes check the fields", () => {
  const routes = [
    { path_prefix: "/key", auth: KEY },
    { path_prefix: "/filtered" },
    { path_prefix: "/cached", cache: {} },
    { path_prefix: "/plain" },
  ];
  expect(checked(routes, ["/filtered"])).toEqual(["/key", "/filtered", "/cached"]);
});

test("a route that gets methods which a guarded one does not take checks them too, above and below its path", () => {
  const guard = { path_prefix: "/m/b/c", match: { methods: ["DELETE"] }, auth: KEY };
  const open = ["/", "/m", "/m/b", "/m/b/c", "/m/b/c/d", "/m/b/x", "/m/a", "/z"].map((path) => ({ path_prefix: path }));
  expect(checked([guard, ...open]).toSorted()).toEqual(["/", "/m", "/m/b", "/m/b/c", "/m/b/c", "/m/b/c/d"]);
  const others = ["/a/a", "/m/a/a", "/y/y"].map((path) => ({ ...guard, path_prefix: path }));
  expect(checked([...others, guard, ...open.filter(({ path_prefix: path }) => path.startsWith("/m/b"))])).toEqual(
    expect.arrayContaining(["/m/b", "/m/b/c/d"]),
  );
  // Without methods, the guard takes all requests of its path.
  const all = { path_prefix: "/m/b/c", auth: KEY };
  expect(checked([all, ...open.filter((route) => route.path_prefix !== "/m/b/c")])).toEqual(["/m/b/c"]);
});
