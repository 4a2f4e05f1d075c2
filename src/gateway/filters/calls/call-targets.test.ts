import { expect, test } from "bun:test";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { Upstream } from "../../upstream/upstream.ts";
import { CallTargets } from "./call-targets.ts";

function upstreamsOf(...names: string[]) {
  const made = new Map(
    names.map((name) => [
      name,
      new Upstream({ name, balancing: "round_robin", scheme: "http" }, () => {
        throw new Error("it has no servers");
      }),
    ]),
  );
  return { find: (name: string) => made.get(name) };
}

test("calls go to the upstreams of the active configuration, or before that of the one that is being loaded", () => {
  const targets = new CallTargets(new TimerWheel());
  expect(targets.of("a")).toBeUndefined();
  const [first, second] = [upstreamsOf("a", "b"), upstreamsOf("a", "c")];
  targets.offer(first, "turnpike");
  expect(targets.of("a")?.upstream).toBe(first.find("a"));
  targets.use();
  expect(targets.of("a")).toBe(targets.of("a"));
  // Filters of the next configuration make calls while they start. The other filters keep their own targets.
  targets.offer(second, "turnpike");
  expect(targets.of("a")?.upstream).toBe(first.find("a"));
  expect(targets.of("b")?.upstream).toBe(first.find("b"));
  expect(targets.of("c")?.upstream).toBe(second.find("c"));
  targets.use();
  expect(targets.of("a")?.upstream).toBe(second.find("a"));
  expect(targets.of("b")).toBeUndefined();
});
