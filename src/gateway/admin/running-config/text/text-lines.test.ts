import { expect, test } from "bun:test";
import { TextLines } from "./text-lines.ts";

test("the start of a text is the start of its first line, also if that is empty", () => {
  const lines = new TextLines("\na: 1\n", /#.*/uy);
  expect([lines.begins(0), lines.margin(0), lines.column(0), lines.endOfPreviousLine(0)]).toEqual([
    true,
    "",
    "",
    undefined,
  ]);
});
