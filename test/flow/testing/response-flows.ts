import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { BufferPool } from "../../../src/lib/memory/buffer-pool.ts";
import { SpareAccount } from "../../../src/lib/memory/spare-account.ts";
import { FakeClock } from "../../../src/lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../src/lib/time/timer-wheel.ts";
import { op } from "../../../src/gateway/filters/module/testing/assembler.ts";
import { loaded } from "../../../src/gateway/filters/module/testing/metered.ts";
import { callsOf, ownModule } from "../../../src/gateway/filters/own-abi/testing/own-module.ts";
import { OwnFilter } from "../../../src/gateway/filters/own-filter.ts";
import { STREAM } from "../../../src/gateway/filters/proxy-wasm/guest/enums.ts";
import { ProxyWasmFilter } from "../../../src/gateway/filters/proxy-wasm/proxy-wasm-filter.ts";
import { FIRST_STREAM } from "../../../src/gateway/filters/proxy-wasm/testing/played-stream.ts";
import { call, moduleOf } from "../../../src/gateway/filters/proxy-wasm/testing/proxy-module.ts";
import { testRuntime, testSettings } from "../../../src/gateway/filters/testing/test-runtime.ts";
import { CompressingResponse } from "../../../src/gateway/policy/compression/compressing-response.ts";
import { Plan } from "../../../src/gateway/policy/compression/plan.ts";
import { Slots } from "../../../src/gateway/policy/compression/slots.ts";
import { MeteredResponse } from "../../../src/gateway/policy/payment/metered/metered-response.ts";
import { BufferedResponse as PaidResponse } from "../../../src/gateway/policy/payment/responses/buffered-response.ts";
import { sendResponse } from "../../../src/gateway/policy/payment/responses/deliver.ts";
import { ResponseDisk } from "../../../src/gateway/policy/payment/responses/response-disk.ts";
import { ResponseStore } from "../../../src/gateway/policy/payment/responses/response-store.ts";
import { StreamedResponse } from "../../../src/gateway/policy/payment/responses/streamed-response.ts";
import { ResponseBuffer } from "../../../src/gateway/proxy/response-buffer.ts";
import { Spool } from "../../../src/gateway/proxy/spool.ts";
import { BufferedResponse as TenantResponse } from "../../../src/gateway/tenants/buffered-response.ts";
import { BROKEN, ClientExchange, type Consumer, type Flow, type Producer, responseProducer } from "./flow.ts";

function poolOf(): BufferPool {
  return new BufferPool({ bufferSize: 1, bufferCount: 50_000_000, reserve: 0 });
}

