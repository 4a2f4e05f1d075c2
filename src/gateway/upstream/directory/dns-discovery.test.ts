import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../../test/support/program.ts";
import { hostsFileAddresses } from "../../../lib/net/hosts-file.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { serverKey } from "../member.ts";
import { DnsDiscovery } from "./dns-discovery.ts";
import { type DnsAnswer, DnsServer } from "./testing/dns-server.ts";

const INTERVAL_S = 30;

let clock: FakeClock;
let dns: DnsServer;
let discovery: DnsDiscovery | undefined;
let logged: string[];
/** The number of times that the list of servers changed. */
let changes: number;
/** The number of lookups that have ended. */
let heard: number;
let errors: unknown[];

beforeEach(async () => {
  clock = new FakeClock();
  dns = await DnsServer.start();
  logged = [];
  errors = [];
  changes = 0;
  heard = 0;
});

afterEach(() => {
  discovery?.close();
  discovery = undefined;
  dns.stop();
  expect(errors).toEqual([]);
});

function onError(error: unknown): void {
  errors.push(error);
}

function discover(hostname = "app.test", allowPrivate = true, nameservers = [dns.place]): DnsDiscovery {
  const settings = { hostname, port: 8080, interval_s: INTERVAL_S, nameservers };
  const made = new DnsDiscovery({ name: "u", allowPrivate }, settings, {
    wheel: new TimerWheel(clock, onError),
    buffers: plentyOfBuffers(),
    random: () => 1,
    log: (message) => logged.push(message),
    onError,
  });
  const { servers } = made;
  servers.onChange = () => changes++;
  const replace = servers.replace.bind(servers);
  const failed = servers.failed.bind(servers);
  servers.replace = (...args) => {
    replace(...args);
    heard++;
  };
  servers.failed = (...args) => {
    failed(...args);
    heard++;
  };
  discovery = made;
  return made;
}

function response(addresses: readonly string[], ttl = 300): () => DnsAnswer {
  return () => ({ addresses, ttl });
}

const FAILURE: DnsAnswer = { addresses: [], ttl: 0, code: 2 };
const NO_SUCH_NAME: DnsAnswer = { addresses: [], ttl: 0, code: 3 };

function keys(made: DnsDiscovery): string[] {
  return made.servers.list.map(({ endpoint }) => serverKey(endpoint));
}

/** Milliseconds until the next look-up. */
function nextMs(made: DnsDiscovery): number {
  return made.due - clock.time;
}

/** Moves the clock to the next look-up, which gets this response. */
async function next(made: DnsDiscovery, how: DnsServer["response"]): Promise<void> {
  dns.response = how;
  const before = heard;
  clock.advance(nextMs(made) + 20);
  await until("the look-up has ended", () => (heard > before ? true : undefined));
}

test("A and AAAA records give the list of servers, in the same order for any order of the response", async () => {
  dns.response = response(["10.0.0.2", "10.0.0.1", "fd00::1", "10.0.0.2"]);
  const made = discover();
  await made.servers.first;
  expect(keys(made)).toEqual(["10.0.0.1:8080", "10.0.0.2:8080", "[fd00::1]:8080"]);
  expect(made.servers.list.every(({ weight }) => weight === 1)).toBe(true);
  expect(dns.questions.toSorted()).toEqual(["A app.test", "AAAA app.test"]);
  await next(made, response(["fd00::1", "10.0.0.1", "10.0.0.2"]));
  expect(changes).toBe(1);
  expect(logged).toEqual([]);
});

test("a name with addresses of one family gives those addresses", async () => {
  dns.response = (type) => (type === "A" ? { addresses: ["10.0.0.1"], ttl: 60 } : { addresses: [], ttl: 0 });
  const made = discover();
  await made.servers.first;
  expect(keys(made)).toEqual(["10.0.0.1:8080"]);
  expect(logged).toEqual([]);
});

test("a name is looked up again after the shortest time to live, but not within a second, and at the latest after interval_s", async () => {
  dns.response = (type) => ({ addresses: ["10.0.0.1", "fd00::1"], ttl: type === "A" ? 7 : 9 });
  const made = discover();
  await made.servers.first;
  expect(nextMs(made)).toBe(7000);
  await next(made, (type) => ({ addresses: ["10.0.0.1", "fd00::1"], ttl: type === "A" ? 9 : 5 }));
  expect(nextMs(made)).toBe(5000);
  await next(made, response(["10.0.0.1"], 0));
  expect(nextMs(made)).toBe(1000);
  await next(made, response(["10.0.0.1"], 86_400));
  expect(nextMs(made)).toBe(INTERVAL_S * 1000);
});

