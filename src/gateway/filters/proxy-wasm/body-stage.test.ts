import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../lib/errors.ts";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { BodyStage, type Outcome } from "./body-stage.ts";

/** A stage whose filter decides by `decide`, and a record of what it does. */
function create({ announced = -1, maxBytes = 1000, memory = 1000 } = {}) {
  const pool = new BufferPool({ bufferSize: 1, bufferCount: memory, reserve: 0 });
  const events: string[] = [];
  const filter = { decision: "continue" as Outcome, hasRoom: true };
  const stage: BodyStage = new BodyStage(
    {
      onBody(length, isEnd) {
        events.push(isEnd ? `body ${length} end` : `body ${length}`);
        return filter.decision;
      },
      onTrailers(trailers) {
        events.push(`trailers ${trailers.trim()}`);
        return filter.decision;
      },
      pass({ pieces, length, isChanged, isLast }) {
        const text = Buffer.concat(pieces).toString();
        expect([length, isChanged]).toEqual([text.length, false]);
        events.push(isLast ? `pass ${text} last` : `pass ${text}`);
        return filter.hasRoom;
      },
      passEnd: () => void events.push("end"),
    },
    { failWith: ({ message }) => void events.push(message) },
    {
      maxBytes,
      memory: pool,
      tooLong: new TurnpikeError("body-too-large", "too long"),
      noRoom: new TurnpikeError("overloaded", "no room"),
    },
    announced,
  );
  return { pool, events, filter, stage };
}

function send(stage: BodyStage, text: string): boolean {
  return stage.data(Buffer.from(`<${text}>`), 1, text.length + 1);
}

test("pieces pass as the filter lets them, and their reader can pause them", () => {
  const { pool, events, filter, stage } = create();
  expect([send(stage, "ab"), send(stage, ""), stage.isWaiting, stage.isDone]).toEqual([true, true, false, false]);
  filter.hasRoom = false;
  expect(send(stage, "c")).toBe(false);
  stage.end("");
  expect(events).toEqual(["body 2", "pass ab", "body 1", "pass c", "body 0 end", "pass  last", "end"]);
  expect([stage.isDone, stage.isWaiting, pool.used]).toEqual([true, false, 0]);
});

test("pieces that the filter holds are shown again with the next one, and count until they pass", () => {
  const { pool, events, filter, stage } = create();
  filter.decision = "pause";
  expect([send(stage, "ab"), send(stage, "c"), stage.isWaiting]).toEqual([true, true, false]);
  expect(pool.used).toBeGreaterThanOrEqual(3);
  filter.decision = "continue";
  expect(send(stage, "d")).toBe(true);
  expect([events, pool.used]).toEqual([["body 2", "body 3", "body 4", "pass abcd"], 0]);
});

test("the filter resumes held pieces, and nothing else", () => {
  const { pool, events, filter, stage } = create();
  expect([stage.resume(), events]).toEqual([true, []]);
  filter.decision = "pause";
  send(stage, "ab");
  filter.hasRoom = false;
  expect([stage.resume(), events.at(-1), pool.used]).toEqual([false, "pass ab", 0]);
  expect([stage.resume(), events.length]).toEqual([true, 2]);
});

test("the filter sees the end with the last byte of an announced length", () => {
  const { events, filter, stage } = create({ announced: 3 });
  send(stage, "ab");
  filter.decision = "pause";
  send(stage, "c");
  expect([events.at(-1), stage.isWaiting, stage.isDone]).toEqual(["body 1 end", true, false]);
  stage.end("");
  expect([events.length, stage.isWaiting, stage.isDone]).toEqual([3, true, false]);
  filter.decision = "continue";
  stage.resume();
  expect(events.slice(3)).toEqual(["pass c last", "end"]);
  const quick = create({ announced: 1 });
  send(quick.stage, "a");
  quick.stage.end("");
  expect(quick.events).toEqual(["body 1 end", "pass a last", "end"]);
});

test("an end that the filter holds waits", () => {
  const { events, filter, stage } = create();
  filter.decision = "pause";
  send(stage, "a");
  stage.end("");
  expect([events, stage.isWaiting]).toEqual([["body 1", "body 1 end"], true]);
  stage.resume();
  expect(events.slice(2)).toEqual(["pass a last", "end"]);
});

test("trailers take the place of the end, behind the bytes", () => {
  const { events, filter, stage } = create();
  filter.decision = "pause";
  send(stage, "a");
  filter.decision = "continue";
  stage.end("x: 1\r\n");
  expect(events).toEqual(["body 1", "trailers x: 1", "pass a", "end"]);
});

test("a body that is longer than the filter may hold is refused, and one without memory", () => {
  const long = create({ maxBytes: 3 });
  long.filter.decision = "pause";
  send(long.stage, "abc");
  expect([send(long.stage, "d"), long.events]).toEqual([true, ["body 3", "too long"]]);
  const full = create({ memory: 1 });
  full.filter.decision = "pause";
  send(full.stage, "abc");
  expect([full.events, full.pool.used]).toEqual([["body 3", "no room"], 0]);
});

test("nothing passes after the stream is over", () => {
  const { pool, events, filter, stage } = create();
  filter.decision = "pause";
  send(stage, "ab");
  stage.close();
  expect([pool.used, stage.bytes.length]).toEqual([0, 0]);
  send(stage, "c");
  stage.end("");
  stage.resume();
  expect(events).toEqual(["body 2"]);
  const other = create();
  other.filter.decision = "over";
  expect([send(other.stage, "a"), other.events]).toEqual([true, ["body 1"]]);
});
