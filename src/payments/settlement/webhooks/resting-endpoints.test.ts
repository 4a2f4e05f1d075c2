import { beforeEach, expect, test } from "bun:test";
import { RestingEndpoints } from "./resting-endpoints.ts";

const URL = "http://books.test";
let now: number;
let resting: RestingEndpoints;

beforeEach(() => {
  now = 0;
  resting = new RestingEndpoints(() => now);
});

test("an endpoint rests after three failures in a row, for a second at first, and for a minute at most", () => {
  expect([resting.failed(URL), resting.failed(URL)]).toEqual([true, false]);
  expect(resting.rests(URL)).toBe(false);
  for (const rest of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    expect(resting.failed(URL)).toBe(false);
    now += rest - 1;
    expect(resting.rests(URL)).toBe(true);
    now += 1;
    expect(resting.rests(URL)).toBe(false);
  }
  expect(resting.rests("http://other.test")).toBe(false);
});

test("a response ends the rest, and the count of failures starts again", () => {
  for (let at = 0; at < 3; at++) resting.failed(URL);
  expect([resting.responded(URL), resting.responded(URL), resting.rests(URL)]).toEqual([true, false, false]);
  expect(resting.failed(URL)).toBe(true);
});
