import { atOnce } from "../../../lib/slices.ts";
import { expect, test } from "bun:test";
import { loadValue } from "../../config/load.ts";
import { type Config } from "../../config/config.ts";
import { guardLosses } from "./guard-losses.ts";

type Route = Readonly<Record<string, unknown>>;

const KEY = { type: "api_key", keys: [{ key: "k".repeat(20), name: "a" }] };
const PRICE = { price: "10000", asset: "USDC", network: "base-sepolia", pay_to: `0x${"1".repeat(40)}` };

function configOf(
  routes: readonly Route[],
  filters: readonly (readonly [match: string, module: string])[] = [],
  { static_root = "", test_mode = false, tls = {}, listeners = [] as readonly object[] } = {},
): Config {
  const { config, problems } = loadValue({
    server: { static_root, address: "127.0.0.1", port: 443, listeners },
    tls,
    x402: { enabled: true, facilitator_url: "http://127.0.0.1:1", test_mode },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
    routes: routes.map((route) =>
      "redirect" in route || "fixed_response" in route ? route : { upstream: "a", ...route },
    ),
    wasm_filters: filters.map(([match, module]) => ({ match, module })),
  });
  if (config === undefined) throw new Error(problems.map(({ message }) => message).join());
  return config;
}

function lossesOf(
  before: Config,
  after: Config,
  { changed, saved = before }: { changed?: number; saved?: Config } = {},
) {
  return atOnce(guardLosses({ before, after, saved, changed })).map(({ path, message }) => `${path} ${message}`);
}

const ROOT = { path_prefix: "/" };
const PAID = { path_prefix: "/paid", x402: PRICE };
const without = (guard: string, route: string): string =>
  `would serve requests without ${guard} of the route "${route}"`;

const CASES: readonly (readonly [
  what: string,
  before: readonly Route[],
  after: readonly Route[],
  losses: readonly string[],
])[] = [
  ["nothing changes", [ROOT, PAID], [ROOT, PAID], []],
  ["a price changes", [PAID], [{ ...PAID, x402: { ...PRICE, price: "1" } }], []],
  ["a price goes", [PAID], [{ path_prefix: "/paid" }], [`routes[0] ${without("the price", "/paid")}`]],
  [
    "a key goes",
    [{ ...ROOT, auth: KEY }],
    [{ ...ROOT, auth: { type: "anonymous" } }],
    [`routes[0] ${without("the authentication", "/")}`],
  ],
  [
    "a chain opens",
    [{ ...ROOT, auth: KEY }],
    [{ ...ROOT, auth: { type: "chain", methods: [KEY, { type: "none" }] } }],
    [`routes[0] ${without("the authentication", "/")}`],
  ],
  [
    "all consumers may pass",
    [{ ...ROOT, auth: { ...KEY, consumers: ["a"] } }],
    [{ ...ROOT, auth: KEY }],
    [`routes[0] ${without("the list of consumers", "/")}`],
  ],
  [
    "a limit and a schema go",
    [{ ...ROOT, rate_limit: {}, body_schema: {} }],
    [ROOT],
    [`routes[0] ${without("the rate limit and the body schema", "/")}`],
  ],
  ["a route above takes over", [ROOT, PAID], [ROOT], [`routes[0] ${without("the price", "/paid")}`]],
  ["no route takes over", [PAID], [], []],
  ["a redirect takes over", [PAID], [{ path_prefix: "/paid", redirect: { host: "a.test" } }], []],
  [
    "a route below takes a part",
    [PAID],
    [PAID, { path_prefix: "/paid/x" }],
    [`routes[1] ${without("the price", "/paid")}`],
  ],
  ["a route below takes a part on purpose", [PAID], [PAID, { path_prefix: "/paid/x", without: ["price"] }], []],
  [
    "a route of one host takes a part",
    [PAID],
    [PAID, { path_prefix: "/paid", host: "a.test" }],
    [`routes[1] ${without("the price", "/paid")}`],
  ],
  [
    "a route for every host takes paths of one host",
    [{ ...ROOT, host: "a.test", x402: PRICE }],
    [{ ...ROOT, host: "a.test", x402: PRICE }, { path_prefix: "/x" }],
    [`routes[1] would serve requests without the price of the route "/" of "a.test"`],
  ],
  ["a host gets a wildcard", [{ ...PAID, host: "a.test" }, ROOT], [{ ...PAID, host: "*.test" }, ROOT], []],
  [
    "a wildcard gets narrower",
    [{ ...PAID, host: "*.test" }, ROOT],
    [{ ...PAID, host: "a.test" }, ROOT],
    [`routes[1] would serve requests without the price of the route "/paid" of "*.test"`],
  ],
  [
    "a condition is added",
    [PAID, ROOT],
    [{ ...PAID, match: { methods: ["POST"] } }, ROOT],
    [`routes[1] ${without("the price", "/paid")}`],
  ],
  [
    "a conditional route takes a part",
    [PAID],
    [PAID, { path_prefix: "/paid", name: "get", match: { methods: ["GET"] } }],
    [`routes[1] ${without("the price", "/paid")}`],
  ],
  [
    "other methods change",
    [{ ...PAID, name: "p", match: { methods: ["POST"] } }, ROOT],
    [{ ...PAID, name: "p", match: { methods: ["POST"] } }, ROOT, { path_prefix: "/paid", match: { methods: ["GET"] } }],
    [],
  ],
  [
    "an exact path takes a part",
    [PAID],
    [PAID, { path_prefix: "/paid", name: "x", match: { exact_path: true } }],
    [`routes[1] ${without("the price", "/paid")}`],
  ],
  [
    "a refusal goes",
    [ROOT, { path_prefix: "/admin", fixed_response: { status: 403 } }],
    [ROOT],
    [`routes[0] ${without("the refusal", "/admin")}`],
  ],
];

