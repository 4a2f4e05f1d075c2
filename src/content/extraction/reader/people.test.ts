import { expect, test } from "bun:test";
import { declaredName, hasNameLabel, isNameLabel, nameWithin, personNameOf } from "./people.ts";

test.each<[string, string | undefined]>([
  ["By Ann Lee", "Ann Lee"],
  ["by: Ann Lee", "Ann Lee"],
  ["Written by Ann Lee on 4 March 2026", "Ann Lee"],
  ["Ann Lee | Editor", "Ann Lee"],
  ["Ann Lee, 4 March 2026", "Ann Lee"],
  ["Ann Lee (Reuters)", "Ann Lee"],
  ["Ann Lee – Senior writer", "Ann Lee"],
  ["von Jana Weiß", "Jana Weiß"],
  ["Author: Ann Lee", "Ann Lee"],
  ["Ann Lee updated 5 May", "Ann Lee"],
  ["admin", undefined],
  ["Sign in", undefined],
  ["Marketing and Event Coordinator", undefined],
  ["page.author.name", undefined],
  ["ann", "ann"],
  ["ann lee", "ann lee"],
  ["ann lee bo", undefined],
  ["van der Berg", "van der Berg"],
  ["Ann Lee!", undefined],
  ["Ann <Lee>", undefined],
  ["www.ann.test", undefined],
  ["January 5", undefined],
  ["5 min read", undefined],
  ["A", undefined],
  ["李", "李"],
  ["李明", "李明"],
  ["Ann 1 2 Lee", "Ann 1 2 Lee"],
  ["Ann 1 2 3 Lee", undefined],
  ["one two three four five six seven eight nine", undefined],
  ["One Two Three Four Five Six Seven Eight Nine", "One Two Three Four Five Six Seven Eight Nine"],
  ["One Two Three Four Five Six Seven Eight Nine Ten", undefined],
  ["— Ann Lee —", "Ann Lee"],
  ["@annlee", "annlee"],
  ["记者昨天从市轮渡公司获悉，航线将恢复开行。", undefined],
  ["By", undefined],
  [`Ann ${"x".repeat(76)}`, `Ann ${"x".repeat(76)}`],
  [`Ann ${"x".repeat(77)}`, undefined],
])("the name in %j is %j", (text, name) => {
  expect(personNameOf(text)).toBe(name as string);
});

test.each<[string, string | undefined]>([
  ["by Ann Lee", "Ann Lee"],
  ["By: Ann Lee,", "Ann Lee"],
  ["ann lee bo cem", "ann lee bo cem"],
  ["Staff", undefined],
  ["articles by Ann", undefined],
  ["Senior writer", undefined],
  ["5", undefined],
  ["{{ author }}", undefined],
  ["<b>Ann", undefined],
  ["page.author.name", undefined],
  [", Ann Lee ;", "Ann Lee"],
  ["Ann  Lee", "Ann Lee"],
])("the declared name %j is %j", (text, name) => {
  expect(declaredName(text)).toBe(name as string);
});

test.each<[string, string | undefined]>([
  ["Today 10:00 Author: Ann Lee", "Ann Lee"],
  ["Today Author Ann Lee", undefined],
  ["Today, Reporter: Ann Lee | more", "Ann Lee"],
  ["Της Ελένης Βασιλάκη", "Ελένης Βασιλάκη"],
  ["本报记者 李明", "李明"],
  ["记者李明、王芳", "李明"],
  ["박서준 기자", "박서준"],
  ["Ann Lee", undefined],
])("the name within %j is %j", (text, name) => {
  expect(nameWithin(text)).toBe(name as string);
});

test.each<[string, boolean, boolean]>([
  ["By", true, true],
  ["By Ann Lee", true, false],
  [" Written by: Ann Lee", true, false],
  ["Author:", true, true],
  ["Bystander", false, false],
  ["", false, false],
  ["Ann Lee by", false, false],
])("%j begins with a label: %p; it is one: %p", (text, begins, is) => {
  expect([hasNameLabel(text), isNameLabel(text)]).toEqual([begins, is]);
});
