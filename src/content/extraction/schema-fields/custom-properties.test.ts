import { expect, test } from "bun:test";
import { CustomProperties } from "./custom-properties.ts";

function withRules(...bodies: readonly string[]): CustomProperties {
  const properties = new CustomProperties();
  for (const body of bodies) properties.add(body, true);
  return properties;
}

test.each([
  ["the value of the page", "color:var(--a)", "color:red"],
  ["the element's own value first", "--a:blue;color:var( --a )", "--a:blue;color:blue"],
  ["the value of a property that it names", "color:var(--b)", "color:red"],
  ["its fallback, if the property is not known", "color:var(--z, green )", "color:green"],
  ["the value of the page before a fallback", "color:var(--a, green)", "color:red"],
  ["itself, without value and fallback", "color:var(--z)", "color:var(--z)"],
  ["itself, if it is its own value", "color:var(--c)", "color:var(--c)"],
  ["the text between two uses", "a:var(--a);b:1;c:var(--b)", "a:red;b:1;c:red"],
])("a use is replaced by %s", (_what, body, expected) => {
  expect(withRules("--a: red; --b:var(--a)", "--c:var(--c)").resolve(body)).toBe(expected);
});

test.each([
  ["has another value in a part of the page", (one: CustomProperties) => one.add("--a:blue", false)],
  ["is longer than 200 characters", (one: CustomProperties) => one.add(`--a:${"x".repeat(201)}`, true)],
])("the value is not known if it %s, whatever follows", (_what, change) => {
  const properties = withRules("--a:red");
  change(properties);
  properties.add("--a:green", true);
  expect(properties.resolve("color:var(--a, blue)")).toBe("color:var(--a, blue)");
});

test("a value of 200 characters is known", () => {
  const value = "x".repeat(200);
  expect(withRules(`--a:${value}`).resolve("a:var(--a)")).toBe(`a:${value}`);
});

test("a page has 2,000 properties at most, whose values may still change", () => {
  const names = Array.from({ length: 2_001 }, (_, at) => `--n${at}`);
  const properties = withRules(...names.map((name) => `${name}:red`), "--n0:blue");
  const [first, last, beyond] = ["--n0", "--n1999", "--n2000"].map((name) => properties.resolve(`var(${name}, none)`));
  expect([first, last, beyond]).toEqual(["blue", "red", "none"]);
});

test("properties that name each other are followed five times", () => {
  const chain = Array.from({ length: 6 }, (_, at) => `--n${at}:var(--n${at + 1})`).join(";");
  const properties = withRules(`${chain};--n6:red`);
  expect(properties.resolve("var(--n2)")).toBe("red");
  expect(properties.resolve("var(--n1)")).toBe("var(--n6)");
});

test("a body that grows by more than 10,000 characters in a step is not followed further", () => {
  const properties = withRules(`--a:${"var(--b)".repeat(24)}`, `--b:${"var(--c)".repeat(24)}`, "--c:x");
  const grown = properties.resolve("var(--a)".repeat(9));
  expect(grown).toContain("var(--c)");
  expect(grown.length).toBeLessThan(100_000);
});
