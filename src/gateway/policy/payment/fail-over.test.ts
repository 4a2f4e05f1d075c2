/** Two facilitators in order, over HTTP, with lies and outages of each. Their chain records each nonce once. */
import { afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { type Facilitator } from "../../../payments/x402/facilitator.ts";
import { type FacilitatorsSettings, Facilitators } from "../../../payments/facilitator/facilitators.ts";
import { isEip3009, type PaymentPayload } from "../../../payments/x402/messages.ts";
import { PAYER } from "../../../payments/testing/payment.ts";
import { openPostgresStore } from "../../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../../store/testing/postgres.ts";
import { type Store } from "../../../store/store.ts";
import { closeShops, openShop, type Shop } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

setDefaultTimeout(patient(30_000));

/**
 * `lost`: the money moves, and the connection ends without a response. `silent`: as `lost`, before the money moves.
 * `busy`: a proxy responds 503 after the money has moved. `spent`: the money moves, and the response says that the nonce
 * was used. `dying`: as `silent`, and no process listens afterwards. `poor`: refuses without moving money. `foreign`: reports a
 * transaction of another network.
 */
type Mode = "ok" | "down" | "lost" | "silent" | "busy" | "spent" | "poor" | "junk" | "foreign" | "dying";
const MODES: readonly Mode[] = ["ok", "down", "lost", "silent", "busy", "spent", "poor", "junk", "foreign"];

interface Fake {
  readonly url: string;
  mode: Mode;
  /** The nonces of its settlements. */
  readonly asked: string[];
  set(mode: Mode): void;
}

interface World {
  /** The transaction of each spent nonce. */
  readonly chain: Map<string, string>;
  readonly first: Fake;
  readonly second: Fake;
  readonly shop: Shop;
  /** Gateways that share the ledger; the first one is `shop`. */
  readonly shops: readonly Shop[];
  /** Attempts to spend a nonce a second time. */
  twice: number;
}

const KIND = { x402Version: 2, scheme: "exact", network: "eip155:84532" };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  await closeShops();
  for (const close of closing.splice(0)) await close();
});

/** `stores`: one for each gateway, of the same database. */
function openWorld(
  options: { readonly stores?: readonly Store[]; readonly atWork?: (world: World) => void } = {},
): World {
  const chain = new Map<string, string>();
  const world = { chain, twice: 0 } as Omit<World, "shop" | "shops" | "first" | "second"> & { twice: number };
  const fakes = [fake(world), fake(world)] as const;
  const settings: FacilitatorsSettings = {
    facilitator_url: "",
    facilitators: fakes.map(({ url }, i) => ({ name: i === 0 ? "first" : "second", url, headers: [] })),
    facilitator_timeout_ms: patient(2000),
    facilitator_refresh_s: 600,
    facilitator_headers: [],
    test_mode: false,
    embedded: { enabled: false },
    chains: [],
  };
  const openOne = (store: Store | undefined): Shop => {
    const lease = new Facilitators({
      simulatedTransfers: () => {
        throw new Error("there are none");
      },
      now: Date.now,
      environment: {},
      embedded: () => {
        throw new Error("there is none");
      },
      random: () => 0.5,
      observer: { asked() {}, breakerChanged() {} },
      log: (message) => shop.logged.push(message),
    }).lease(settings);
    closing.push(() => lease.close());
    const { facilitator: order, kinds } = lease.forRoute("");
    const shop = openShop({
      ...(store === undefined ? {} : { store }),
      testMode: false,
      upstream(exchange) {
        options.atWork?.(whole);
        return respondWith(exchange, 200, "the goods");
      },
      kinds,
      facilitator: (): Facilitator => ({
        supported: () => order.supported(),
        verify: (...call) => order.verify(...call),
        settle: (...call) => order.settle(...call),
        assign: (...call) => order.assign(...call),
        has: (name) => order.has(name),
        close: () => order.close(),
        // As with `x402.chains`: the chain decides.
        async find(payment, requirements, by) {
          const nonce = nonceOf(payment);
          const transaction = chain.get(nonce);
          if (transaction !== undefined) return { kind: "settled", transaction, payer: PAYER };
          const end = Number((payment.payload as { authorization: { validBefore: string } }).authorization.validBefore);
          return end * 1000 < shop.clock.now ? { kind: "void" } : order.find(payment, requirements, by);
        },
      }),
    });
    return shop;
  };
  const [shop, ...others] = (options.stores ?? [undefined]).map(openOne);
  if (shop === undefined) throw new Error("there is no gateway");
  const whole: World = Object.assign(world, { shop, shops: [shop, ...others], first: fakes[0], second: fakes[1] });
  return whole;
}

