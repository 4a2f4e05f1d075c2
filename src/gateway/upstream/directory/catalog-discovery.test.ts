import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../../test/support/program.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { serverKey } from "../member.ts";
import { CatalogDiscovery } from "./catalog-discovery.ts";
import { Catalog } from "./testing/catalog.ts";

const INTERVAL_S = 15;
const TOKEN = "f00d-hunter2";
const WEB = "/v1/health/service/web%20app?passing=1";

let clock: FakeClock;
let catalog: Catalog;
let discovery: CatalogDiscovery | undefined;
let logged: string[];
let changes: number;
let errors: unknown[];

beforeEach(() => {
  clock = new FakeClock();
  catalog = new Catalog();
  logged = [];
  errors = [];
  changes = 0;
});

afterEach(async () => {
  discovery?.close();
  discovery = undefined;
  await catalog.stop();
  expect(errors).toEqual([]);
  expect(logged.join()).not.toContain(TOKEN);
});

function onError(error: unknown): void {
  errors.push(error);
}

function discover(token = "", allowPrivate = true): CatalogDiscovery {
  const settings = { service: "web app", address: "127.0.0.1", port: catalog.port, interval_s: INTERVAL_S, token };
  discovery = new CatalogDiscovery({ name: "u", allowPrivate }, settings, {
    wheel: new TimerWheel(clock, onError),
    buffers: plentyOfBuffers(),
    random: () => 1,
    log: (message) => logged.push(message),
    onError,
  });
  discovery.servers.onChange = () => changes++;
  return discovery;
}

function keys(made: CatalogDiscovery): string[] {
  return made.servers.list.map(({ endpoint, weight }) => `${serverKey(endpoint)} ${weight}`);
}

function found(made: CatalogDiscovery, expected: readonly string[]): Promise<true> {
  return until(`found: ${expected.join()}`, () => (Bun.deepEquals(keys(made), expected) ? true : undefined));
}

/** Moves the clock to the next query, if no query is under way. */
function proceed(): void {
  const { due } = discovery ?? {};
  if (due !== undefined && Number.isFinite(due)) clock.advance(due - clock.time + 10);
}

/** Lets the next query begin, which may have to wait for its turn. Returns when the query waits for a change. */
async function waits(): Promise<void> {
  await until("a query waits", () => {
    proceed();
    return catalog.waiting.size > 0 ? true : undefined;
  });
}

test("services that pass are found with their weights, and a change is noticed at once", async () => {
  catalog.set([
    { address: "10.0.0.2", port: 80, weight: 3 },
    { address: "", nodeAddress: "10.0.0.1", port: 81 },
    { address: "10.0.0.3", port: 80, passing: false },
  ]);
  const made = discover();
  await made.servers.first;
  expect(keys(made)).toEqual(["10.0.0.1:81 1", "10.0.0.2:80 3"]);
  await waits();
  expect(catalog.queries).toEqual([WEB, `${WEB}&index=11&wait=15s`]);
  catalog.set([{ address: "10.0.0.4", port: 80 }]);
  await found(made, ["10.0.0.4:80 1"]);
  await waits();
  expect(catalog.queries.at(-1)).toBe(`${WEB}&index=12&wait=15s`);
  expect(logged).toEqual([]);
});

test("a query that reached the end of its wait is sent again, and nothing has changed", async () => {
  catalog.set([{ address: "10.0.0.1", port: 80 }]);
  const made = discover();
  for (let i = 0; i < 5; i++) {
    await waits();
    clock.advance(INTERVAL_S * 1000);
    const asked = catalog.queries.length;
    catalog.wake();
    await until("it has its response, and the next one is sent", () => {
      proceed();
      return catalog.queries.length > asked ? true : undefined;
    });
  }
  expect(catalog.queries).toHaveLength(7);
  expect(changes).toBe(1);
  expect(keys(made)).toEqual(["10.0.0.1:80 1"]);
});

test("a response without passing services is valid: all servers are removed", async () => {
  catalog.set([{ address: "10.0.0.1", port: 80 }]);
  const made = discover();
  await made.servers.first;
  await waits();
  catalog.set([]);
  await found(made, []);
});

test("an index that goes backwards is reset, and an index of 0 becomes 1", async () => {
  catalog.set([{ address: "10.0.0.1", port: 80 }], 500);
  const made = discover();
  await waits();
  catalog.set([{ address: "10.0.0.2", port: 80 }], 7);
  await found(made, ["10.0.0.2:80 1"]);
  await waits();
  expect(catalog.queries).toEqual([WEB, `${WEB}&index=500&wait=15s`, WEB, `${WEB}&index=7&wait=15s`]);
});

test("an index of 0 is never sent", async () => {
  catalog.set([], 0);
  discover();
  await waits();
  expect(catalog.queries).toEqual([WEB, `${WEB}&index=1&wait=15s`]);
});

const MOST_DIGITS = "9".repeat(20);

test.each([
  ["", ""],
  ["17x", ""],
  ["x17", ""],
  [`${MOST_DIGITS}9`, ""],
  [MOST_DIGITS, `&index=${MOST_DIGITS}&wait=15s`],
])("after the index %j, the query has %j", async (index, part) => {
  const indexes = ["12", index];
  catalog.intercept = () => Response.json([], { headers: { "X-Consul-Index": indexes.shift() ?? "" } });
  discover();
  await until("three queries were sent", () => {
    proceed();
    return catalog.queries[2];
  });
  expect(catalog.queries.slice(0, 3)).toEqual([WEB, `${WEB}&index=12&wait=15s`, WEB + part]);
  expect(logged).toEqual([]);
});

