import { expect, test } from "bun:test";
import { baseOf, channelNonce, channelOf } from "./channels.ts";

const ID = `0x${"ab".repeat(32)}`;

test.each(["0", "1", "10", "9".repeat(30)])("the nonce of a payment has its channel and the base %s", (base) => {
  const nonce = channelNonce(ID, base);
  expect([channelOf(nonce), baseOf(nonce)]).toEqual([ID, base]);
});

test("the nonces of a channel are sorted as their bases are", () => {
  const nonces = ["0", "9", "10", "1".repeat(30)].map((base) => channelNonce(ID, base));
  expect(nonces.toSorted()).toEqual(nonces);
});
