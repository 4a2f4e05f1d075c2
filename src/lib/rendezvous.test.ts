import { expect, test } from "bun:test";
import { type Choice, Rendezvous } from "./rendezvous.ts";

const TEXTS = Array.from({ length: 12_000 }, (_, at) => `text ${at}`);

function choices(weights: Readonly<Record<string, number>>): Choice[] {
  return Object.entries(weights).map(([key, weight]) => ({ key, weight }));
}

function chosen(list: readonly Choice[], texts: readonly string[] = TEXTS, out = ""): string[] {
  const rendezvous = new Rendezvous(list);
  return texts.map((text) => rendezvous.choose(text, ({ key }) => key !== out)?.key ?? "nobody");
}

function moves(before: readonly string[], after: readonly string[]): string[] {
  const found = new Set(before.map((key, at) => `${key}>${after[at]}`).filter((move) => !/^(.*)>\1$/.test(move)));
  return [...found].toSorted();
}

test("without choices, allowed choices or choices with a weight the result is undefined", () => {
  expect(chosen([], ["a"])).toEqual(["nobody"]);
  expect(chosen(choices({ a: 1 }), ["a"], "a")).toEqual(["nobody"]);
  expect(chosen(choices({ a: 0 }), ["a"])).toEqual(["nobody"]);
  expect(new Set(chosen(choices({ a: 0, b: 1 })))).toEqual(new Set(["b"]));
});

test("each choice is taken as often as its weight says, also as the second choice", () => {
  const list = choices({ a: 1, b: 2, c: 3 });
  const first = chosen(list);
  const rest: Readonly<Record<string, number>> = { b: 2 / 5, c: 3 / 5 };
  for (const { key, weight } of list) {
    // Six standard deviations.
    expect(Math.abs(first.filter((found) => found === key).length - 2000 * weight)).toBeLessThan(330);
  }
  const ofA = TEXTS.filter((_, at) => first[at] === "a");
  const second = chosen(list, ofA, "a");
  for (const [key, part] of Object.entries(rest)) {
    expect(Math.abs(second.filter((found) => found === key).length - ofA.length * part)).toBeLessThan(140);
  }
});

test("a choice that leaves, joins or gains weight affects only its own part of the texts", () => {
  const before = chosen(choices({ a: 1, b: 2, c: 3 }));
  expect(moves(before, chosen(choices({ b: 2, c: 3 })))).toEqual(["a>b", "a>c"]);
  expect(moves(before, chosen(choices({ a: 1, b: 2, c: 3, d: 1 })))).toEqual(["a>d", "b>d", "c>d"]);
  expect(moves(before, chosen(choices({ a: 1, b: 4, c: 3 })))).toEqual(["a>b", "c>b"]);
  expect(moves(before, chosen(choices({ a: 10, b: 20, c: 30 })))).toEqual([]);
  expect(moves(before, chosen(choices({ c: 3, a: 1, b: 2 })))).toEqual([]);
});

test("the result is the same in every process and version, so that clients stay where they are after an update", () => {
  const list = choices({ "10.0.0.1:80": 1, "10.0.0.2:80": 1, "10.0.0.3:80": 1, "unix:/a.sock": 2 });
  const found = {
    "192.0.2.1": "10.0.0.3:80",
    "192.0.2.2": "10.0.0.2:80",
    "192.0.2.3": "10.0.0.3:80",
    "2001:db8::1": "unix:/a.sock",
    "2001:db8::2": "unix:/a.sock",
    "": "10.0.0.2:80",
    alice: "10.0.0.3:80",
  };
  expect(chosen(list, Object.keys(found))).toEqual(Object.values(found));
});
