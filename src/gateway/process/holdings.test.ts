import { expect, test } from "bun:test";
import { Holdings } from "./holdings.ts";

test("what was opened last is closed first, once, and hears who goes on", () => {
  const closed: string[] = [];
  const holdings = new Holdings<string>();
  for (const name of ["a", "b", "c"]) {
    expect(holdings.add(name, (held, other) => closed.push(`${held} ${other}`))).toBe(name);
  }
  holdings.close("other");
  holdings.close(undefined);
  expect(closed).toEqual(["c other", "b other", "a other"]);
});
