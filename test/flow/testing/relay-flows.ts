import { ClientConnection } from "../../../src/gateway/http1/client-connection.ts";
import { Owner } from "../../../src/gateway/http1/testing/client-peers.ts";
import { op } from "../../../src/gateway/filters/module/testing/assembler.ts";
import { loaded } from "../../../src/gateway/filters/module/testing/metered.ts";
import { ProxyWasmFilter } from "../../../src/gateway/filters/proxy-wasm/proxy-wasm-filter.ts";
import { moduleOf } from "../../../src/gateway/filters/proxy-wasm/testing/proxy-module.ts";
import { testRuntime, testSettings } from "../../../src/gateway/filters/testing/test-runtime.ts";
import { RequestPump, type UpstreamRequest } from "../../../src/gateway/proxy/request-pump.ts";
import { Tunnel } from "../../../src/gateway/proxy/websocket.ts";
import { type WireHandler } from "../../../src/gateway/wire/wire.ts";
import { FakeWire } from "../../../src/gateway/wire/testing/fake-wire.ts";
import { webSocketAccept } from "../../../src/lib/http/websocket-handshake.ts";
import { BufferPool } from "../../../src/lib/memory/buffer-pool.ts";
import { FakeClock } from "../../../src/lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../src/lib/time/timer-wheel.ts";
import { producerOf } from "./body-flows.ts";
import { arriving, reading, valve, WireReader } from "./codec-flows.ts";
import { ClientExchange, Consumer, type Flow, ProducedBody, responseProducer } from "./flow.ts";

/** More than any body. */
const WHOLE = 10_000_000;

/** A body that the forwarding sends upstream. `gathered` are the bytes that it gathers before. */
function pumped(name: string, gathered?: number): Flow {
  return {
    name,
    takesAll: gathered === WHOLE,
    open(consumer, goOn) {
      const produced = new ProducedBody(goOn);
      const pool = new BufferPool({ bufferSize: 1, bufferCount: 50_000_000, reserve: 0 });
      const upstream = {
        onSendable: () => {},
        data: (chunk: Uint8Array, start: number, end: number) => consumer.data(chunk, start, end),
        end: () => consumer.end(),
      };
      consumer.onRoom = () => upstream.onSendable();
      // The pump uses these members alone.
      const sendBy = (): void => pump.sendBy(upstream as unknown as UpstreamRequest);
      const fail = (): void => {
        pump.close();
        consumer.abort();
      };
      const owner = { copy: undefined, requestSent() {}, gathered: sendBy, fail };
      const pump = new RequestPump(owner, produced, { kept: undefined });
      if (gathered === undefined) sendBy();
      else pump.gather({ maxBytes: gathered, account: pool, overflow: pool });
      return { ...producerOf(produced), used: () => pool.used, finish: () => pump.close() };
    },
  };
}

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

/** A WebSocket tunnel whose upstream is a wire. */
function openTunnel(exchange: ClientExchange): { readonly wire: FakeWire; readonly tunnel: WireHandler } {
  const wire = new FakeWire();
  const connection = new ClientConnection(new Owner());
  connection.attach(wire);
  const sink = {
    start(head: Parameters<Tunnel["open"]>[0]): void {
      const options = { wheel: new TimerWheel(new FakeClock()), idleMs: 60_000, writeMs: 60_000, onOver() {} };
      new Tunnel(exchange, connection, options).open(head);
    },
    data: () => true,
    end() {},
    abort() {},
  };
  connection.begin("GET", 0, sink).add("GET / HTTP/1.1\r\nHost: h\r\n");
  connection.endHead("GET", 0, KEY);
  const proof = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${webSocketAccept(KEY)}\r\n`;
  connection.onData(Buffer.from(`HTTP/1.1 101 Switching Protocols\r\n${proof}\r\n`));
  // The tunnel has taken the events of the wire over.
  return { wire, tunnel: wire.data };
}

const TUNNEL_UP: Flow = {
  name: "a tunnel to the upstream",
  open(consumer, goOn, length) {
    const exchange = new ClientExchange(new Consumer());
    const produced = new ProducedBody(goOn);
    exchange.body = produced;
    const { wire, tunnel } = openTunnel(exchange);
    valve(consumer, wire, tunnel);
    const reader = new WireReader(wire, consumer, length);
    return reading(consumer, () => reader.read(), producerOf(produced));
  },
};

const TUNNEL_DOWN: Flow = {
  name: "a tunnel to the client",
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    exchange.body = new ProducedBody(() => {});
    const { wire, tunnel } = openTunnel(exchange);
    return { ...arriving(wire, goOn, tunnel), end: () => tunnel.onEnd() };
  },
};

/** Number of bytes of a part, at least, in which a body passes. */
const HELD_BYTES = 50_000;
/** Pauses until it holds enough bytes, or all: its result is 1 for "pause". */
const HOLDS = [...op.get(2), 0x45, ...op.get(1), ...op.i32(HELD_BYTES), 0x49, 0x71];

async function proxyWasmFilter(callback: string) {
  const callbacks = { proxy_on_context_create: op.i32(0), [callback]: HOLDS };
  const runtime = testRuntime();
  return { runtime, filter: new ProxyWasmFilter(await loaded(moduleOf({ callbacks })), testSettings(), runtime) };
}

const PROXY_WASM_RESPONSE: Flow = {
  name: "a response that a proxy-wasm filter holds in parts",
  async open(consumer, goOn) {
    const { runtime, filter } = await proxyWasmFilter("proxy_on_response_body");
    const exchange = new ClientExchange(consumer);
    await filter.request(exchange);
    const finish = (): void => exchange.onFinish?.(exchange);
    const producer = responseProducer(exchange, goOn);
    return { ...producer, used: () => runtime.memory.taken, finish, close: () => filter.close() };
  },
};

const PROXY_WASM_REQUEST: Flow = {
  name: "a request body that a proxy-wasm filter holds in parts",
  async open(consumer, goOn) {
    const { runtime, filter } = await proxyWasmFilter("proxy_on_request_body");
    const exchange = new ClientExchange(new Consumer());
    const produced = new ProducedBody(goOn);
    exchange.body = produced;
    const decided = filter.request(exchange);
    const read = async (): Promise<void> => {
      const { kind } = await decided;
      consumer.onRoom = () => exchange.body.resume();
      if (kind === "responded") consumer.abort();
      else exchange.body.readTo(consumer);
    };
    void read();
    const finish = (): void => exchange.onFinish?.(exchange);
    return { ...producerOf(produced), used: () => runtime.memory.taken, finish, close: () => filter.close() };
  },
};

export const RELAY_FLOWS = [
  pumped("a request body that is sent upstream"),
  pumped("a request body that is gathered for the upstream", WHOLE),
  pumped("a request body whose first part is gathered for the upstream", 40_000),
  TUNNEL_UP,
  TUNNEL_DOWN,
  PROXY_WASM_RESPONSE,
  PROXY_WASM_REQUEST,
];
