import { expect, test } from "bun:test";
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