test("a constantly changing service, or a catalog that does not wait, is queried once per interval after two early responses", async () => {
  catalog.intercept = () => Response.json([]);
  const made = discover();
  const rests: number[] = [];
  for (let count = 1; count <= 5; count++) {
    await until("the next query is planned", () =>
      catalog.queries.length === count && Number.isFinite(made.due) ? true : undefined,
    );
    rests.push(made.due - clock.time);
    proceed();
    await until("the next query is sent", () => (catalog.queries.length > count ? true : undefined));
  }
  // The second query is sent at once. Each further one is sent an interval after the one before. `proceed` is 10 ms late.
  const later = INTERVAL_S * 1000 - 10;
  expect(rests.map(Math.round)).toEqual([0, later, later, later, later]);
  expect(new Set(catalog.queries)).toEqual(new Set([WEB]));
});

const TROUBLES: readonly { what: string; response: () => Response; reason: string }[] = [
  {
    what: "an error",
    response: () => new Response("rpc error: No cluster leader", { status: 500 }),
    reason: "status 500",
  },
  {
    what: "a refusal",
    response: () => new Response(`token ${TOKEN} lacks permission`, { status: 403 }),
    reason: "status 403",
  },
  { what: "no list", response: () => new Response("<html>"), reason: "the response is not a list of services" },
  {
    what: "more than 8 MiB",
    response: () => new Response(`[${" ".repeat(8 * 1024 * 1024)}]`),
    reason: "the response is longer than 8388608 bytes",
  },
];

for (const { what, response, reason } of TROUBLES) {
  test(`the last list stays if the response is ${what}, which is logged once`, async () => {
    catalog.set([{ address: "10.0.0.1", port: 80 }]);
    const made = discover(TOKEN);
    await made.servers.first;
    catalog.intercept = response;
    await until("there was trouble three times", () => {
      proceed();
      return catalog.queries.length >= 4 ? true : undefined;
    });
    expect(keys(made)).toEqual(["10.0.0.1:80 1"]);
    catalog.intercept = undefined;
    catalog.set([{ address: "10.0.0.2", port: 80 }]);
    await until("it answers again", () => {
      proceed();
      return keys(made)[0] === "10.0.0.2:80 1" ? true : undefined;
    });
    const name = 'upstream "u": catalog for "web app"';
    expect(logged).toEqual([`${name}: lookup failed (${reason}); the last server stays`, `${name} responds again`]);
  });
}

test("after a good response, the pauses start short again", async () => {
  const statuses = [500, 500, 200, 500];
  catalog.intercept = () => Response.json([], { status: statuses[catalog.queries.length - 1] ?? 200 });
  const made = discover();
  const pauses: number[] = [];
  for (let count = 1; count <= statuses.length; count++) {
    await until("the next query is planned", () => {
      if (catalog.queries.length < count) proceed();
      return catalog.queries.length === count && Number.isFinite(made.due) ? true : undefined;
    });
    pauses.push(made.due - clock.time);
    clock.advance(made.due - clock.time + 10);
  }
  expect(pauses.map((ms) => Math.round(ms / 1000))).toEqual([1, 2, 0, 1]);
});

test("an unreachable catalog is queried again after growing pauses", async () => {
  await catalog.stop();
  const made = discover();
  await made.servers.first;
  const pauses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const due = await until("the next try is planned", () => (Number.isFinite(made.due) ? made.due : undefined));
    pauses.push(due - clock.time);
    clock.advance(due - clock.time + 10);
    // The attempt's own timeout is set while it runs.
    await until("the try has failed", () => (made.due > clock.time && Number.isFinite(made.due) ? true : undefined));
  }
  expect(pauses.slice(0, 5).map((ms) => Math.round(ms / 1000))).toEqual([1, 2, 4, 8, 15]);
  expect(logged).toEqual(['upstream "u": catalog for "web app": lookup failed (refused); no server is known']);
});

test("a query that waits has its wait, a sixteenth of it and 10 s", async () => {
  const made = discover();
  await waits();
  catalog.intercept = () => new Promise<Response>(() => {});
  const asked = clock.time;
  clock.advance(INTERVAL_S * 1000 * (1 + 1 / 16) + 10_000);
  expect([clock.time - asked, logged]).toEqual([25_937.5, []]);
  // The wheel fires within two ticks.
  clock.advance(13);
  expect(logged).toEqual(['upstream "u": catalog for "web app": lookup failed (timeout); no server is known']);
  expect(made.servers.list).toEqual([]);
});

test("a query to a catalog that hangs reaches its timeout", async () => {
  catalog.intercept = () => new Promise<Response>(() => {});
  const made = discover();
  await until("it was asked", () => catalog.queries[0]);
  clock.advance(10_000);
  await made.servers.first;
  expect(logged).toEqual(['upstream "u": catalog for "web app": lookup failed (timeout); no server is known']);
});

test("every query has the token, and without a token there is no such field", async () => {
  discover(TOKEN);
  await waits();
  expect(catalog.tokens).toEqual([TOKEN, TOKEN]);
  discovery?.close();
  await discover().servers.first;
  expect(catalog.tokens.at(-1)).toBeNull();
});

test("private addresses are left out if the upstream forbids them, and entries without a server always", async () => {
  catalog.set([
    { address: "10.0.0.1", port: 80 },
    { address: "8.8.8.8", port: 80 },
    { address: "8.8.4.4", port: 0 },
  ]);
  const made = discover("", false);
  await made.servers.first;
  expect(keys(made)).toEqual(["8.8.8.8:80 1"]);
  expect(logged).toEqual([
    'upstream "u": catalog for "web app": left out: 1 without a usable address, 1 on private addresses, which allow_private forbids',
  ]);
});
