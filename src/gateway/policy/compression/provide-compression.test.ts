import { expect, test } from "bun:test";
import { type RouteConfig } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { provideCompression } from "./provide-compression.ts";

/** Whether a route, with or without values of its own, has a policy. */
function policies(common: object | undefined): boolean[] {
  const { config } = loadValue(common === undefined ? {} : { compression: common });
  if (config === undefined) throw new Error("Cannot load the configuration");
  // The provider reads the configuration alone.
  const feature = provideCompression({ config } as FeatureParts);
  // No other member is read.
  const routes = [{}, { compression: { enabled: true } }, { compression: { enabled: false } }] as RouteConfig[];
  return routes.map((route) => feature.policy(route) !== undefined);
}

test("a route is compressed by the values of the gateway, or by its own", () => {
  expect(policies(undefined)).toEqual([false, true, false]);
  expect(policies({})).toEqual([true, true, false]);
  expect(policies({ enabled: false })).toEqual([false, true, false]);
});
