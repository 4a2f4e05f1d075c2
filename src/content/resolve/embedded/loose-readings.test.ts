import { expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

const BUTTERFLY = "Did Mara Voss swim a world record in the 200 metres butterfly in June 2026?";
const SIGNED = "Did Governor Marlow sign the Water Act?";

test.each([
  [
    BUTTERFLY,
    "Mara Voss swam a world junior record in the 200 metres butterfly on Sunday.",
    "Mara Voss swam a world junior record in the 200 metres butterfly.",
  ],
  [
    BUTTERFLY,
    "Mara Voss swam the 200 metres butterfly on Sunday in national record time.",
    "Mara Voss swam the 200 metres butterfly in record time for juniors.",
  ],
  [
    "Did Mara Voss swim the 400 metres in a world record time at the Vale Games?",
    "Mara Voss swam the 400 metres in a Games record time at the Vale Games.",
    "Mara Voss swam the 400 metres in a personal best time at the Vale Games.",
  ],
  [
    "Did Ines Kolb drive the fastest lap in the history of the Greyport circuit?",
    "Ines Kolb drove the fastest lap of the race at the Greyport circuit.",
    "Ines Kolb drove the fastest lap of the day at the Greyport circuit.",
  ],
  [
    "Did researchers find the wreck of the Aurora?",
    "Researchers found a wreck that is not the Aurora.",
    "Researchers found the wreck of a ship near the place where the Aurora sank.",
  ],
  [SIGNED, "Governor Marlow never ever signed the Water Act.", "Governor Marlow has never ever signed the Water Act."],
  [SIGNED, "Sign the Water Act, Governor Marlow!", "Governor Marlow, sign the Water Act!"],
  [
    "Did Arsenal win the Vale Cup in 2026?",
    "Chelsea, not Arsenal, won the Vale Cup on Sunday.",
    "Chelsea, and not Arsenal, won the Vale Cup on Sunday.",
  ],
  [
    "Did the party choose Lena Ost as its candidate for mayor?",
    "The party chose Lena Ost as its candidate for the council.",
    "The party chose Lena Ost as its candidate for deputy mayor on Sunday.",
  ],
] as const)("%s is not firmly so: %s", async (question, first, second) => {
  expect(await verdictOf(question, [first, second])).not.toBe("YES");
});

test.each([
  [
    BUTTERFLY,
    "Mara Voss swam a world record in the 200 metres butterfly on Sunday.",
    "On Sunday, Mara Voss swam a world record in the 200 metres butterfly.",
  ],
  [
    "Did Arsenal win the Vale Cup in 2026?",
    "Arsenal won the Vale Cup on Sunday.",
    "Arsenal took the Vale Cup on Sunday by winning the final.",
  ],
  [
    "Did the party choose Lena Ost as its candidate for mayor?",
    "The party chose Lena Ost as its candidate for mayor.",
    "The party chose Lena Ost as its candidate for mayor on Sunday.",
  ],
] as const)("%s is firmly so: %s", async (question, first, second) => {
  expect(await verdictOf(question, [first, second])).toBe("YES");
});