function nonceOf(payment: PaymentPayload): string {
  return isEip3009(payment) ? payment.payload.authorization.nonce : "";
}

function fake(world: { chain: Map<string, string>; twice: number }): Fake {
  const asked: string[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/supported") return Response.json({ kinds: [KIND], extensions: [] });
    if (self.mode === "junk") return new Response("<html>", { headers: { "content-type": "text/html" } });
    const { paymentPayload } = (await request.json()) as { paymentPayload: PaymentPayload };
    if (pathname === "/verify") return Response.json({ isValid: true, payer: PAYER });
    const nonce = nonceOf(paymentPayload);
    asked.push(nonce);
    const { network } = KIND;
    const refuse = (errorReason: string) =>
      Response.json({ success: false, errorReason, transaction: "", network, payer: PAYER });
    if (self.mode === "silent" || self.mode === "dying") throw new Error("silent");
    if (self.mode === "poor") return refuse("insufficient_funds");
    if (world.chain.has(nonce)) {
      world.twice += 1;
      return refuse("invalid_exact_evm_nonce_already_used");
    }
    const transaction = `0x${Bun.hash(nonce).toString(16).padStart(64, "0")}`;
    world.chain.set(nonce, transaction);
    if (self.mode === "lost") throw new Error("lost");
    if (self.mode === "busy") return new Response("busy", { status: 503 });
    if (self.mode === "spent") return refuse("invalid_exact_evm_nonce_already_used");
    // Another network's receipt: a lie, or a mistake.
    if (self.mode === "foreign")
      return Response.json({ success: true, transaction, network: "eip155:1", payer: PAYER });
    return Response.json({ success: true, transaction, network, payer: PAYER });
  };
  const dying = async (request: Request, current: Bun.Server<undefined>): Promise<Response> => {
    try {
      return await answer(request);
    } catch {
      // Ends the connection without a response.
      await current.stop(true);
      if (self.mode !== "dying") server = listen(port);
      return new Response();
    }
  };
  const listen = (port: number) => Bun.serve({ port, hostname: "127.0.0.1", fetch: dying });
  let server = listen(0);
  const url = server.url.origin;
  const port = Number(server.port);
  const self = {
    url,
    asked,
    mode: "ok" as Mode,
    set(mode: Mode): void {
      if (mode === "down") void server.stop(true);
      else if (self.mode === "down") server = listen(port);
      self.mode = mode;
    },
  };
  closing.push(() => server.stop(true));
  return self;
}

/** Sends one payment until it is delivered or refused, while the facilitators recover after some tries. */
async function buy(world: World): Promise<{ readonly payment: PaymentPayload; readonly status: number }> {
  const { shop, shops } = world;
  const payment = shop.payment();
  for (let tries = 0; ; tries++) {
    const { status } = await (shops[tries % shops.length] ?? shop).send(payment);
    if (status === 200 || status === 402) return { payment, status };
    // A gateway still writes down what its last response has said.
    if (status === 409) {
      tries -= 1;
      continue;
    }
    if (tries > 20) throw new Error(`no result: ${status} ${shops.map(({ logged }) => logged.join("\n")).join("\n")}`);
    if (tries === 3) for (const one of [world.first, world.second]) one.set("ok");
    // In the end the payment expires.
    if (tries === 10) for (const { clock } of shops) clock.now += 120_000;
  }
}

interface Case {
  readonly first: Mode;
  readonly second: Mode;
  /** The facilitators change while the upstream works. */
  readonly isLate: boolean;
}

