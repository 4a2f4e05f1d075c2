/** Responses that are paid for as they flow, by the unit, over each HTTP version and WebSocket, through two workers. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { createPublicClient, http, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Channels } from "../../src/payments/client/channels/channels.ts";
import { payerFrom } from "../../src/payments/client/channels/pay-from-channel.ts";
import { payAndFetch, PriceTooHigh } from "../../src/payments/client/client.ts";
import { freshAccount, keyOf, type TestAccount } from "../../src/payments/evm/testing/shop.ts";
import { channelConfig, placeChannels, signedDeposit, signedVoucher } from "../../src/payments/testing/channels.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { type ChannelConfig, type ChannelRequirements } from "../../src/payments/x402/channel-messages.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { paymentRequiredSchema } from "../../src/payments/x402/messages.ts";
import { type EvmNetwork, parseEvmNetwork } from "../../src/payments/x402/networks.ts";
import { type Channel } from "../../src/store/channels.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { hasPostgres, sharedPostgres } from "../../src/store/testing/postgres.ts";
import { type Protocol, type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { TEST_CA } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { type Opened, openTunnel } from "../websocket/testing/tunnel-client.ts";
import { Http3Client } from "../support/http3-client.ts";
import { addressOf, freshKey, type Market, openMarket } from "./market.ts";

setDefaultTimeout(patient(60_000));

const PRICE = 1000;
const UNITS = 3;
const EVENTS = 7;

const gasKey = freshKey();
const authorizerKey = freshKey();
const payee = addressOf(freshKey());
let market: Market;
let network: EvmNetwork;
let gateway: ProtocolGateway;
let config: Readonly<Record<string, unknown>>;
let environment: Readonly<Record<string, string>>;
let runs = 0;

const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, server) => {
    runs += 1;
    if (new URL(request.url).pathname === "/messages") {
      return server.upgrade(request) ? undefined : new Response("", { status: 426 });
    }
    if (new URL(request.url).pathname === "/lines") {
      return new Response("1\n2\n3\n4\n", { headers: { "cache-control": "max-age=60", "content-type": "text/plain" } });
    }
    const { search } = new URL(request.url);
    const body = search === "?open" ? openStream(UNITS + 1) : eventsTo(EVENTS);
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
  websocket: {
    open: (socket) => {
      for (let i = 1; i <= EVENTS; i++) socket.send(String(i));
    },
    message() {},
  },
});

/** Events, without an end of the stream. */
function openStream(count: number): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(eventsTo(count))) });
}

function eventsTo(count: number): string {
  return Array.from({ length: count }, (_, i) => `id: ${i}\ndata: ${i}\n\n`).join("");
}

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placeChannels(market.chain);
  await market.chain.fund(addressOf(gasKey));
  const { rpcUrl } = market.chain;
  const { address: asset, name, version } = market.token;
  const found = parseEvmNetwork(market.chain.network);
  if (found === undefined) throw new Error("not an EVM chain");
  network = found;
  const x402 = (unit: string): object => ({
    scheme: "batch-settlement",
    price: String(PRICE),
    asset,
    network,
    pay_to: payee,
    extra_name: name,
    extra_version: version,
    meter: { unit, units: UNITS, pause_s: 20 },
  });
  config = {
    x402: {
      enabled: true,
      embedded: { enabled: true },
      chains: [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
      channels: { withdraw_delay_s: 900 },
    },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/events", upstream: "origin", x402: x402("event") },
      { path_prefix: "/messages", upstream: "origin", x402: x402("message") },
      { path_prefix: "/lines", upstream: "origin", x402: x402("line"), cache: {} },
    ],
    access_log: { enabled: false },
  };
  environment = { TEST_RPC: rpcUrl, TURNPIKE_FACILITATOR_KEY: gasKey, TURNPIKE_CHANNEL_KEY: authorizerKey };
  gateway = await startProtocols({ ...config, server: { workers: 2 } }, environment);
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await gateway?.stop();
  await origin.stop(true);
  await market?.chain.close();
});