/** A response that waits for a slow client, in memory or on the disk. */
function buffered(name: string, maxBytes: number): Flow {
  return {
    name,
    open(consumer, goOn) {
      const exchange = new ClientExchange(consumer);
      const clock = new FakeClock();
      const wheel = new TimerWheel(clock);
      const memory = poolOf();
      const folder = mkdtempSync(join(tmpdir(), "turnpike-flow-"));
      const spool = new Spool({
        limits: { folder, maxBytes },
        now: () => clock.now(),
        log() {},
        onUse() {},
        onError(error) {
          throw error;
        },
      });
      const source = { resume: goOn, fail: () => consumer.abort() };
      const spare = new SpareAccount(memory, 0, "bytes");
      const buffer = new ResponseBuffer(exchange, source, { wheel, memory, spare, spool, maxBytes: 2_000_000 });
      exchange.onDrain = () => buffer.drained();
      buffer.drained();
      return {
        data(chunk, start, end) {
          const takesMore = buffer.data(chunk, start, end);
          clock.advance(20);
          return takesMore;
        },
        end: () => buffer.end(""),
        abort() {
          buffer.drop();
          exchange.response.abort(BROKEN);
        },
        used: () => memory.used,
        close() {
          buffer.drop();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

const TENANT: Flow = {
  name: "a tenant's response",
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    const memory = poolOf();
    const wheel = new TimerWheel(new FakeClock());
    new TenantResponse(exchange, { wheel, memory, respondWithError: () => consumer.abort() }).begin();
    const producer = responseProducer(exchange, goOn);
    return { ...producer, used: () => memory.used, finish: () => exchange.onFinish?.(exchange) };
  },
};

const COMPRESSED: Flow = {
  name: "a compressed response",
  inFlight: 65_536,
  open(consumer, goOn, length) {
    const exchange = new ClientExchange(consumer);
    const slots = new Slots(1);
    const plan = new Plan({ minBytes: 0, matches: () => true, slots }, "gzip", "");
    void new CompressingResponse(exchange, plan);
    const producer = responseProducer(exchange, goOn, { bodyLength: length + 1, contentType: "text/plain" });
    const finish = (): void => exchange.onFinish?.(exchange);
    return {
      ...producer,
      used: () => (consumer.isOver ? 0 : slots.taken),
      finish,
      received: () => (consumer.ends > 0 ? gunzipSync(consumer.bytes) : Buffer.alloc(0)),
    };
  },
};

const READS = ownModule(["read_response_body"], {
  on_request: op.i32(0),
  on_response: [...callsOf(0, 0, 100, 65_536), ...op.drop, ...op.i32(1)],
});

const FILTERED: Flow = {
  name: "a response that a filter reads",
  async open(consumer, goOn) {
    const runtime = { ...testRuntime(), respondWithError: (): void => consumer.abort() };
    const filter = new OwnFilter(await loaded(READS), testSettings(), runtime);
    const exchange = new ClientExchange(consumer);
    await filter.request(exchange);
    const producer = responseProducer(exchange, goOn);
    const finish = (): void => exchange.onFinish?.(exchange);
    return { ...producer, used: () => runtime.memory.taken, finish, close: () => filter.close() };
  },
};

const SET_TICK = 0;
const SET_CONTEXT = 1;
const GO_ON = 2;
const TICK_MS = 10;

/** Holds each piece of a body until the next tick. */
const HOLDS = moduleOf({
  imports: [
    ["proxy_set_tick_period_milliseconds", 1],
    ["proxy_set_effective_context", 1],
    ["proxy_continue_stream", 1],
  ],
  callbacks: {
    proxy_on_request_headers: call(SET_TICK, TICK_MS),
    proxy_on_response_body: op.i32(1),
    proxy_on_tick: [...call(SET_CONTEXT, FIRST_STREAM), ...op.drop, ...call(GO_ON, STREAM.response)],
  },
});

/** A filter whose ticks come after each call of the producer. */
async function holding(exchange: ClientExchange) {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const runtime = { ...testRuntime(wheel), clock: () => clock.time };
  const filter = new ProxyWasmFilter(await loaded(HOLDS), testSettings(), runtime);
  await filter.request(exchange);
  const ticking = (producer: Producer): Producer => ({
    ...producer,
    data(chunk, start, end) {
      const takesMore = producer.data(chunk, start, end);
      clock.advance(2 * TICK_MS);
      return takesMore;
    },
    end() {
      producer.end();
      clock.advance(2 * TICK_MS);
    },
    finish: () => exchange.onFinish?.(exchange),
    close() {
      filter.close();
      wheel.close();
    },
  });
  return { runtime, ticking };
}

const HELD: Flow = {
  name: "a response that a filter holds, and lets pass later",
  async open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    const { runtime, ticking } = await holding(exchange);
    return ticking({ ...responseProducer(exchange, goOn), used: () => runtime.memory.taken });
  },
};

const STACKED: Flow = {
  name: "a compressed response of a payment by the unit, which a filter holds",
  inFlight: 65_536,
  async open(consumer, goOn, length) {
    const exchange = new ClientExchange(consumer);
    const slots = new Slots(1);
    void new CompressingResponse(exchange, new Plan({ minBytes: 0, matches: () => true, slots }, "gzip", ""));
    meter(exchange, consumer, true);
    const { runtime, ticking } = await holding(exchange);
    const producer = responseProducer(exchange, goOn, { bodyLength: length, contentType: "text/plain" });
    return ticking({
      ...producer,
      used: () => (consumer.isOver ? 0 : slots.taken) + runtime.memory.taken,
      received: () => (consumer.ends > 0 ? gunzipSync(consumer.bytes) : Buffer.alloc(0)),
    });
  },
};

const PAID: Flow = {
  name: "a response that is paid for in advance",
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    exchange.response = new StreamedResponse(exchange, "PAYMENT-RESPONSE: r\r\n", {
      over() {},
      isFree: () => false,
      broken: () => consumer.abort(),
    });
    return responseProducer(exchange, goOn);
  },
};

/** Bytes that each payment of the flow covers. */
const COVERED = 50_000;

const METERED: Flow = {
  name: "a response that is paid for as it flows",
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    meter(exchange, consumer, false);
    return responseProducer(exchange, goOn);
  },
};

function meter(exchange: ClientExchange, consumer: Consumer, isFree: boolean): void {
  let room = 0;
  const stream = {
    name: "0.1",
    get room() {
      return room;
    },
    use: (units: number) => void (room -= units),
    more: async () => {
      room = COVERED;
      return true;
    },
    end() {},
  };
  void new MeteredResponse(exchange, stream, {
    meter: { unit: "byte", units: COVERED },
    receipts: { sold: "PAYMENT-RESPONSE: r\r\n", free: "" },
    events: { over() {}, failed() {}, isFree: () => isFree, broken: () => consumer.abort() },
  });
}

const settled = (name: string, diskBytes: number): Flow => ({
  name,
  takesAll: true,
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    const pool = poolOf();
    const responses = new ResponseStore(pool, { maxResponseBytes: 10_000_000, maxEntries: 1 });
    const folder = mkdtempSync(join(tmpdir(), "turnpike-flow-"));
    const disk = new ResponseDisk({ folder, maxBytes: diskBytes, now: () => 0, log() {} });
    if (diskBytes > 0) responses.disk = disk;
    void new PaidResponse(
      { exchange, responses, isFree: () => false, receipt: "" },
      {
        complete(response) {
          void sendResponse(exchange, response, response.head).then(() => responses.release(response));
        },
        unpaid() {},
        broken: () => consumer.abort(),
      },
    );
    return {
      ...responseProducer(exchange, goOn),
      used: () => pool.used,
      async close() {
        await disk.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

export const RESPONSE_FLOWS = [
  buffered("a response that waits in memory", 0),
  buffered("a response that waits on the disk", 100_000_000),
  TENANT,
  COMPRESSED,
  FILTERED,
  PAID,
  METERED,
  HELD,
  STACKED,
  settled("a response that waits for its settlement in memory", 0),
  settled("a response that waits for its settlement on the disk", 100_000_000),
];
