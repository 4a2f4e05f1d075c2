import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { configDelta, withDelta } from "./config-delta.ts";

function configOf(prefixes: readonly number[]): Config {
  const { config } = loadValue({
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9 }] }],
    routes: prefixes.map((prefix) => ({ path_prefix: `/${prefix}`, upstream: "a" })),
  });
  if (config === undefined) throw new Error("the configuration is right");
  return config;
}

test("when routes are added, removed or moved, the other process gets the same configuration", () => {
  const places = fc.uniqueArray(fc.nat(20));
  fc.assert(
    fc.property(places, places, (had, has) => {
      const base = configOf(had);
      const routes = new Map(base.routes.map((route) => [route.path_prefix, route]));
      const fresh = configOf(has);
      const next = { ...fresh, routes: fresh.routes.map((route) => routes.get(route.path_prefix) ?? route) };
      const told = structuredClone(configDelta(base, next));
      expect(withDelta(structuredClone(base), told)).toEqual(next);
      expect(withDelta(undefined, structuredClone(configDelta(undefined, next)))).toEqual(next);
    }),
  );
});

test("routes beside one that does not inherit its defaults keep theirs", () => {
  const whole = configOf([1, 2, 3]);
  const [first, ...others] = whole.routes;
  const own = Object.assign({}, Object.getPrototypeOf(first), first);
  for (const routes of [
    [own, ...others],
    [...others, own],
  ]) {
    const told = structuredClone(configDelta(undefined, { ...whole, routes }));
    expect(withDelta(undefined, told).routes.map(({ auth }) => auth)).toEqual(routes.map(({ auth }) => auth));
  }
});

test("of 10,000 routes, only the changed one is sent", () => {
  const base = configOf(Array.from({ length: 10_000 }, (_, i) => i));
  const [route] = configOf([10_000]).routes;
  if (route === undefined) throw new Error("there is a route");
  const { runs } = configDelta(base, { ...base, routes: [...base.routes.toSpliced(5000, 1), route] });
  expect(runs).toEqual([{ from: 0, count: 5000 }, { from: 5001, count: 4999 }, { route }]);
});
