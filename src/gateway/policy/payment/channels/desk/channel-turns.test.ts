import { expect, test } from "bun:test";
import { watchTimers } from "../../../../../lib/testing/timers.ts";
import { ChannelTurns } from "./channel-turns.ts";

/** Milliseconds that no test waits for. */
const LONG = 60_000;

test("a corrected client keeps its turn, although no other client waited when it was corrected", async () => {
  const turns = new ChannelTurns();
  expect(await turns.enter("channel", "first", LONG)).toBe(true);
  turns.expect("channel", "first", "second");
  let hasTurn = false;
  const other = turns.enter("channel", "first", LONG).then((entered) => {
    hasTurn = true;
    return entered;
  });
  expect(await turns.enter("channel", "second", LONG)).toBe(true);
  await new Promise(setImmediate);
  expect(hasTurn).toBe(false);
  turns.leave("channel", "second");
  expect(await other).toBe(true);
  turns.leave("channel", "first");
});

/** Enters, and records the nonces of the requests that have their turn, in order. */
function entering(turns: ChannelTurns, id = "channel") {
  const entered: string[] = [];
  const enter = (nonce: string, ms = LONG): Promise<boolean> =>
    turns.enter(id, nonce, ms).then((is) => {
      if (is) entered.push(nonce);
      return is;
    });
  return { entered, enter };
}

const settled = (): Promise<void> => new Promise(setImmediate);

test("the requests of a channel have their turns one after the other, and those of others do not wait", async () => {
  const turns = new ChannelTurns();
  const { entered, enter } = entering(turns);
  await enter("a");
  const waiting = [enter("b"), enter("c")];
  await settled();
  expect(entered).toEqual(["a"]);
  expect(await turns.enter("other", "a", LONG)).toBe(true);
  // One without the turn ends no other's.
  turns.leave("channel", "c");
  turns.leave("unknown", "a");
  await settled();
  expect(entered).toEqual(["a"]);
  for (const [nonce, seen] of [
    ["a", ["a", "b"]],
    ["b", ["a", "b", "c"]],
  ] as const) {
    turns.leave("channel", nonce);
    await settled();
    expect(entered).toEqual([...seen]);
  }
  await Promise.all(waiting);
  turns.leave("channel", "c");
  expect(await enter("d")).toBe(true);
});

test("a request that has waited long enough goes on, and its turn ends with it", async () => {
  using timers = watchTimers((ms) => (ms === 7 ? 1 : ms));
  const turns = new ChannelTurns();
  const { entered, enter } = entering(turns);
  await enter("a");
  expect(await enter("b", 7)).toBe(true);
  const last = enter("c");
  // The first one ends late: the turn is not its own any more.
  turns.leave("channel", "a");
  await settled();
  expect(entered).toEqual(["a", "b"]);
  turns.leave("channel", "b");
  await last;
  expect([entered, timers.pending(LONG)]).toEqual([["a", "b", "c"], 0]);
});

test("64 requests wait for a channel, and 4096 for all, as often as they come", async () => {
  const turns = new ChannelTurns();
  for (let round = 0; round < 2; round++) {
    const waiting: Promise<boolean>[] = [];
    for (let channel = 0; channel < 64; channel++) {
      await turns.enter(`${channel}`, "first", LONG);
      for (let at = 0; at < 64; at++) waiting.push(turns.enter(`${channel}`, `${at}`, LONG));
      if (channel === 0) expect(await turns.enter("0", "65", LONG)).toBe(false);
    }
    await turns.enter("more", "first", LONG);
    expect(await turns.enter("more", "second", LONG)).toBe(false);
    for (let channel = 0; channel < 64; channel++) {
      turns.leave(`${channel}`, "first");
      for (let at = 0; at < 64; at++) {
        await settled();
        turns.leave(`${channel}`, `${at}`);
      }
    }
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
    const next = turns.enter("more", "second", LONG);
    turns.leave("more", "first");
    expect(await next).toBe(true);
    turns.leave("more", "second");
  }
});

test("the turn of a corrected client is kept for two seconds", async () => {
  let isOver = false;
  using timers = watchTimers((ms) => (ms === 2000 && isOver ? 1 : ms));
  const turns = new ChannelTurns();
  const { entered, enter } = entering(turns);
  await enter("a");
  const other = enter("b");
  turns.expect("channel", "a", "next");
  expect(timers.pending(2000)).toBe(1);
  expect(await enter("next")).toBe(true);
  expect([timers.pending(2000), entered]).toEqual([0, ["a", "next"]]);
  isOver = true;
  turns.expect("channel", "next", "never");
  await other;
  expect(entered).toEqual(["a", "next", "b"]);
  // A request without the turn cannot keep one.
  turns.expect("channel", "a", "next");
  turns.expect("unknown", "a", "next");
  expect(timers.pending(2000)).toBe(0);
  turns.leave("channel", "b");
  expect(await enter("c")).toBe(true);
});
