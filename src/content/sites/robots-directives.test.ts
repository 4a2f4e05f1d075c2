import { expect, test } from "bun:test";
import { robotsDirectives } from "./robots-directives.ts";

const CASES: readonly (readonly [meta: string, field: string | string[] | undefined, says: string])[] = [
  ["", undefined, ""],
  ["noindex", undefined, "noindex"],
  ["NOINDEX, NOFOLLOW", undefined, "noindex nofollow"],
  ["none", undefined, "noindex nofollow"],
  ["index, follow", "nofollow", "nofollow"],
  ["", "otherbot: noindex", ""],
  ["", "otherbot: noindex, nofollow", ""],
  ["", "turnpike: noindex", "noindex"],
  ["", "otherbot: nofollow, turnpike: noindex", "noindex"],
  ["", ["otherbot: noindex", "nofollow"], "nofollow"],
  ["", "unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", "noindex"],
  ["max-snippet:20, noindex", undefined, "noindex"],
];

test.each(CASES)("%j and %j say %j", (meta, field, says) => {
  const { noindex, nofollow } = robotsDirectives(meta, field);
  expect([noindex ? "noindex" : "", nofollow ? "nofollow" : ""].join(" ").trim()).toBe(says);
});
