import { expect, test } from "bun:test";
import { errorOf } from "../json-schema/testing/error-of.ts";

for (const pattern of [
  "(a+)+$",
  "(a|aa)+$",
  "(a|a)*$",
  "(?:a|a)*$",
  "(.*)*x",
  "(.*a)*x",
  "^(\\w+\\s?)*$",
  "(a\\w*)+$",
  "(?:a|b|ab)+$",
  "(?:(?:a|aa)b?)+$",
  "(a?b?a?)+x",
  "([a-y]|[c-z])*$",
  "(\\d|\\w)+$",
  "x(a|ab|b)*y",
  "(a*)*$",
  "(a*?)*?$",
  "((a*)?b?)*$",
  "(x{0,}y?)*$",
  "^([\\w .-]*)*x?$",
  "(.*a){20}x",
  "^(.*?,){11}P",
  "^(a{1,30}){1,30}x",
]) {
  test(`${pattern} takes exponential time in other programs, and is refused with its place`, () => {
    expect(errorOf({ properties: { a: { pattern } } })).toStartWith("/properties/a/pattern: prone to take exponential");
    const location = `/patternProperties/${pattern}: prone to take exponential`;
    expect(errorOf({ patternProperties: { [pattern]: true } })).toStartWith(location);
  });
}

for (const pattern of [
  "^([a-z]+\\.)+com$",
  "^[^@]+@[^@]+$",
  "^.*$",
  "a*a*a*b",
  "(.*a){3}x",
  "^\\w+(\\s+\\w+)*$",
  "^[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*$",
  "^(\\d+,)+(-+x*y)*$",
  "^([A-Z0-9]?){0,16}$",
  "^(\\x41\\u{42}{2}\\p{Lu}*?,)*$",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^(a|b)*$",
  "(a|b|[ab]c)*d",
  "^\\p{L}+( \\p{L}+)*$",
  "^(?:/(?:[^~/]|~[01])*)*$",
  "^(?<year>\\d{4})-\\d\\d$",
  "^((\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])\\.){3}",
  "[a-z]{1,1000}",
  "[ab]*a([ab]{25}){20}$",
  "[(|)]+\\(\\|\\)",
  `^(?:(?:${Array.from({ length: 200 }, (_, i) => String.fromCodePoint(97 + (i % 26), 97 + Math.floor(i / 26))).join("|")}) ?)+$`,
]) {
  test(`${pattern.slice(0, 100)} is harmless, and accepted`, () => {
    expect(errorOf({ pattern })).toBe("");
    expect(errorOf({ patternProperties: { [pattern]: true } })).toBe("");
  });
}

test("a pattern with too many ways to match is refused, in bounded time", () => {
  expect(errorOf({ pattern: "^((a{0,9}){0,9}){0,9}$" })).toContain("/pattern: it has too many ways to match");
});
