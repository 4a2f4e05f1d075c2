import { expect, test } from "bun:test";
import { type FromWorker } from "./messages.ts";
import { WorkerEvents } from "./worker-events.ts";

test("a worker sends its events and lines; of a flood it sends the first line of a cause, and counts", () => {
  const sent: FromWorker[] = [];
  const events = new WorkerEvents((message) => void sent.push(message));
  events.add({ kind: "payment", message: "open" });
  for (let i = 0; i < 1000; i++) events.addLine("the same line");
  for (let i = 0; i < 10_000; i++) events.addLine(`line ${i} ${"x".repeat(5000)}`);
  expect(sent[0]).toEqual({ kind: "event", event: { kind: "payment", message: "open" } });
  expect(sent[1]).toEqual({ kind: "log", text: "the same line", count: 1 });
  expect(sent.length).toBeLessThan(300);
  expect(sent.every((message) => message.kind !== "log" || message.text.length <= 2000)).toBeTrue();
  events.flush();
  expect(sent).toContainEqual({ kind: "log", text: "the same line", count: 999 });
});

test("logging does not throw if the supervisor is gone", () => {
  const events = new WorkerEvents(() => {
    throw new Error("The channel is closed");
  });
  events.addLine("a line");
  events.add({ kind: "worker", message: "an event" });
  expect(events).toBeDefined();
});