test("the last good list stays while there is no response, and each failure is logged once", async () => {
  dns.response = response(["10.0.0.1", "10.0.0.2"]);
  const made = discover();
  await made.servers.first;
  for (const trouble of [FAILURE, FAILURE, NO_SUCH_NAME, NO_SUCH_NAME, { addresses: [], ttl: 0 }]) {
    await next(made, () => trouble);
    expect(keys(made)).toEqual(["10.0.0.1:8080", "10.0.0.2:8080"]);
  }
  await next(made, response(["10.0.0.3"]));
  expect(keys(made)).toEqual(["10.0.0.3:8080"]);
  expect(logged).toEqual([
    'upstream "u": DNS for "app.test": lookup failed (ESERVFAIL); the last 2 servers stay',
    'upstream "u": DNS for "app.test": lookup failed (there are no addresses of that name); the last 2 servers stay',
    'upstream "u": DNS for "app.test" responds again',
  ]);
  expect(changes).toBe(2);
});

test("a family whose query fails keeps its addresses while the other family changes", async () => {
  dns.response = response(["10.0.0.1", "fd00::1"]);
  const made = discover();
  await made.servers.first;
  await next(made, (type) => (type === "A" ? { addresses: ["10.0.0.2"], ttl: 60 } : FAILURE));
  expect(keys(made)).toEqual(["10.0.0.2:8080", "[fd00::1]:8080"]);
});

test("after failures, the pauses start short and grow up to interval_s", async () => {
  dns.response = () => FAILURE;
  const made = discover();
  await made.servers.first;
  const waits = [nextMs(made)];
  for (let i = 0; i < 6; i++) {
    await next(made, () => FAILURE);
    waits.push(nextMs(made));
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(logged).toEqual(['upstream "u": DNS for "app.test": lookup failed (ESERVFAIL); no server is known']);
  await next(made, response(["10.0.0.1"]));
  await next(made, () => FAILURE);
  expect(nextMs(made)).toBe(1000);
});

test("a query to a silent name server reaches its timeout after 5 s", async () => {
  dns.response = () => undefined;
  const made = discover();
  await until("it has asked", () => (dns.questions.length >= 2 ? true : undefined));
  expect(nextMs(made)).toBe(5000);
  clock.advance(5020);
  await made.servers.first;
  expect(logged).toEqual(['upstream "u": DNS for "app.test": lookup failed (it takes too long); no server is known']);
});

test("addresses beyond 256 are left out, and that is logged once", async () => {
  const many = Array.from({ length: 300 }, (_, i) => `10.0.${Math.floor(i / 100)}.${i % 100}`);
  dns.response = response(many.slice(0, 200));
  const made = discover();
  await made.servers.first;
  expect(keys(made)).toHaveLength(200);
  made.servers.replace(many.map((address) => ({ endpoint: { address, port: 1 }, weight: 1 })));
  made.servers.replace(many.toReversed().map((address) => ({ endpoint: { address, port: 1 }, weight: 1 })));
  expect(keys(made)).toHaveLength(256);
  expect(changes).toBe(2);
  expect(logged).toEqual(['upstream "u": DNS for "app.test": left out: 44 beyond the 256 that are used']);
});

test("private addresses are left out if the upstream forbids them, and that is logged once", async () => {
  dns.response = response(["10.0.0.1", "8.8.8.8", "::1", "2001:4860:4860::8888"]);
  const made = discover("app.test", false);
  await made.servers.first;
  await next(made, dns.response);
  expect(keys(made)).toEqual(["8.8.8.8:8080", "[2001:4860:4860::8888]:8080"]);
  expect(logged).toEqual([
    'upstream "u": DNS for "app.test": left out: 2 on private addresses, which allow_private forbids',
  ]);
});

test("search domains are not used, and an address stands for itself", async () => {
  dns.response = response(["10.0.0.1"]);
  await discover("app").servers.first;
  expect(dns.questions.toSorted()).toEqual(["A app", "AAAA app"]);
  const made = discover("::1");
  await made.servers.first;
  expect(keys(made)).toEqual(["[::1]:8080"]);
  expect(dns.questions).toHaveLength(2);
});

test("the result of a look-up is dropped if its discovery was closed meanwhile", async () => {
  dns.response = () => undefined;
  const made = discover();
  await until("it has asked", () => (dns.questions.length >= 2 ? true : undefined));
  made.close();
  await Bun.sleep(0);
  expect([heard, made.due]).toEqual([0, Number.POSITIVE_INFINITY]);
});

test("a name in the system's hosts file is found there, unless name servers are configured", () => {
  const [address = ""] = hostsFileAddresses("localhost");
  expect(address).not.toBe("");
  const made = discover("localhost", true, []);
  expect(keys(made)).toContain(serverKey({ address, port: 8080 }));
  // The next time is that of the interval: no question is under way.
  expect(nextMs(made)).toBe(INTERVAL_S * 1000);
  discovery?.close();
  expect(keys(discover("localhost"))).toEqual([]);
});