async function tryOut({ first, second, isLate }: Case, stores?: readonly Store[]): Promise<void> {
  const shared = stores === undefined ? {} : { stores };
  const world = openWorld(isLate ? { ...shared, atWork: () => change() } : shared);
  let done = false;
  function change(): void {
    if (done) return;
    done = true;
    world.first.set(first);
    world.second.set(second);
  }
  if (!isLate) change();
  const { payment, status } = await buy(world);
  const logged = world.shops.flatMap((shop) => shop.logged);
  expect([status === 200, logged]).toEqual([world.chain.has(nonceOf(payment)), logged]);
  // A settlement goes to the second one only if the first one has got nothing.
  expect(world.first.asked.length > 0 && world.second.asked.length > 0).toBe(false);
  const row = await world.shop.recorded(payment);
  if (world.first.asked.length > 0) expect(row?.facilitator).toBe("first");
  if (world.second.asked.length > 0) expect(row?.facilitator).toBe("second");
  if (status !== 200) return;
  expect(row).toMatchObject({ state: "settled" });
  // The delivery is recorded after the response.
  await until(async () => (await world.shop.recorded(payment))?.delivered === true);
}

for (const first of MODES) {
  for (const second of MODES) {
    for (const isLate of [false, true]) {
      const when = isLate ? "become" : "are";
      test(`with facilitators that ${when} ${first} and ${second}, a payment is delivered exactly if its money moved`, () =>
        tryOut({ first, second, isLate }));
    }
  }
}

test("if the first facilitator is gone when it is to settle, the second one settles, and the ledger names it", async () => {
  const world = openWorld({ atWork: ({ first }) => first.set("down") });
  const { payment, status } = await buy(world);
  expect([status, world.first.asked.length, world.second.asked.length]).toEqual([200, 0, 1]);
  expect(await world.shop.recorded(payment)).toMatchObject({ state: "settled", facilitator: "second" });
  expect(world.shop.logged.join()).toContain("second settles in place of first: no connection");
});

test("if the response of the first facilitator is lost and it stays away, the second one is never asked", async () => {
  const world = openWorld({ atWork: ({ first }) => first.set("silent") });
  const payment = world.shop.payment();
  for (let i = 0; i < 5; i++) {
    expect((await world.shop.send(payment)).status).toBe(503);
    world.first.set("down");
  }
  expect(world.second.asked).toEqual([]);
  expect(await world.shop.recorded(payment)).toMatchObject({ state: "unknown", facilitator: "first" });
  world.shop.clock.now += 120_000;
  expect((await world.shop.send(payment)).status).toBe(402);
  expect(await world.shop.recorded(payment)).toMatchObject({ state: "failed" });
  expect((await world.shop.send(world.shop.payment())).status).toBe(200);
  expect(world.second.asked).toHaveLength(1);
});

test("a response that is lost on a kept connection to a facilitator that is gone afterwards counts as lost", async () => {
  const world = openWorld();
  expect((await world.shop.send(world.shop.payment())).status).toBe(200);
  world.first.set("dying");
  const payment = world.shop.payment();
  expect((await world.shop.send(payment)).status).toBe(503);
  expect([world.first.asked.length, world.second.asked.length]).toEqual([2, 0]);
  expect(await world.shop.recorded(payment)).toMatchObject({ state: "unknown", facilitator: "first" });
});

test("a payment that was given to the second facilitator stays there when the first one is back", async () => {
  const world = openWorld({
    atWork({ first, second }) {
      first.set("down");
      second.set("silent");
    },
  });
  const { shop, first, second } = world;
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  expect(await shop.recorded(payment)).toMatchObject({ state: "unknown", facilitator: "second" });
  first.set("ok");
  expect((await shop.send(payment)).status).toBe(503);
  second.set("ok");
  expect((await shop.send(payment)).status).toBe(200);
  expect([first.asked.length, second.asked.length]).toEqual([0, 3]);
});

describe.skipIf(!hasPostgres)("two gateways with PostgreSQL, which a client asks in turns", () => {
  let database: SharedPostgres;
  let user = "";

  beforeAll(async () => {
    database = await sharedPostgres();
    user = await database.newUser();
  });

  for (const first of MODES) {
    test(`with a first facilitator that is ${first}, a payment is delivered exactly if its money moved`, async () => {
      const stores = [0, 1].map(() => openPostgresStore(database.settings({ user })));
      await Promise.all(stores.map((store) => store.ready()));
      for (const second of MODES) {
        for (const isLate of [false, true]) await tryOut({ first, second, isLate }, stores);
      }
    });
  }
});