for (const [what, before, after, losses] of CASES) {
  test(`guards are compared for every path and host: ${what}`, () => {
    expect(lossesOf(configOf(before), configOf(after))).toEqual([...losses]);
  });
}

test("a route that gets another prefix keeps the guards that it had, also its filters", () => {
  const before = configOf([{ path_prefix: "/a" }], [["/a", "waf.wasm"]]);
  const after = configOf([{ path_prefix: "/b" }], [["/a", "waf.wasm"]]);
  const loss = `routes[0] ${without("the filter waf.wasm", "/a")}`;
  expect(lossesOf(before, after, { changed: 0 })).toEqual([loss]);
  const withOther = configOf(
    [{ path_prefix: "/b" }],
    [
      ["/b", "log.wasm"],
      ["/a", "waf.wasm"],
    ],
  );
  expect(lossesOf(before, withOther, { changed: 0 })).toEqual([loss]);
});

test("a filter can be replaced by a new module, and not by no filter", () => {
  const before = configOf([ROOT], [["/", "waf-1.wasm"]]);
  expect(lossesOf(before, configOf([ROOT], [["/", "waf-2.wasm"]]))).toEqual([]);
  expect(lossesOf(before, configOf([ROOT], []))).toEqual([`routes[0] ${without("the filter waf-1.wasm", "/")}`]);
});

test("a guarded route that was deleted cannot come back without its guards", () => {
  const saved = configOf([PAID]);
  const after = configOf([{ path_prefix: "/paid" }]);
  expect(lossesOf(configOf([]), after, { saved })).toEqual([`routes[0] ${without("the price", "/paid")}`]);
});

test("static files that take the place of a guarded route are a loss, unless its methods get no file", () => {
  const files = { static_root: "/srv" };
  const after = configOf([], [], files);
  const loss = `server.static_root would serve files without the price of the route "/paid"`;
  expect(lossesOf(configOf([PAID], [], files), after)).toEqual([loss]);
  const narrower = [{ ...PAID, match: { headers: [{ name: "x-a", value: "1" }] } }];
  expect(lossesOf(configOf([PAID], [], files), configOf(narrower, [], files))).toEqual([loss]);
  const posts = [{ ...PAID, match: { methods: ["POST"] } }];
  expect(lossesOf(configOf(posts, [], files), after)).toEqual([]);
  expect(lossesOf(configOf([PAID], [], files), configOf([ROOT], [], files))).toEqual([
    `routes[0] ${without("the price", "/paid")}`,
  ]);
});

