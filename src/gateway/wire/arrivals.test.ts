import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { Arrivals } from "./arrivals.ts";
import { Outgoing } from "./outgoing.ts";
import { DEAF } from "./tcp.ts";
import { type Wire } from "./wire.ts";

/** A timer wheel with a time that the test moves. */
class Time {
  readonly #clock = new FakeClock();
  readonly wheel = new TimerWheel(this.#clock);

  pass(ms: number): void {
    this.#clock.advance(ms);
  }
}

interface Watched {
  readonly time: Time;
  readonly arrivals: Arrivals;
  readonly out: Outgoing;
  readonly told: boolean[];
  readonly arrived: { count: number };
}

/**
 * A connection that has written one response. `fd` is the socket's descriptor; without it, the system is not queried.
 */
function watch(fd?: number, write: Wire["write"] = (_, __, length) => length): Watched {
  const time = new Time();
  const wire: Wire = {
    data: DEAF,
    write,
    pause() {},
    resume() {},
    shutdown() {},
    close() {},
    terminate() {},
    remoteAddress: "127.0.0.1",
    ...(fd === undefined ? {} : { fd }),
  };
  const buffers = new BufferPool({ bufferSize: 1024, bufferCount: 8, reserve: 1 });
  const out = new Outgoing(wire, { onBlocked() {} }, buffers);
  const told: boolean[] = [];
  const arrived = { count: 0 };
  const arrivals = new Arrivals({
    out,
    wire,
    wheel: time.wheel,
    patienceMs: () => 2000,
    onArrived: () => arrived.count++,
  });
  out.bytes(Buffer.alloc(100));
  out.flush();
  arrivals.await((taken) => told.push(taken));
  return { time, arrivals, out, told, arrived };
}

test("a response that has arrived is taken after MOMENT_MS without a reset", () => {
  const { time, told, arrived } = watch();
  time.pass(20);
  expect([told, arrived.count]).toEqual([[], 1]);
  time.pass(60);
  expect(told).toEqual([true]);
});

test("a response that a closed socket refuses is not taken, even if the connection ends without a reset", () => {
  const { time, arrivals, told, arrived } = watch(undefined, () => -1);
  time.pass(20);
  time.pass(60);
  expect([told, arrived.count]).toEqual([[], 0]);
  arrivals.closed(false);
  expect(told).toEqual([false]);
});

test("a response that waits for the end of the turn is sent before a FIN of the client counts", () => {
  const takes = [100];
  const { arrivals, out, told } = watch(undefined, () => takes.shift() ?? 0);
  out.text("more");
  arrivals.await((isTaken) => told.push(isTaken));
  arrivals.peerEnded();
  arrivals.closed(true);
  expect(told).toEqual([true, false]);
});

test("a response that is discarded while it waits for the socket is not taken", () => {
  const { time, arrivals, out, told } = watch(undefined, () => 40);
  out.discard();
  time.pass(100);
  arrivals.closed(false);
  expect(told).toEqual([false]);
});

test("a response is not taken if a reset follows within MOMENT_MS, and taken after a FIN", () => {
  const reset = watch();
  reset.time.pass(20);
  reset.arrivals.closed(true);
  expect(reset.told).toEqual([false]);
  const ended = watch();
  ended.arrivals.peerEnded();
  expect(ended.told).toEqual([true]);
  const closed = watch();
  closed.time.pass(20);
  closed.arrivals.closed(false);
  expect(closed.told).toEqual([true]);
});

test("a reset counts for MOMENT_MS from the arrival on, however long the response was under way", () => {
  const takes = [0, 100];
  const late = watch(undefined, () => takes.shift() ?? 0);
  late.time.pass(500);
  late.out.drain();
  for (let ms = 0; ms < 140; ms += 10) late.time.pass(10);
  late.arrivals.closed(true);
  expect(late.told).toEqual([false]);
});

test("a response is not taken if the connection closes before it has arrived", () => {
  const { arrivals, told } = watch();
  arrivals.closed(false);
  expect(told).toEqual([false]);
});

test("an unacknowledged response is under way, and given up without progress", async () => {
  const server = createServer((socket) => socket.pause());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const full = Promise.withResolvers<number>();
  const sender = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data() {},
      open(socket) {
        // More bytes than the two kernels take, so that some stay in the queue.
        const bytes = Buffer.alloc(1_048_576);
        while (socket.write(bytes) > 0);
        full.resolve(Number(Reflect.get(socket, "fd")));
      },
    },
  });
  const { time, told, arrivals, arrived } = watch(await full.promise);
  for (let i = 0; i < 30; i++) time.pass(50);
  expect([told, arrivals.isUnderWay]).toEqual([[], true]);
  for (let i = 0; i < 30; i++) time.pass(50);
  expect([told, arrived.count]).toEqual([[false], 1]);
  sender.terminate();
  server.close();
});
