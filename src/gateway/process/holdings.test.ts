import { expect, test } from "bun:test";
import { Holdings } from "./holdings.ts";

test("resources close once, the last opened first, and each gets the configuration that takes over", () => {
  const closed: string[] = [];
  const holdings = new Holdings<string>();
  for (const name of ["a", "b", "c"]) {
    expect(holdings.add(name, (held, other) => closed.push(`${held} ${other}`))).toBe(name);
  }
  holdings.close("other");
  holdings.close(undefined);
  expect(closed).toEqual(["c other", "b other", "a other"]);
});
