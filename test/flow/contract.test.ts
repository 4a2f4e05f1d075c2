/**
 * The promises of every sink and source of bodies that can be paused, resumed and drained, end and abort. Random tests print their
 * seed; `TURNPIKE_FLOW_SEED=7` repeats one.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { FLOWS } from "./testing/flows.ts";
import { Consumer, type Flow, type Producer } from "./testing/flow.ts";

setDefaultTimeout(patient(20_000));

const BYTES = 700_000;
/** No implementation takes more from a producer whose consumer accepts nothing. */
const MOST_AHEAD = 3_000_000;
const PIECE = 16_384;
const SEED = Number(process.env["TURNPIKE_FLOW_SEED"] ?? Math.floor(Math.random() * 1_000_000));

const SOURCE = Buffer.alloc(MOST_AHEAD + 2 * PIECE);
for (let i = 0; i < SOURCE.length; i += 4) SOURCE.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);

class Run {
  readonly consumer = new Consumer();
  readonly flow: Flow;
  producer!: Producer; // Set by `open`.
  sent = 0;
  isPaused = false;
  resumes = 0;

  constructor(flow: Flow) {
    this.flow = flow;
  }

  async open(length: number): Promise<this> {
    const goOn = (): void => {
      if (this.isPaused) this.resumes++;
      this.isPaused = false;
    };
    this.producer = await this.flow.open(this.consumer, goOn, length);
    return this;
  }

  /** Sends the next bytes, as a range of a larger piece. */
  send(length: number): void {
    const from = Math.max(this.sent - 3, 0);
    const piece = SOURCE.subarray(from, this.sent + length + 5);
    // Until `data` returns, the implementation may say that it can go on.
    this.isPaused = true;
    const resumes = this.resumes;
    const takesMore = this.producer.data(piece, this.sent - from, this.sent - from + length);
    this.sent += length;
    if (takesMore || this.resumes > resumes) this.isPaused = false;
  }

  get received(): Buffer {
    return this.producer.received?.() ?? this.consumer.bytes;
  }

  async close(): Promise<void> {
    await this.producer.close?.();
  }
}

/** Looks again after each turn: most flows need few, and no time. */
async function reached(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (condition()) return;
    await turn();
  }
  await until(condition, 5000);
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

describe.each([...FLOWS])("$name", (flow) => {
  test.each([SEED, SEED + 1])(
    "passes all bytes in their order, whatever the pieces and pauses (seed %d)",
    async (seed) => {
      const random = fractionsOf(seed);
      const run = await new Run(flow).open(BYTES);
      while (run.sent < BYTES) {
        if (random() < 0.2) run.consumer.setRoom(random() < 0.5);
        if (random() < 0.3) await turn();
        if (!run.isPaused) run.send(Math.min(Math.ceil(random() ** 3 * 60_000), BYTES - run.sent));
        else {
          run.consumer.setRoom(true);
          await reached(() => !run.isPaused);
        }
      }
      run.producer.end();
      if (random() < 0.5) await turn();
      run.consumer.setRoom(true);
      await reached(() => run.consumer.ends > 0);
      expect(run.received.equals(SOURCE.subarray(0, BYTES))).toBeTrue();
      expect([run.consumer.ends, run.consumer.aborts, run.consumer.late]).toEqual([1, 0, 0]);
      expect(run.producer.used?.() ?? 0).toBe(0);
      await run.close();
    },
  );

  test("passes all bytes to a consumer that always accepts more, and never resumes", async () => {
    const run = await new Run(flow).open(BYTES);
    while (run.sent < BYTES) {
      if (run.isPaused) await reached(() => !run.isPaused);
      run.send(Math.min(7000, BYTES - run.sent));
    }
    run.producer.end();
    await reached(() => run.consumer.ends > 0);
    expect(run.received.equals(SOURCE.subarray(0, BYTES))).toBeTrue();
    await run.close();
  });

  test.skipIf(flow.takesAll === true)(
    "pauses its producer while the consumer accepts nothing, and resumes it after",
    async () => {
      const run = await new Run(flow).open(MOST_AHEAD);
      run.send(PIECE);
      await turns(3);
      run.consumer.setRoom(false);
      while (!run.isPaused && run.sent < MOST_AHEAD) {
        run.send(Math.min(PIECE, MOST_AHEAD - run.sent));
        await turn();
      }
      expect(run.sent).toBeLessThan(MOST_AHEAD);
      await turns(5);
      const arrived = run.consumer.length;
      await turns(5);
      expect(run.isPaused).toBeTrue();
      expect(run.consumer.length - arrived).toBeLessThanOrEqual(flow.inFlight ?? 0);
      for (let i = 0; i < 3; i++) {
        run.consumer.setRoom(true);
        await reached(() => !run.isPaused);
        run.consumer.setRoom(false);
        while (!run.isPaused && run.sent < MOST_AHEAD) run.send(Math.min(PIECE, MOST_AHEAD - run.sent));
      }
      run.consumer.setRoom(true);
      await reached(() => !run.isPaused);
      while (run.sent < MOST_AHEAD) {
        if (run.isPaused) await turn();
        else run.send(Math.min(PIECE, MOST_AHEAD - run.sent));
      }
      run.producer.end();
      await reached(() => run.consumer.ends > 0);
      expect(run.received.equals(SOURCE.subarray(0, MOST_AHEAD))).toBeTrue();
      await run.close();
    },
  );

  test("ends once, after the last bytes, also if the consumer accepts nothing at the end", async () => {
    const run = await new Run(flow).open(2 * PIECE);
    run.consumer.setRoom(false);
    run.send(PIECE);
    if (run.isPaused) {
      run.consumer.setRoom(true);
      await reached(() => !run.isPaused);
      run.consumer.setRoom(false);
    }
    run.send(PIECE);
    run.producer.end();
    await turns(3);
    for (let i = 0; i < 3; i++) {
      run.consumer.setRoom(true);
      await turn();
      run.consumer.setRoom(false);
    }
    run.consumer.setRoom(true);
    await reached(() => run.consumer.ends > 0);
    await turns(3);
    expect(run.received.equals(SOURCE.subarray(0, 2 * PIECE))).toBeTrue();
    expect([run.consumer.ends, run.consumer.aborts, run.consumer.late]).toEqual([1, 0, 0]);
    await run.close();
  });

  test("frees its memory if the exchange finishes before the body ends", async () => {
    const run = await new Run(flow).open(BYTES);
    run.send(PIECE);
    run.producer.finish?.();
    if (run.producer.finish !== undefined) expect(run.producer.used?.()).toBe(0);
    await run.close();
  });

  test.skipIf(flow.hasNoAbort === true)(
    "passes an abort on once, sends nothing after it, and frees its memory",
    async () => {
      const run = await new Run(flow).open(BYTES);
      run.send(PIECE);
      run.consumer.setRoom(false);
      for (let i = 0; i < 8 && !run.isPaused; i++) run.send(PIECE);
      run.producer.abort();
      await reached(() => run.consumer.aborts > 0);
      run.consumer.setRoom(true);
      await turns(5);
      expect([run.consumer.ends, run.consumer.aborts, run.consumer.late]).toEqual([0, 1, 0]);
      expect(run.producer.used?.() ?? 0).toBe(0);
      const { received } = run;
      expect(received.equals(SOURCE.subarray(0, received.length))).toBeTrue();
      await run.close();
    },
  );
});
