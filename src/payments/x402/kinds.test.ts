import { expect, test } from "bun:test";
import { watchTimers } from "../../lib/testing/timers.ts";
import { until } from "../../lib/testing/until.ts";
import { type Kind } from "./facilitator.ts";
import { KindsWatch, SIMULATES, UnsupportedError } from "./kinds.ts";

const EXACT: Kind = { scheme: "exact", network: "eip155:84532" };
const UPTO: Kind = { scheme: "upto", network: "eip155:84532", extra: { facilitatorAddress: "0x01" } };

function setUp(responses: (readonly Kind[] | Error)[], refreshMs = 1) {
  const logged: string[] = [];
  let looks = 0;
  const watch = new KindsWatch(
    {
      async supported() {
        looks += 1;
        const next = responses.length > 1 ? responses.shift() : responses[0];
        if (next === undefined || next instanceof Error) throw next;
        return next;
      },
    },
    { refreshMs, random: () => 0.5, log: (message) => logged.push(message) },
  );
  return { watch, logged, looks: () => looks };
}

test("the first check runs at once, and later checks find changes", async () => {
  const { watch } = setUp([[EXACT], [EXACT], [EXACT, UPTO]]);
  expect(watch.current).toBeUndefined();
  await watch.ready;
  expect(watch.current).toEqual([EXACT]);
  await until(() => watch.current?.length === 2);
  expect(watch.current).toEqual([EXACT, UPTO]);
  watch.close();
});

test("the list stays the same object while nothing changes", async () => {
  const { watch, looks } = setUp([[EXACT], [{ ...EXACT }]]);
  await watch.ready;
  const first = watch.current;
  await until(() => looks() >= 3);
  expect(watch.current).toBe(first);
  watch.close();
});

test("a facilitator that begins to simulate is logged once; the first list is not logged", async () => {
  const simulated = [{ ...EXACT, isSimulated: true as const }];
  const later = setUp([new UnsupportedError("no connection"), simulated, simulated, [EXACT], simulated]);
  await until(() => later.looks() >= 6);
  later.watch.close();
  expect(later.logged).toEqual(["the facilitator responds again", SIMULATES, SIMULATES]);
  const first = setUp([simulated]);
  await until(() => first.looks() >= 2);
  first.watch.close();
  expect(first.logged).toEqual([]);
});

test("the last list stays while checks fail, and a failure is logged once", async () => {
  const { watch, logged, looks } = setUp([
    [EXACT],
    new UnsupportedError("no connection"),
    new Error("secret"),
    [EXACT],
  ]);
  await until(() => looks() >= 4 && logged.length === 2);
  expect(watch.current).toEqual([EXACT]);
  expect(logged).toEqual([
    "Cannot query what the facilitator supports: no connection",
    "the facilitator responds again",
  ]);
  watch.close();
});

test("an unexpected error is logged without its message, and the first failure is logged by the caller", async () => {
  const { watch, logged } = setUp([new Error("https://rpc.example/secret")]);
  await watch.ready;
  expect([watch.failure, logged]).toEqual(["Cannot query what the facilitator supports", []]);
  expect(watch.current).toBeUndefined();
  watch.close();
});

test("a wait for the first check ends when the check fails, also on a closed watch", async () => {
  const refreshMs = 5_432;
  using timers = watchTimers();
  const { watch, looks } = setUp([new UnsupportedError("no connection")], refreshMs);
  watch.close();
  await watch.ready;
  expect(timers.pending(refreshMs)).toBe(0);
  expect([watch.failure, looks()]).toEqual(["Cannot query what the facilitator supports: no connection", 1]);
});

test("renew repeats a failed check, but not a successful one", async () => {
  const { watch, looks } = setUp([new UnsupportedError("no connection"), [EXACT]], 60_000);
  await watch.renew();
  expect([watch.current, looks()]).toEqual([undefined, 1]);
  await Promise.all([watch.renew(), watch.renew()]);
  expect([watch.current, watch.failure, looks()]).toEqual([[EXACT], undefined, 2]);
  await watch.renew();
  expect(looks()).toBe(2);
  watch.close();
});

test("a partial list is used at once, and the missing chains keep their last known kinds", async () => {
  const other: Kind = { scheme: "exact", network: "eip155:1" };
  const { watch, logged, looks } = setUp([
    new UnsupportedError("eip155:1: no connection", [EXACT]),
    [EXACT, other],
    new UnsupportedError("eip155:1: no connection", [UPTO]),
  ]);
  await watch.ready;
  expect(watch.current).toEqual([EXACT]);
  expect(watch.failure).toBe("Cannot query what the facilitator supports: eip155:1: no connection");
  await until(() => looks() >= 4);
  expect(watch.current).toEqual([UPTO, EXACT, other]);
  expect(logged[0]).toBe("the facilitator responds again");
  watch.close();
});
