import { afterAll, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { openStore } from "../../store/open/open-store.ts";
import { type ChainSettings, readChains } from "./chain-settings.ts";
import { chooseFacilitators, type FacilitatorDeps } from "./create-facilitator.ts";
import { createEmbeddedFacilitator } from "../evm/embedded-facilitator.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { until } from "../../lib/testing/until.ts";
import { type FacilitatorObserver } from "./facilitator-observer.ts";
import { type FacilitatorsSettings, Facilitators } from "./facilitators.ts";
import { type PaymentPayload } from "../x402/messages.ts";
import { addressOfPrivateKey, signHash } from "../signatures/signature.ts";
import { CHAIN_SETUP_MS, hasChain, startChain } from "../testing/chain.ts";
import { PAYER, PRIVATE_KEY, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { authorizationHash } from "../signatures/typed-data.ts";

const NOW_MS = 1_800_000_000_000;
const store = openStore(":memory:", () => NOW_MS);
afterAll(() => store.close());

const SETTINGS: FacilitatorsSettings = {
  facilitator_url: "https://facilitator.example/x402",
  facilitators: [],
  facilitator_timeout_ms: 5000,
  facilitator_refresh_s: 600,
  facilitator_headers: [{ name: "Authorization", value_env: "FACILITATOR_TOKEN" }],
  test_mode: false,
  embedded: { enabled: false },
  chains: [],
};

const CHAIN: ChainSettings = {
  network: "base-sepolia",
  rpc_url_env: "RPC",
  timeout_ms: 5000,
  poll_ms: 20,
  confirmations: 1,
  receipt_timeout_ms: 10_000,
  max_fee_per_gas: "5000000000",
  max_gas: 300_000,
  native_price: "",
};

const DEPS: FacilitatorDeps = {
  simulatedTransfers: () => store.simulatedTransfers,
  now: () => NOW_MS,
  environment: { FACILITATOR_TOKEN: "Bearer secret" },
  embedded: () => {
    throw new Error("there is none");
  },
};

test("a configuration without a facilitator sells nothing", () => {
  expect(() => chooseFacilitators({ ...SETTINGS, facilitator_url: "" }, "")).toThrow(
    "x402.facilitator_url is not set, x402.embedded is off, and so is x402.test_mode",
  );
  expect(() => chooseFacilitators({ ...SETTINGS, facilitator_url: "file:///secret" }, "")).toThrow(
    /is not an http or https URL$/,
  );
});

test("the order is test mode, the route's own facilitator, the embedded one, the common one", () => {
  const embedded = { enabled: true };
  const own = "https://own.example";
  const kinds = [
    chooseFacilitators({ ...SETTINGS, embedded, test_mode: true }, own),
    chooseFacilitators({ ...SETTINGS, embedded }, own),
    chooseFacilitators({ ...SETTINGS, embedded }, ""),
    chooseFacilitators(SETTINGS, ""),
  ].map(([choice]) => (choice?.kind === "http" ? choice.url : choice?.kind));
  expect(kinds).toEqual(["simulated", own, "embedded", SETTINGS.facilitator_url]);
});

/** Number of secret headers that a route's facilitator receives; -1 if it is not an HTTP facilitator. */
function headersOf(url: string, globalUrl = SETTINGS.facilitator_url): number {
  const [choice] = chooseFacilitators({ ...SETTINGS, facilitator_url: globalUrl }, url);
  return choice?.kind === "http" ? choice.headers.length : -1;
}

test("only the origin of the common facilitator receives its headers", () => {
  expect([headersOf(""), headersOf("https://facilitator.example/other")]).toEqual([1, 1]);
  expect([headersOf("https://own.example"), headersOf("http://facilitator.example/x402")]).toEqual([0, 0]);
  expect([headersOf("https://own.example", ""), headersOf("unix:/a", "unix:/b")]).toEqual([1, 0]);
});

function make(environment: Record<string, string>, chains: readonly ChainSettings[] = []) {
  return pool(environment)
    .lease({ ...SETTINGS, chains })
    .forRoute("");
}

test("a secret that is missing or not a valid field value stops the start, and the error does not repeat it", () => {
  const at = "Cannot use x402.facilitator_headers[0].value_env";
  expect(() => make({})).toThrow(`${at}: the environment variable FACILITATOR_TOKEN is not set`);
  expect(() => make({ FACILITATOR_TOKEN: "secret\r\nx: y" })).toThrow(
    `${at}: the value of the environment variable FACILITATOR_TOKEN is not a valid field value`,
  );
  expect(() => make({ FACILITATOR_TOKEN: "a" }, [CHAIN])).toThrow(
    "Cannot use x402.chains[0].rpc_url_env: the environment variable RPC is not set",
  );
});

test("if a secret is missing, no facilitator is asked for its kinds", async () => {
  let asked = 0;
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => ((asked += 1), Response.json({ kinds: [] })),
  });
  const url = server.url.origin;
  const settings = { ...SETTINGS, facilitator_url: url };
  const headers = [{ name: "Authorization", value_env: "NOT_SET" }];
  const listed = [
    { name: "first", url, headers: [] },
    { name: "second", url, headers },
  ];
  const facilitators = pool();
  const leases = [{ chains: [CHAIN] }, { facilitators: listed }].map((changes) =>
    facilitators.lease({ ...settings, ...changes }),
  );
  for (const lease of leases) expect(() => lease.forRoute("")).toThrow("is not set");
  const sound = facilitators.lease({ ...settings, facilitator_headers: [] });
  await sound.forRoute("").kinds.renew();
  expect([asked, facilitators.size]).toEqual([1, 1]);
  sound.close();
});

