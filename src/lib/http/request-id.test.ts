import { expect, test } from "bun:test";
import { isRequestId, RequestIds } from "./request-id.ts";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are UUIDs of version 7, unique and in order, also when the clock stands still or goes back", () => {
  let time = Date.UTC(2026, 10, 20);
  const source = new RequestIds(() => time);
  const ids: string[] = [];
  for (const step of [0, 0, 1, -5000, 0, 5001]) {
    time += step;
    for (let i = 0; i < 5000; i++) ids.push(source.next());
  }
  expect(ids.every((id) => UUID7.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(ids);
});

test("an id contains the time of its creation", () => {
  const id = new RequestIds(() => 0x01_23_45_67_89_ab).next();
  expect(id).toStartWith("01234567-89ab-7000-");
});

test("a client's id is kept if it is 1 to 128 visible ASCII characters", () => {
  for (const id of ["a", "x".repeat(128), "!~"]) expect(isRequestId(id)).toBe(true);
  for (const id of ["", "x".repeat(129), "a b", "\u00e9", "a\t"]) expect(isRequestId(id)).toBe(false);
});
