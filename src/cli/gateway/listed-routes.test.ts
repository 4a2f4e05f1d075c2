import { expect, test } from "bun:test";
import { withOwnParts } from "../../gateway/config/own-parts.ts";
import { readListings } from "./listed-routes.ts";

const LISTINGS = { "/read": { description: "Read a page", bazaar: { info: 1 } } };
const PRICED = { path_prefix: "/read", upstream: "content", x402: { price: "$1" } };

function routes(...given: unknown[]): unknown {
  const config: unknown = withOwnParts({ routes: given }, { upstream: { name: "content" }, listings: LISTINGS });
  return typeof config === "object" && config !== null && "routes" in config ? config.routes : undefined;
}

test("a priced route of the content service gets the description of its operation", () => {
  expect(routes(PRICED)).toEqual([
    { ...PRICED, x402: { price: "$1", description: "Read a page", extensions: { bazaar: { info: 1 } } } },
  ]);
});

test("values that a route already has stay", () => {
  const own = { ...PRICED, x402: { price: "$1", description: "Mine", extensions: { bazaar: {}, other: 2 } } };
  expect(routes(own)).toEqual([own]);
});

test("other routes stay unchanged", () => {
  for (const route of [
    { ...PRICED, upstream: "shop" },
    { path_prefix: "/read", upstream: "content" },
    { ...PRICED, path_prefix: "/toString" },
    { ...PRICED, x402: { extensions: 5 } },
    "junk",
  ]) {
    expect(routes(route)).toEqual([route]);
  }
});

test("an invalid configuration stays unchanged", () => {
  for (const value of [undefined, null, 5, [], { upstreams: 5 }, { upstreams: {}, routes: {} }]) {
    expect(withOwnParts(value, { upstream: { name: "content" }, listings: LISTINGS })).toEqual(value);
  }
});

test("the content service does not take the place of its deleted upstream", () => {
  const deleted = { name: "content", servers: [], deleted: true };
  const own = { upstream: { name: "content", servers: [{ unix: "/s" }] } };
  expect(withOwnParts({ upstreams: [deleted] }, own)).toEqual({ upstreams: [deleted] });
});

test("the shipped list has every operation that has a price", async () => {
  expect(Object.keys(await readListings()).length).toBeGreaterThan(5);
});
