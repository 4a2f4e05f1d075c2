import { describe, expect, test } from "bun:test";
import { ClassNames } from "./class-names.ts";

const KNOWN = new ClassNames(["sr-only", "kiosk", "cookie-banner"]);

describe("names in a class attribute", () => {
  test.each<[string, boolean]>([
    ["sr-only", true],
    ["title SR-Only", true],
    ["\n kiosk\t", true],
    ["Cookie-Banner-2 cookie-banner", true],
    // A letter outside of ASCII that becomes "k" in lower case.
    ["\u212Aiosk", true],
    ["kios\u212A", true],
    ["", false],
    ["  ", false],
    ["sr-onl sr-only-text", false],
    ["coffee-banner", false],
    ["\u0130iosk", false],
    [`${"x ".repeat(2000)}sr-only`, false],
  ])("%j", (attribute, isFound) => {
    expect(KNOWN.areIn(attribute)).toBe(isFound);
  });

  test("the longest name of the table is found, and a longer one is not", () => {
    const names = new ClassNames(["x".repeat(31)]);
    expect([30, 31, 32, 63, 64].map((length) => names.areIn("x".repeat(length)))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  test("a name that is too long for the table of lengths is refused", () => {
    expect(() => new ClassNames(["x".repeat(32)])).toThrow("too long");
  });
});
