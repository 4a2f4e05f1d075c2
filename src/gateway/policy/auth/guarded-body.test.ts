import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type BodySink, type RequestBody } from "../../exchange/exchange.ts";
import { GuardedBody } from "./guarded-body.ts";

/** A body whose events are sent by the test, and which records the calls. */
class ToldBody implements RequestBody {
  complete = false;
  sink: BodySink | undefined;
  readonly asked: string[] = [];

  readTo(sink: BodySink): void {
    this.sink = sink;
  }
  pause(): void {
    this.asked.push("pause");
  }
  resume(): void {
    this.asked.push("resume");
  }
  liftLimits(): void {
    this.asked.push("liftLimits");
  }
}

test("a guarded body passes unchanged, except identity fields in its trailers", () => {
  const body = new ToldBody();
  const guarded = new GuardedBody(body, ["x-user"]);
  const heard: unknown[] = [];
  guarded.readTo({
    data: (chunk, start, end) => heard.push(["data", chunk, start, end]) < 2,
    end: (trailers) => heard.push(["end", trailers]),
    abort: (error) => heard.push(["abort", error]),
  });
  const chunk = new Uint8Array([1, 2, 3]);
  expect([body.sink?.data(chunk, 1, 2), body.sink?.data(chunk)]).toEqual([true, false]);
  const error = new TurnpikeError("bad-request", "no");
  body.sink?.abort(error);
  body.sink?.end("");
  body.sink?.end("X_User: eve\r\nX-Sum: 1\r\n");
  expect(heard).toEqual([
    ["data", chunk, 1, 2],
    ["data", chunk, undefined, undefined],
    ["abort", error],
    ["end", ""],
    ["end", "X-Sum: 1\r\n"],
  ]);
  guarded.pause();
  guarded.resume();
  guarded.liftLimits();
  expect(body.asked).toEqual(["pause", "resume", "liftLimits"]);
  expect(guarded.complete).toBe(false);
  body.complete = true;
  expect(guarded.complete).toBe(true);
});