/** A payer with money, and the payments of its channel. */
class Buyer {
  readonly #payer: TestAccount;
  readonly #path: string;
  readonly #accepted: ChannelRequirements;
  readonly #config: ChannelConfig;
  readonly #now: number;
  /** The sum of what was charged. */
  base = 0;
  #isOpen = false;

  private constructor(payer: TestAccount, path: string, accepted: ChannelRequirements, now: number) {
    this.#payer = payer;
    this.#path = path;
    this.#accepted = accepted;
    this.#now = now;
    this.#config = channelConfig(accepted, payer.address);
  }

  static async of(path: string, at = gateway): Promise<Buyer> {
    const payer = await fundedAccount();
    const unpaid = await answered(urlOf(path, at), {}, [402]);
    const { accepts } = paymentRequiredSchema.parse(decodeHeader(unpaid.headers.get("payment-required") ?? ""));
    const [accepted] = accepts;
    if (accepted === undefined) throw new Error("nothing is accepted");
    return new Buyer(payer, path, { ...accepted, scheme: "batch-settlement" }, await market.chain.time());
  }

  /** The next payment, with a deposit if it is the first one. */
  pay(): string {
    const most = BigInt(this.base + PRICE);
    const [accepted, signer] = [this.#accepted, this.#payer];
    const deposit = { amount: BigInt(20 * PRICE), most, signer, now: this.#now };
    const payload = this.#isOpen
      ? {
          type: "voucher",
          channelConfig: this.#config,
          voucher: signedVoucher(network, this.#config, most, signer),
        }
      : signedDeposit(accepted, this.#config, deposit);
    this.#isOpen = true;
    this.base += PRICE;
    return encodeHeader({ x402Version: 2, accepted, payload });
  }

  /** Pays further for a response, over a new connection to any worker. */
  async further(name: string): Promise<void> {
    const headers = { "payment-signature": this.pay(), "payment-stream": name };
    const response = await fetch(urlOf(this.#path), { headers, keepalive: false });
    expect([response.status, await response.json()]).toEqual([200, { stream: name }]);
  }
}

async function fundedAccount(): Promise<TestAccount> {
  const payer = freshAccount();
  await market.token.mint(payer.address, 1_000_000n);
  return payer;
}

/** A response that is being read. */
interface Flow {
  readonly name: string;
  text(): string;
  readonly over: Promise<unknown>;
}

/** Requests `path` over a new connection, and resolves with the head. */
async function open(protocol: Protocol, path: string, payment: string, at = gateway): Promise<Flow> {
  const headers = { "payment-signature": payment };
  if (protocol === "HTTP/1.1") return flowOf(await fetch(urlOf(path, at), { headers, keepalive: false }));
  if (protocol === "HTTP/3") {
    const client = await Http3Client.connect(at.quicPort);
    const { headers: head, chunks, response } = await client.open("GET", path, headers);
    const over = response.finally(() => client.close());
    return { name: String((await head)["payment-stream"]), text: () => Buffer.concat(chunks).toString(), over };
  }
  const session = connect(`https://localhost:${at.tlsPort}`, { ca: TEST_CA.cert });
  const stream = session.request({ ":path": path, ...headers });
  const head = Promise.withResolvers<string>();
  stream.on("response", (fields) => head.resolve(String(fields["payment-stream"])));
  let text = "";
  stream.on("data", (chunk: Uint8Array) => void (text += Buffer.from(chunk).toString()));
  const over = new Promise<void>((resolve) => void stream.on("close", resolve)).then(() => session.close());
  return { name: await head.promise, text: () => text, over };
}

function flowOf(response: Response): Flow {
  let text = "";
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  };
  const over = read();
  // A gateway that is killed breaks it off, perhaps before the test waits for it.
  over.catch(() => {});
  return { name: response.headers.get("payment-stream") ?? "", text: () => text, over };
}

/** A response without an end, of a gateway of its own. */
function openAt({ port }: Gateway): string {
  return `http://127.0.0.1:${port}/events?open`;
}

function urlOf(path: string, at = gateway): string {
  return `http://127.0.0.1:${at.plainPort}${path}`;
}

/** Sends a request until its response has one of these statuses: a gateway that has just started cannot sell yet. */
async function answered(
  url: string,
  headers: Readonly<Record<string, string>>,
  statuses: readonly number[],
): Promise<Response> {
  let response: Response | undefined;
  await until(async () => {
    response = await fetch(url, { headers });
    return statuses.includes(response.status);
  }, 60_000);
  return response ?? new Response();
}

/** Terms by which the whole response is sold. */
function withoutMeter(terms: object): object {
  return Object.fromEntries(Object.entries(terms).filter(([name]) => name !== "meter"));
}

/** The channels of a ledger that no gateway has open any more. */
async function channelsOf(store: Store): Promise<readonly Channel[]> {
  await store.ready();
  const channels = await store.channels.list(undefined, 5);
  await store.close();
  return channels;
}

/** The keys of each kind of ledger. `close` returns what it has of channels. */
async function stores(): Promise<
  readonly { readonly store: object; readonly close: () => Promise<readonly Channel[]> }[]
> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-metered-"));
  const file = async (): Promise<readonly Channel[]> => {
    const channels = await channelsOf(openStore(join(folder, "turnpike.db")));
    rmSync(folder, { recursive: true });
    return channels;
  };
  const sqlite = { store: { state_path: folder }, close: file };
  if (!hasPostgres) return [sqlite];
  const database = await sharedPostgres();
  const user = await database.newUser();
  const close = () => channelsOf(openPostgresStore(database.settings({ user })));
  return [sqlite, { store: { postgres: { url: database.url(user) } }, close }];
}

describe.skipIf(!hasChain)("a response that is paid for as it flows", () => {
  test("is the same over all HTTP versions, and any worker takes further payments", async () => {
    const buyer = await Buyer.of("/events");
    // oxlint-disable no-await-in-loop -- each response follows the one before
    for (const protocol of PROTOCOLS) {
      const flow = await open(protocol, "/events", buyer.pay());
      for (const paid of [UNITS, 2 * UNITS]) {
        await until(() => flow.text().length >= eventsTo(paid).length);
        expect([protocol, flow.text()]).toEqual([protocol, eventsTo(paid)]);
        await buyer.further(flow.name);
      }
      await flow.over;
      expect([protocol, flow.text()]).toEqual([protocol, eventsTo(EVENTS)]);
      // One of the last three units was used.
      buyer.base -= 666;
    }
    // oxlint-enable no-await-in-loop
  });

  test("is paid for by this program's own client up to its price limit, while the body is read", async () => {
    const account = await fundedAccount();
    const folder = mkdtempSync(join(tmpdir(), "turnpike-metered-"));
    const channels = new Channels(folder, { maxDeposit: "$0.02" });
    const { address, name, version } = market.token;
    const asset = { network, symbol: "T", decimals: 6, address, name, version } as const;
    const buy = (maxPrice: string): ReturnType<typeof payAndFetch> =>
      payAndFetch(
        urlOf("/events"),
        {},
        { account: () => account, maxPrice, assets: [asset], channels: payerFrom(channels) },
      );
    const { response } = await buy("$0.003");
    expect(await response.text()).toBe(eventsTo(EVENTS));
    // It is corrected: the last payment was charged in part.
    const again = await buy("$0.003");
    expect(await again.response.text()).toBe(eventsTo(EVENTS));
    const short = await buy("$0.002");
    expect(await short.response.text().catch((error: unknown) => error)).toBeInstanceOf(PriceTooHigh);
    const [channel] = channels.file.channels();
    expect([channel?.busy, channel?.disputed, channels.file.channels().length]).toEqual([undefined, undefined, 1]);
    rmSync(folder, { recursive: true });
  });

  test("is paid for by the stock client", async () => {
    const account = await fundedAccount();
    const reader: PublicClient = createPublicClient({ transport: http(market.chain.rpcUrl) });
    const signer = {
      ...privateKeyToAccount(keyOf(account)),
      readContract: (call: Parameters<PublicClient["readContract"]>[0]) => reader.readContract(call),
    };
    const schemes = [{ network, client: new BatchSettlementEvmScheme(signer) }];
    const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes, spendControls: false });
    const flow = flowOf(await pay(urlOf("/events")));
    for (const paid of [UNITS, 2 * UNITS]) {
      // oxlint-disable-next-line no-await-in-loop -- each payment follows the units before
      await until(() => flow.text().length >= eventsTo(paid).length);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect((await pay(urlOf("/events"), { headers: { "payment-stream": flow.name } })).status).toBe(200);
    }
    await flow.over;
    expect(flow.text()).toBe(eventsTo(EVENTS));
    expect((await pay(urlOf("/events"))).status).toBe(200);
  });

  test("is paid for also if it comes from the cache", async () => {
    const buyer = await Buyer.of("/lines");
    const before = runs;
    // oxlint-disable no-await-in-loop -- each response follows the one before
    for (let i = 0; i < 4; i++) {
      // The charge of the flow before is made a moment after its end. Until then the payment is refused.
      const flow = flowOf(await answered(urlOf("/lines"), { "payment-signature": buyer.pay() }, [200]));
      await until(() => flow.text().length >= 6);
      expect(flow.text()).toBe("1\n2\n3\n");
      await buyer.further(flow.name);
      await flow.over;
      expect(flow.text()).toBe("1\n2\n3\n4\n");
      buyer.base -= 666;
    }
    // oxlint-enable no-await-in-loop
    // Each worker has its own cache.
    expect(runs - before).toBeLessThan(3);
  });

  test("is charged once for what was due when the gateway was killed, and flows again for that payment", async () => {
    const buyer = await Buyer.of("/events");
    const folder = mkdtempSync(join(tmpdir(), "turnpike-metered-"));
    const start = (): Promise<Gateway> => startGateway({ ...config, state_path: folder }, environment);
    const first = await start();
    const payment = buyer.pay();
    const flow = flowOf(await answered(openAt(first), { "payment-signature": payment }, [200]));
    await until(() => flow.text().length >= eventsTo(UNITS).length);
    const further = { "payment-signature": buyer.pay(), "payment-stream": flow.name };
    expect((await fetch(openAt(first), { headers: further })).status).toBe(200);
    await until(() => flow.text().length >= eventsTo(UNITS + 1).length);
    await first.kill();
    await flow.over.catch(() => {});
    expect(flow.text()).toBe(eventsTo(UNITS + 1));
    const second = await start();
    // The dead gateway's lease has to end.
    const paid = { "payment-signature": further["payment-signature"] };
    const again = flowOf(await answered(openAt(second), paid, [200, 402]));
    await until(() => again.text().length >= eventsTo(UNITS).length);
    expect([again.text(), again.name]).toEqual([eventsTo(UNITS), "1000.2"]);
    // The units of the first payment had all left.
    expect((await fetch(openAt(second), { headers: { "payment-signature": payment } })).status).toBe(402);
    const next = { "payment-signature": buyer.pay(), "payment-stream": again.name };
    expect((await fetch(openAt(second), { headers: next })).status).toBe(200);
    await until(() => again.text().length >= eventsTo(UNITS + 1).length);
    await second.kill();
    rmSync(folder, { recursive: true });
  });

  test.each(["after", "before"] as const)(
    "is charged once and flows again after a kill, although its route sells the whole response since, settled %s it",
    async (settle) => {
      const { routes } = z.object({ routes: z.array(z.looseObject({ x402: z.looseObject({}) })) }).parse(config);
      const whole = routes.map((route) => ({ ...route, x402: { ...withoutMeter(route.x402), settle } }));
      // oxlint-disable no-await-in-loop -- each gateway has the listener's ports for itself
      for (const { store, close } of await stores()) {
        const buyer = await Buyer.of("/events");
        const first = await startGateway({ ...config, ...store }, environment);
        const flow = flowOf(await answered(openAt(first), { "payment-signature": buyer.pay() }, [200]));
        await until(() => flow.text().length >= eventsTo(UNITS).length);
        const payment = { "payment-signature": buyer.pay() };
        const further = await fetch(openAt(first), { headers: { ...payment, "payment-stream": flow.name } });
        expect(further.status).toBe(200);
        await until(() => flow.text().length >= eventsTo(UNITS + 1).length);
        await first.kill();
        const second = await startGateway({ ...config, ...store, routes: whole }, environment);
        const again = await answered(openAt(second), payment, [200, 402]);
        expect([again.status, await again.text()]).toEqual([
          200,
          expect.stringContaining(`${eventsTo(UNITS)}event: error`),
        ]);
        expect((await answered(openAt(second), payment, [402])).headers.has("payment-required")).toBe(true);
        await second.stop();
        const [channel, ...others] = await close();
        expect([channel, others]).toMatchObject([{ base: "2000", charged: "2000", holder: "" }, []]);
      }
      // oxlint-enable no-await-in-loop
    },
  );

  test("ends soon after its gateway gets SIGTERM, if it is paused, and is charged for what has left", async () => {
    // oxlint-disable no-await-in-loop -- each gateway has the processors for itself
    for (const { store, close } of await stores()) {
      const own = await startProtocols({ ...config, ...store, server: { workers: 2 } }, environment);
      const flows: Flow[] = [];
      for (const protocol of PROTOCOLS) {
        const buyer = await Buyer.of("/events", own);
        const flow = await open(protocol, "/events?open", buyer.pay(), own);
        await until(() => flow.text().length >= eventsTo(UNITS).length);
        flows.push(flow);
      }
      const buyer = await Buyer.of("/messages", own);
      const headers = { "payment-signature": buyer.pay() };
      const socket = new WebSocket(urlOf("/messages", own).replace("http", "ws"), { headers });
      const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
      let messages = 0;
      socket.addEventListener("message", () => (messages += 1));
      await until(() => messages === UNITS);
      const began = performance.now();
      own.program.kill("SIGTERM");
      for (const flow of flows) {
        await flow.over;
        expect(flow.text()).toStartWith(`${eventsTo(UNITS)}event: error\n`);
      }
      expect([(await closed).code, messages]).toEqual([1008, UNITS]);
      expect(await own.program.exit()).toBe(0);
      expect(performance.now() - began).toBeLessThan(patient(12_000));
      await own.stop();
      const charged = { base: String(PRICE), charged: String(PRICE), claimed: String(PRICE), holder: "" };
      expect(await close()).toMatchObject([charged, charged, charged, charged]);
    }
    // oxlint-enable no-await-in-loop
  });

  test("can be the messages of a WebSocket connection", async () => {
    const buyer = await Buyer.of("/messages");
    const socket = new WebSocket(urlOf("/messages").replace("http", "ws"), {
      headers: { "payment-signature": buyer.pay() },
    });
    const messages: string[] = [];
    const closed = Promise.withResolvers<unknown>();
    socket.addEventListener("close", closed.resolve);
    socket.addEventListener("message", ({ data }) => void messages.push(String(data)));
    for (const paid of [UNITS, 2 * UNITS]) {
      // oxlint-disable-next-line no-await-in-loop -- each payment follows the messages before
      await until(() => messages.length >= paid);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await buyer.further("0.1");
    }
    await until(() => messages.length === EVENTS);
    expect(messages).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    socket.close();
    await closed.promise;
  });

  test("can be the messages of a WebSocket connection over HTTP/2, whose further payments come by GET", async () => {
    const buyer = await Buyer.of("/messages");
    const ports = { port: gateway.plainPort, tlsPort: gateway.tlsPort };
    const knock = (fields: Record<string, string>): Promise<Opened> =>
      openTunnel("HTTP/2 over TLS", ports, { path: "/messages", fields });
    const tunnel = await knock({ "payment-signature": buyer.pay() });
    const name = String(tunnel.fields["payment-stream"]);
    const messages = (): number => tunnel.end.text.length / "\x81\x011".length;
    await until(() => messages() === UNITS);
    // A 200 to CONNECT would open a tunnel.
    const refused = await knock({ "payment-signature": buyer.pay(), "payment-stream": name });
    expect([refused.status, refused.fields["payment-response"]]).toEqual([501, undefined]);
    await until(() => refused.end.ended);
    expect([refused.end.text, messages()]).toEqual([expect.stringContaining("nothing was charged"), UNITS]);
    buyer.base -= PRICE;
    await buyer.further(name);
    await until(() => messages() === 2 * UNITS);
    for (const opened of [tunnel, refused]) opened.destroy();
  });
});