const silent: FacilitatorObserver = { asked() {}, breakerChanged() {} };

function pool(environment: Record<string, string> = { FACILITATOR_TOKEN: "a" }) {
  return new Facilitators({ ...DEPS, environment, random: () => 0.5, observer: silent, log() {} });
}

test("configurations share facilitators with equal settings, and the last configuration closes them", () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const facilitators = pool();
  const settings = { ...SETTINGS, facilitator_url: server.url.origin };
  const first = facilitators.lease(settings);
  const second = facilitators.lease({ ...settings });
  expect(first.forRoute("")).toBe(first.forRoute(""));
  expect(second.forRoute("")).toBe(first.forRoute(""));
  expect(first.forRoute(`${server.url.origin}/other`)).not.toBe(first.forRoute(""));
  const third = facilitators.lease({ ...settings, facilitator_timeout_ms: 4000 });
  expect(third.forRoute("")).not.toBe(first.forRoute(""));
  expect(facilitators.size).toBe(3);
  first.close();
  first.close();
  expect(facilitators.size).toBe(2);
  second.close();
  third.close();
  expect(facilitators.size).toBe(0);
  void server.stop(true);
});

test("a changed secret creates another facilitator", () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const environment = { FACILITATOR_TOKEN: "a" };
  const facilitators = pool(environment);
  const settings = { ...SETTINGS, facilitator_url: server.url.origin };
  const before = facilitators.lease(settings);
  const facilitator = before.forRoute("");
  environment.FACILITATOR_TOKEN = "b";
  const after = facilitators.lease(settings);
  expect(after.forRoute("")).not.toBe(facilitator);
  before.close();
  after.close();
  void server.stop(true);
});

test("calls to facilitators are counted by their outcome", async () => {
  const counted: string[] = [];
  const observer: FacilitatorObserver = {
    asked: (operation, outcome) => void counted.push(`${operation} ${outcome}`),
    breakerChanged() {},
  };
  const facilitators = new Facilitators({ ...DEPS, random: () => 0.5, observer, log() {} });
  const lease = facilitators.lease({ ...SETTINGS, test_mode: true });
  const { facilitator, kinds } = lease.forRoute("");
  await kinds.renew();
  const payment = signedPayment(NOW_MS / 1000);
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER, by: "test" });
  await facilitator.settle(payment, REQUIREMENTS);
  await facilitator.find(payment, REQUIREMENTS);
  await facilitator.verify(payment, REQUIREMENTS);
  expect(counted).toEqual(["supported ok", "verify ok", "settle ok", "find ok", "verify refused"]);
  lease.close();
});

