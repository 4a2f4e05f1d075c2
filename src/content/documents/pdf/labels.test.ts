import { expect, test } from "bun:test";
import { labelOf } from "./labels.ts";

test.each(["\u2022", "-", "\uF0B7", "\uF095", "\uE00C"])("the sign %j before a text is a bullet", (bullet) => {
  expect(labelOf(`${bullet} Buy rope`)).toEqual({ number: undefined, length: 2 });
  expect(labelOf(`${bullet}Buy rope`)).toBeUndefined();
});
