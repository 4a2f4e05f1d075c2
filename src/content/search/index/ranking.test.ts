import { expect, test } from "bun:test";
import { RANKING, scoresOf } from "./ranking.ts";

test("a page has the score of its best passage, and a falling share of that of each further one", () => {
  const passages = [
    { page: 1, score: 10 },
    { page: 2, score: 8 },
    { page: 1, score: 6 },
    { page: 1, score: 4 },
  ];
  const scores = scoresOf(passages, { ...RANKING, nextPassage: 1 / 2 });
  expect([...scores]).toEqual([
    [1, 14],
    [2, 8],
  ]);
});
