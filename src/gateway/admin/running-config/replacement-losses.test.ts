import { expect, test } from "bun:test";
import { atOnce } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { replacementLosses } from "./replacement-losses.ts";

const PRICE = { price: "10000", asset: "USDC", network: "base-sepolia", pay_to: `0x${"1".repeat(40)}` };
const ADMIN = { enabled: true, api_key: "k".repeat(32) };

function configOf(parts: object): Config {
  const { config, problems } = loadValue({
    x402: { enabled: true, facilitator_url: "http://127.0.0.1:1" },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
    ...parts,
  });
  if (config === undefined) throw new Error(problems.map(({ message }) => message).join());
  return config;
}

const route = (path_prefix: string, more: object = {}): object => ({ path_prefix, upstream: "a", ...more });
const lossesOf = (before: object, after: object) => atOnce(replacementLosses(configOf(before), configOf(after)));

test("a partial document loses the admin interface and the routes that it leaves out", () => {
  const before = {
    admin: ADMIN,
    routes: [route("/"), route("/paid", { x402: PRICE }), route("/", { host: "a.test" })],
  };
  expect(lossesOf(before, { compression: { enabled: true } })).toEqual([
    { path: "admin", message: "would close the admin interface" },
    { path: "routes", message: 'would drop 3 of 3 routes, 1 of them paid: "/", "/paid", "/" of "a.test"' },
  ]);
  expect(lossesOf(before, { ...before, routes: before.routes.slice(0, 2) })).toEqual([
    { path: "routes", message: 'would drop 1 of 3 routes: "/" of "a.test"' },
  ]);
});

test("a whole document with other values, conditions and additional routes loses nothing", () => {
  const before = { admin: ADMIN, routes: [route("/"), route("/x")] };
  const exact = route("/x", { match: { exact_path: true } });
  expect(lossesOf(before, { ...before, routes: [route("/"), exact, route("/y")] })).toEqual([]);
  expect(lossesOf(before, { ...before, routes: [route("/"), route("/renamed")] })).toEqual([]);
  expect(lossesOf({ routes: [] }, before)).toEqual([]);
});

test("of many lost routes the first are named", () => {
  const routes = Array.from({ length: 8 }, (_, i) => route(`/${i}`));
  expect(lossesOf({ routes }, {})).toEqual([
    { path: "routes", message: 'would drop 8 of 8 routes: "/0", "/1", "/2", "/3", "/4", …' },
  ]);
});
