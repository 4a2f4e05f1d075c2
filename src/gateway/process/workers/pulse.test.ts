import { expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { Pulse } from "./pulse.ts";

test("a worker that replies to nothing is stuck after six questions, and is reported once", async () => {
  let [asked, stuck] = [0, 0];
  const pulse = new Pulse({ ask: () => asked++, stuck: () => stuck++, everyMs: 2 });
  pulse.begin();
  await until(() => stuck > 0);
  await Bun.sleep(20);
  expect([asked, stuck]).toEqual([6, 1]);
});

test("a worker that replies late to one of six questions is not stuck", async () => {
  let [asked, stuck] = [0, 0];
  const pulse = new Pulse({ ask: () => ++asked % 6 === 0 && pulse.heard(), stuck: () => stuck++, everyMs: 1 });
  pulse.begin();
  await until(() => asked > 40);
  pulse.end();
  expect(stuck).toBe(0);
});

test("no worker is asked before it serves, or after its end", async () => {
  let asked = 0;
  const pulse = new Pulse({ ask: () => asked++, stuck: () => asked++, everyMs: 1 });
  await Bun.sleep(10);
  expect(asked).toBe(0);
  pulse.begin();
  pulse.end();
  await Bun.sleep(10);
  expect(asked).toBe(0);
});
