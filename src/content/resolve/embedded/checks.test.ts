import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

describe.each<[question: string, sides: readonly (readonly [side: string, sentence: string])[]]>([
  [
    "Did Governor Marlow sign the Water Act?",
    [
      ["NO", "The claim that Governor Marlow signed the Water Act is false."],
      ["NO", "It is not true that Governor Marlow signed the Water Act."],
      ["YES?", "It is not true that Governor Marlow did not sign the Water Act."],
      ["", "The claim that Governor Marlow signed the Water Act is not false."],
      ["YES", "Did Governor Marlow sign the Water Act? Yes."],
      ["NO", "Did Governor Marlow sign the Water Act? No."],
      ["NO", "Did Governor Marlow not sign the Water Act? Yes."],
      ["", "Did Governor Marlow veto the Water Act? Yes."],
      ["", "Did the governor sign the act? Yes."],
    ],
  ],
  [
    "Did the park have a million visitors in 2026?",
    [
      ["NO", "It is false that the park had 1,000,000 visitors in 2026."],
      ["", "It is not true that the park had 874,200 visitors in 2026."],
    ],
  ],
])("%s", (question, sides) => {
  test.each(sides)("%j: %s", async (side, sentence) => {
    expect(await sideOf(question, sentence)).toBe(side);
  });
});