test("a facilitator whose circuit breaker is open comes after the next one, and the log names it", async () => {
  const logged: string[] = [];
  const changed: unknown[] = [];
  let isDown = false;
  const kinds = [{ x402Version: 2, scheme: REQUIREMENTS.scheme, network: REQUIREMENTS.network }];
  const respond = () => Response.json({ kinds });
  const at = { port: 0, hostname: "127.0.0.1" };
  using first = Bun.serve({ ...at, fetch: () => (isDown ? new Response("", { status: 503 }) : respond()) });
  using second = Bun.serve({ ...at, fetch: respond });
  const observer: FacilitatorObserver = { asked() {}, breakerChanged: (...change) => void changed.push(change) };
  const log = (message: string) => void logged.push(message);
  const facilitators = new Facilitators({ ...DEPS, random: () => 0.5, observer, log });
  const listed = [first, second].map(({ url }, i) => ({ name: `f${i}`, url: url.origin, headers: [] }));
  const settings = { ...SETTINGS, facilitator_refresh_s: 0.01 };
  const leases = [listed, listed.slice(0, 1)].map((some) => facilitators.lease({ ...settings, facilitators: some }));
  const [order, alone] = leases.map((lease) => lease.forRoute(""));
  await order?.kinds.renew();
  await alone?.kinds.renew();
  const preferred = () => order?.facilitator.assign(signedPayment(NOW_MS / 1000), REQUIREMENTS, "");
  const preferences = [preferred()];
  for (const [count, down] of [true, false].entries()) {
    isDown = down;
    await until(() => changed.length === 2 * (count + 1));
    preferences.push(preferred());
  }
  for (const lease of leases) lease.close();
  expect(preferences).toEqual(["f0", "f1", "f0"]);
  const opened = [true, { name: "f0", place: 0 }];
  const closed = [false, { name: "f0", place: 0 }];
  expect(changed).toEqual([opened, opened, closed, closed]);
  const failure = "Cannot query what the facilitator supports: it responded with 503";
  expect(logged.slice(0, 2).toSorted()).toEqual([`payment: ${failure}`, `payment: f0: ${failure}`]);
});

test.skipIf(!hasChain)(
  "if chains are configured, the chain decides the outcome of a payment",
  async () => {
    const chain = await startChain();
    const token = await chain.deployToken();
    await token.mint(PAYER, 10_000n);
    const key = `0x${"11".repeat(32)}`;
    await chain.fund(addressOfPrivateKey(hexToBytes(key.slice(2))));
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ kinds: [] }) });
    const chains = [{ ...CHAIN, network: chain.network }];
    const settings = { ...SETTINGS, facilitator_url: server.url.origin, facilitator_headers: [], chains };
    const deps = { ...DEPS, now: Date.now, environment: { RPC: chain.rpcUrl } };
    const asked: unknown[] = [];
    const observer: FacilitatorObserver = { ...silent, asked: (...call) => void asked.push(call) };
    const facilitators = new Facilitators({ ...deps, random: () => 0.5, observer, log() {} });
    using timers = watchTimers();
    const lease = facilitators.lease(settings);
    const { facilitator } = lease.forRoute("");
    // The kinds are looked at every ten minutes.
    await until(() => timers.pending(600_000) === 1);
    const own = createEmbeddedFacilitator({
      chains: readChains(chains, deps.environment),
      signers: [{ type: "key", key }],
      max_pending: 1,
    });
    const { name, version, address: asset } = token;
    const requirements = { ...REQUIREMENTS, network: chain.network, asset, extra: { name, version } };
    const { authorization } = signedPayment(Date.now() / 1000).payload;
    const hash = authorizationHash({ name, version, network: chain.network, asset }, authorization);
    const signature = signHash(hash, hexToBytes(PRIVATE_KEY.slice(2)));
    const payment: PaymentPayload = { x402Version: 2, accepted: requirements, payload: { signature, authorization } };
    asked.length = 0;
    expect(await facilitator.find(payment, requirements)).toEqual({ kind: "unspent" });
    expect(asked).toEqual([["find", "ok"]]);
    const settlement = await own.settle(payment, requirements);
    expect(settlement.kind).toBe("settled");
    expect<object>(await facilitator.find(payment, requirements)).toMatchObject(settlement);
    // The chain of another network is not configured, so the facilitator is asked.
    expect(await facilitator.find(payment, { ...requirements, network: "eip155:1" })).toEqual({
      kind: "unknown",
      cause: "no chain is configured",
    });
    await own.close();
    lease.close();
    await server.stop(true);
    await chain.close();
  },
  CHAIN_SETUP_MS,
);
