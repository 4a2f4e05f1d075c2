import { expect, test } from "bun:test";
import { isWholeSentence } from "./whole-sentence.ts";

test.each<[isWhole: boolean, text: string, piece: string]>([
  [true, "Ana won. Luis lost. Eva drew.", "Luis lost."],
  [true, "Luis lost.", "Luis lost."],
  [true, "Luis lost", "Luis lost"],
  [false, "Ana said Luis lost.", "Luis lost."],
  [false, "Luis lost to Ana.", "Luis lost"],
  [true, "Ana won! “Luis lost.” Eva drew.", "“Luis lost.”"],
  [true, "Results\n\nLuis lost.", "Luis lost."],
  [true, "Results\n# Luis lost.", "Luis lost."],
  [false, "Results\nluis lost.", "luis lost."],
  [true, "Luis lost\n\nEva drew.", "Luis lost"],
  [false, "Luis lost\nto Ana.", "Luis lost"],
  [false, "Luis lost # to Ana.", "Luis lost"],
  [true, "安娜赢了。路易输了。", "路易输了。"],
  [false, "Ana won.", "Luis lost."],
  [false, "Ana won. ", "Luis lost."],
  [true, "\nLuis lost.", "Luis lost."],
  [false, "A Luis lost.", "Luis lost."],
])("%p: in %j, %j is a whole sentence", (isWhole, text, piece) => {
  expect(isWholeSentence(text, piece)).toBe(isWhole);
});
