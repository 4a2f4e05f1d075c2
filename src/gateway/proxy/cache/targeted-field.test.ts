import { expect, test } from "bun:test";
import { directivesOf, parseTargetedField } from "./targeted-field.ts";

test.each<[string, object]>([
  ["max-age=60", { maxAge: 60 }],
  ["max-age=2147483648", { maxAge: 2_147_483_648 }],
  ["max-age=99999999999", { maxAge: 2_147_483_648 }],
  ["max-age=-1", { maxAge: 0 }],
  ["max-age=1, max-age=2", { maxAge: 2 }],
  ["max-age=60;a;b=2; c=?0,\tno-cache", { maxAge: 60, noCache: true }],
  ["no-store", { noStore: true }],
  ["no-store=?1", { noStore: true }],
  ["no-store=?0", { noStore: false }],
  ['private="a, b"', { isPrivate: true }],
  ['no-cache=("a" b;c 1.5)', { noCache: true }],
  ['foobar, x=*a, y=:YQ==:, z=@1, w=%"c", v=-1.25, s-maxage=5', { sMaxage: 5 }],
  ["must-revalidate, stale-if-error=7", { mustRevalidate: true, staleIfError: 7 }],
])("a targeted field of %p is read", (value, expected) => {
  expect(parseTargetedField(value)).toMatchObject({ ...expected, isTargeted: true, malformed: false });
});

test.each([
  "",
  "max-age=60,",
  ",max-age=60",
  "max-age=60, &&&&&",
  'max-age="60"',
  "max-age=a",
  "max-age=1.5",
  "max-age",
  "max-age =60",
  "max-age= 60",
  "MaX-aGe=60",
  "max-age=60 no-store",
  "max-age=1234567890123456",
  'private="a',
  "private=(a",
  "max-age=60; A",
])("a targeted field of %p is ignored", (value) => {
  expect(parseTargetedField(value)).toBeUndefined();
  const fields = `X-Cache: ${value}\r\nCache-Control: max-age=5\r\n`;
  expect(directivesOf(fields, ["x-cache"])).toMatchObject({ maxAge: 5, isTargeted: false });
});

test("the first valid field of the list is used, else Cache-Control", () => {
  const fields = "B: max-age=2\r\nA: ,\r\nCache-Control: max-age=9\r\nC: max-age=3\r\nB: no-cache\r\n";
  const targets = ["a", "b", "c"];
  expect(directivesOf(fields, targets)).toMatchObject({ maxAge: 2, noCache: true });
  expect(directivesOf(fields, ["c", "b"])).toMatchObject({ maxAge: 3, noCache: false });
  expect(directivesOf(fields, [])).toMatchObject({ maxAge: 9, isTargeted: false });
});

test("a long invalid field is rejected in time linear to its length", () => {
  for (const piece of ["a=(b c ", "a;b;", 'a="\\\\', "a=1, "]) {
    expect(parseTargetedField(`${piece.repeat(20_000)}&`)).toBeUndefined();
  }
});
