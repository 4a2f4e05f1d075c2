import { expect, test } from "bun:test";
import { RestingEndpoints } from "./resting-endpoints.ts";

const NOW = 1_800_000_000_000;
const URL = "http://books.test";

test("an endpoint rests after three failures in a row, for a second at first, and for a minute at most", () => {
  const resting = new RestingEndpoints();
  expect([resting.failed(URL, NOW), resting.failed(URL, NOW)]).toEqual([true, false]);
  expect(resting.rests(URL, NOW)).toBe(false);
  const rests: number[] = [];
  for (const rest of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    expect(resting.failed(URL, NOW)).toBe(false);
    if (resting.rests(URL, NOW + rest - 1) && !resting.rests(URL, NOW + rest)) rests.push(rest);
  }
  expect(rests).toHaveLength(8);
  expect(resting.rests("http://other.test", NOW)).toBe(false);
});

test("a response ends the rest, and the count of failures starts again", () => {
  const resting = new RestingEndpoints();
  for (let at = 0; at < 3; at++) resting.failed(URL, NOW);
  expect([resting.responded(URL), resting.responded(URL), resting.rests(URL, NOW)]).toEqual([true, false, false]);
  expect(resting.failed(URL, NOW)).toBe(true);
});

test("an endpoint does not rest for as long as a clock was set back", () => {
  const resting = new RestingEndpoints();
  for (let at = 0; at < 20; at++) resting.failed(URL, NOW);
  expect([resting.rests(URL, NOW), resting.rests(URL, NOW - 86_400_000)]).toEqual([true, false]);
});
