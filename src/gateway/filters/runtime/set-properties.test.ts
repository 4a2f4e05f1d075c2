import { expect, test } from "bun:test";
import { SetProperties } from "./set-properties.ts";

const MAX_PROPERTIES = 64;
const MAX_PROPERTY_BYTES = 65_536;

const bytes = (length: number) => new Uint8Array(length);

test("properties belong to their owner, and the last value counts", () => {
  const properties = new SetProperties();
  const [one, other] = [{}, {}];
  expect(properties.get(one, "a")).toBeUndefined();
  expect([properties.set(one, "a", bytes(1)), properties.set(one, "a", bytes(2))]).toEqual([true, true]);
  expect([properties.get(one, "a")?.length, properties.get(one, "b"), properties.get(other, "a")]).toEqual([
    2,
    undefined,
    undefined,
  ]);
});

test("an owner has a limited number of properties, of which each can still be changed", () => {
  const properties = new SetProperties();
  const owner = {};
  for (let i = 0; i < MAX_PROPERTIES; i++) expect(properties.set(owner, `p${i}`, bytes(1))).toBe(true);
  expect(properties.set(owner, "more", bytes(0))).toBe(false);
  expect([properties.set(owner, "p0", bytes(3)), properties.get(owner, "p0")?.length]).toEqual([true, 3]);
  expect([properties.get(owner, "more"), properties.set({}, "more", bytes(0))]).toEqual([undefined, true]);
});

test("the names and values of an owner have limited bytes in all", () => {
  const properties = new SetProperties();
  const owner = {};
  expect(properties.set(owner, "ab", bytes(MAX_PROPERTY_BYTES - 1))).toBe(false);
  expect(properties.set(owner, "ab", bytes(MAX_PROPERTY_BYTES - 5))).toBe(true);
  expect([properties.set(owner, "c", bytes(3)), properties.set(owner, "c", bytes(2))]).toEqual([false, true]);
  // A new value takes the place of the old one.
  expect(properties.set(owner, "ab", bytes(MAX_PROPERTY_BYTES - 5))).toBe(true);
  expect(properties.set(owner, "ab", bytes(MAX_PROPERTY_BYTES - 4))).toBe(false);
  expect(properties.get(owner, "ab")?.length).toBe(MAX_PROPERTY_BYTES - 5);
});
