import { expect, test } from "bun:test";
import { inSlices } from "../../../../lib/slices.ts";
import { PAYEE } from "../../../../payments/testing/payment.ts";
import { type Config } from "../../../config/config.ts";
import { type Diagnostic } from "../../../config/diagnostic.ts";
import { loadValue } from "../../../config/load.ts";
import { challengeProblems } from "./check-challenges.ts";

const SOLD = { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYEE } as const;
const BASE_URL = "http://shop.example";
const TOO_LONG = /^Cannot accept payments: the challenge has \d+ characters, and a header field can have 8192$/;

/** A configuration whose challenges have `bytes` more than usual. */
function configOf(routes: readonly object[], bytes = 0): Config {
  const template = JSON.stringify({ extensions: { long: "x".repeat(bytes) } });
  const { config, problems } = loadValue({
    server: { address: "127.0.0.1" },
    x402: { enabled: true, test_mode: true, payment_required_b64: Buffer.from(template).toString("base64") },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
    routes: routes.map((route) => ({ upstream: "a", ...route })),
  });
  if (config === undefined) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join());
  return config;
}

async function problemsOf(
  { routes, x402 }: Config,
  known: ReadonlySet<unknown> = new Set(),
  baseUrl = BASE_URL,
): Promise<readonly Diagnostic[]> {
  return await inSlices(challengeProblems({ routes, x402, baseUrl }, known));
}

/** The most further bytes with which the challenges of these routes fit. */
async function room(routes: readonly object[]): Promise<number> {
  let [fits, not] = [0, 8192];
  while (not - fits > 1) {
    const middle = Math.floor((fits + not) / 2);
    if ((await problemsOf(configOf(routes, middle))).length === 0) fits = middle;
    else not = middle;
  }
  return fits;
}

/** A route whose path has this many characters after the slash. */
const route = (length: number, more: object = {}) => ({
  path_prefix: `/${"p".repeat(length)}`,
  x402: { ...SOLD, ...more },
});

test("of routes with the same terms, exactly those whose challenge is too long are named", async () => {
  const most = await room([route(20)]);
  const routes = [route(19), route(40), { path_prefix: "/free" }, route(20), route(21), route(1, { description: "d" })];
  const problems = await problemsOf(configOf(routes, most));
  const alone = await Promise.all(routes.map(async (one) => (await problemsOf(configOf([one], most))).length > 0));
  expect(routes.map((_, i) => problems.some(({ path: at }) => at === `routes[${i}].x402`))).toEqual(alone);
  expect([alone[0], alone[1], alone[3]]).toEqual([false, true, false]);
  for (const { message } of problems) expect(message).toMatch(TOO_LONG);
});

test("a long description counts as a long path does, and so does a URL of the route's own", async () => {
  const short = { path_prefix: "/a", x402: SOLD };
  const most = await room([short]);
  for (const long of [
    { path_prefix: "/b", x402: { ...SOLD, description: "x".repeat(300) } },
    { path_prefix: "/b", x402: { ...SOLD, resource_url: `https://shop.example/${"x".repeat(300)}` } },
    { path_prefix: `/${"b".repeat(300)}`, x402: SOLD },
  ]) {
    for (const routes of [
      [short, long],
      [long, short],
    ]) {
      const problems = await problemsOf(configOf(routes, most));
      expect(problems.map(({ path }) => path)).toEqual([`routes[${routes.indexOf(long)}].x402`]);
    }
  }
});

test("the challenge of a route with rules must fit with the longest amounts that its rules can have", async () => {
  const plain = { path_prefix: "/a", x402: SOLD };
  const rules = { path_prefix: "/a", x402: { ...SOLD, rules: [{ when: { methods: ["GET"] }, price: "$0.02" }] } };
  const [most, less] = [await room([plain]), await room([rules])];
  // The amount is in the header once: 78 digits in place of 5.
  expect(most - less).toBeGreaterThanOrEqual(70);
});

test("routes whose challenges are known to fit are not checked again", async () => {
  const config = configOf([{ path_prefix: "/a", x402: SOLD }], 8192);
  expect(await problemsOf(config, new Set(config.routes))).toEqual([]);
  const again = configOf([{ path_prefix: "/a", x402: SOLD }], 8192);
  expect(await problemsOf(again)).toHaveLength(1);
  // The result is kept with the routes, for the same URLs.
  expect(await problemsOf(again, new Set(again.routes))).toHaveLength(1);
  expect(await problemsOf(again, new Set(again.routes), "http://other.example")).toEqual([]);
});
