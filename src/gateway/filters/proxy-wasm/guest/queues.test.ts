import { expect, test } from "bun:test";
import { op } from "../../module/testing/assembler.ts";
import { playedFilter } from "../testing/played-stream.ts";
import { call, type Filter, RESULTS, TEXTS } from "../testing/proxy-module.ts";

const MESSAGES_A_TURN = 64;
const MIN_TICK_MS = 10;

const [LOG, REGISTER, ENQUEUE, DEQUEUE] = [0, 1, 2, 3];
const IMPORTS: NonNullable<Filter["imports"]> = [
  ["proxy_log", 3],
  ["proxy_register_shared_queue", 3],
  ["proxy_enqueue_shared_queue", 3],
  ["proxy_dequeue_shared_queue", 3],
];
const NAMES = "ab";
const register = (name: number): number[] => [...call(REGISTER, TEXTS + name, 1, RESULTS), ...op.drop];
const REGISTERS = [...register(0), ...register(1), ...op.i32(1)];
/** Logs the name of the queue: the ids are 1 and 2. */
const LOG_QUEUE = [
  ...op.i32(2),
  ...op.get(1),
  ...op.i32(1),
  ...op.i32Sub,
  ...op.i32(1),
  ...op.call(LOG),
  ...op.drop,
  ...op.i32(0),
];

function played(callbacks: Filter["callbacks"]) {
  return playedFilter({ imports: IMPORTS, text: NAMES, callbacks });
}

type Played = Awaited<ReturnType<typeof played>>;

/** The queues for whose messages the filter was called since the last call of this function, in order. */
function told({ runtime: { lines } }: Played): string {
  return lines
    .splice(0)
    .map((line) => line.replace("test: info: ", ""))
    .join("");
}

function enqueue({ runtime }: Played, queue: number, count = 1): void {
  for (let i = 0; i < count; i++) expect(runtime.shared.data.enqueue(queue, Uint8Array.of(7))).toBe("ok");
}

test("a filter is called once for each message, 10 ms after it, for each queue that it has registered", async () => {
  const at = await played({ proxy_on_configure: REGISTERS, proxy_on_queue_ready: LOG_QUEUE });
  expect(at.clock.tick).toBeUndefined();
  enqueue(at, 1);
  at.clock.advance(MIN_TICK_MS / 2);
  enqueue(at, 2);
  enqueue(at, 1);
  expect(told(at)).toBe("");
  at.clock.advance(MIN_TICK_MS / 2);
  expect(told(at)).toBe("aab");
  at.clock.advance(1000);
  expect([told(at), at.clock.tick]).toEqual(["", undefined]);
  enqueue(at, 2);
  at.clock.advance(MIN_TICK_MS * 2);
  expect(told(at)).toBe("b");
  at.close();
});

test("one turn has 64 messages of all queues, and the others follow in later turns", async () => {
  const at = await played({ proxy_on_configure: REGISTERS, proxy_on_queue_ready: LOG_QUEUE });
  enqueue(at, 1, MESSAGES_A_TURN - 1);
  enqueue(at, 2, MESSAGES_A_TURN + 3);
  at.clock.advance(MIN_TICK_MS);
  expect(told(at)).toBe(`${"a".repeat(MESSAGES_A_TURN - 1)}b`);
  at.clock.advance(MIN_TICK_MS);
  // The message that arrives meanwhile has its place behind the others.
  enqueue(at, 1);
  expect(told(at)).toBe("b".repeat(MESSAGES_A_TURN));
  at.clock.advance(MIN_TICK_MS);
  expect(told(at)).toBe("bba");
  at.clock.advance(MIN_TICK_MS);
  expect([told(at), at.clock.tick]).toEqual(["", undefined]);
  at.close();
});

test("a filter that sends a message for each one it receives is called 64 times in a turn", async () => {
  const at = await played({
    proxy_on_configure: REGISTERS,
    proxy_on_queue_ready: [
      ...call(DEQUEUE, 1, RESULTS, RESULTS + 4),
      ...op.drop,
      ...call(ENQUEUE, 1, TEXTS, 1),
      ...op.drop,
      ...LOG_QUEUE,
    ],
  });
  enqueue(at, 1);
  for (let turn = 0; turn < 3; turn++) {
    at.clock.advance(MIN_TICK_MS);
    expect(told(at)).toBe("a".repeat(MESSAGES_A_TURN));
  }
  at.close();
});

test("a filter without a callback for messages has no timer for them after the first", async () => {
  const at = await played({ proxy_on_configure: REGISTERS });
  enqueue(at, 1, 3);
  at.clock.advance(1000);
  expect([told(at), at.clock.tick, at.runtime.counted.filter((row) => row !== "callback allow")]).toEqual([
    "",
    undefined,
    [],
  ]);
  at.close();
});

test("an instance that fails at a message is not called for the others, and hears no more", async () => {
  const at = await played({
    proxy_on_configure: REGISTERS,
    proxy_on_queue_ready: op.unreachable,
  });
  enqueue(at, 1, 3);
  enqueue(at, 2, MESSAGES_A_TURN);
  at.clock.advance(MIN_TICK_MS);
  expect(at.runtime.counted.filter((row) => row === "callback trap")).toHaveLength(1);
  enqueue(at, 1);
  expect(at.clock.tick).toBeUndefined();
  at.close();
});

test("a filter that is closed hears no more, and its waiting messages are left in the queue", async () => {
  const at = await played({ proxy_on_configure: REGISTERS, proxy_on_queue_ready: LOG_QUEUE });
  enqueue(at, 1);
  at.filter.close();
  expect(at.clock.tick).toBeUndefined();
  enqueue(at, 2);
  at.clock.advance(1000);
  expect([told(at), at.clock.tick]).toEqual(["", undefined]);
  expect([at.runtime.shared.data.dequeue(1), at.runtime.shared.data.dequeue(1)]).toEqual([Uint8Array.of(7), "empty"]);
  at.close();
});
