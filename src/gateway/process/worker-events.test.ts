import { expect, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { type FromWorker } from "./messages.ts";
import { WorkerEvents } from "./worker-events.ts";

test("a worker sends its events and lines; of a flood it sends a part, and the number that it dropped", async () => {
  const sent: FromWorker[] = [];
  const events = new WorkerEvents((message) => void sent.push(message));
  events.add({ kind: "payment", message: "open" });
  for (let i = 0; i < 10_000; i++) events.addLine(`line ${i} ${"x".repeat(5000)}`);
  expect(sent[0]).toEqual({ kind: "event", event: { kind: "payment", message: "open" } });
  expect(sent.length).toBeLessThan(300);
  expect(sent.every((message) => message.kind !== "log" || message.text.length <= 2000)).toBeTrue();
  const told = (): string =>
    sent
      .flatMap((message) => (message.kind === "log" ? [message.text] : []))
      .find((text) => text.includes("further")) ?? "";
  await until(() => told() !== "");
  expect(told()).toMatch(/^9[6-8]\d\d further lines are not shown here/);
});

test("logging does not throw if the supervisor is gone", () => {
  const events = new WorkerEvents(() => {
    throw new Error("The channel is closed");
  });
  events.addLine("a line");
  events.add({ kind: "worker", message: "an event" });
  expect(events).toBeDefined();
});