test("test mode takes the settlement from every price, and ends without a loss", () => {
  const [real, trial] = [configOf([PAID, ROOT]), configOf([PAID, ROOT], [], { test_mode: true })];
  expect(lossesOf(real, trial)).toEqual([`routes[0] ${without("the settlement of payments", "/paid")}`]);
  expect(lossesOf(trial, real)).toEqual([]);
  expect(lossesOf(trial, configOf([ROOT], [], { test_mode: true }))).toEqual([
    `routes[0] ${without("the price", "/paid")}`,
  ]);
});

test("100,000 pairs of path and host are compared, and a change of more must be forced", () => {
  const hosts = Array.from({ length: 249 }, (_, at) => ({ ...ROOT, host: `h${at}.test` }));
  // Each route without a host is compared for requests to any host, at its path and below it.
  const changing = (count: number, more: Route): Config =>
    configOf([...hosts, ...Array.from({ length: count }, (_, at) => ({ path_prefix: `/r${at}`, ...more }))]);
  const after = { auth: KEY };
  expect(lossesOf(changing(200, {}), changing(200, after))).toEqual([]);
  const tooMany = ["routes too many routes change to compare their guards"];
  expect(lossesOf(changing(201, {}), changing(201, after))).toEqual(tooMany);
  // Routes that stay as they are do not count.
  expect(lossesOf(changing(300, {}), changing(300, {}))).toEqual([]);
});

/** The steps of a comparison of this many routes with themselves. */
function stepsOf(count: number): number {
  const routes = Array.from({ length: count }, (_, at) => ({ path_prefix: `/r${at}` }));
  let steps = 0;
  const compared = { before: configOf(routes), after: configOf(routes), saved: configOf(routes) };
  for (const _ of guardLosses(compared)) steps += 1;
  return steps;
}

test("routes are compared in steps, between which requests are served", () => {
  // Each route of both configurations is looked for in the other one.
  expect(stepsOf(500) - stepsOf(0)).toBe(1000);
});

const openly = (place: string): string => `tls would serve ${place} without client certificates`;

test("a listener or host that no longer requires a client certificate is a loss", () => {
  const [files, ca] = [{ cert_path: "a.pem", key_path: "a.key" }, { client_ca_path: "ca.pem" }];
  const of = (tls: object, listeners: readonly object[] = []): Config =>
    configOf([ROOT], [], { tls: { ...files, ...tls }, listeners });
  const all = openly("127.0.0.1:443");
  expect(lossesOf(of({}), of(ca))).toEqual([]);
  expect(lossesOf(of(ca), of(ca))).toEqual([]);
  expect(lossesOf(of(ca), of({}))).toEqual([all]);
  expect(lossesOf(of(ca), of({ ...ca, client_cert_required: false }))).toEqual([all]);
  const host = { hosts: [{ hostnames: ["a.test"], ...ca }] };
  expect(lossesOf(of(host), of({}))).toEqual([openly("a.test at 127.0.0.1:443")]);
  expect(lossesOf(of(host), of(ca))).toEqual([]);
  const listener = { address: "127.0.0.1", port: 444, use_tls: true };
  const open = { ...listener, tls: { client_ca_path: "" } };
  expect(lossesOf(of(ca, [listener]), of(ca, [open]))).toEqual([openly("127.0.0.1:444")]);
  expect(lossesOf(of(ca, [listener]), of(ca, [{ ...listener, use_tls: false }]))).toEqual([openly("127.0.0.1:444")]);
  expect(lossesOf(of(ca, [listener]), of(ca, [{ ...listener, port: 445 }]))).toEqual([]);
});
