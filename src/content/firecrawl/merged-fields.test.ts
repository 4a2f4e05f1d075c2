import { expect, test } from "bun:test";
import { merged } from "./merged-fields.ts";

test("the first page with a value counts, lists have the items of all pages, and each field has its pages", () => {
  const pages = [
    {
      url: "a",
      fields: { name: "Inn", fee: null, rooms: [{ bed: 1 }, { bed: 2 }], owner: { first: "Ann", last: null } },
    },
    { url: "b", fields: { name: "Hut", fee: 0, rooms: [{ bed: 2 }, { bed: 3 }], owner: { first: "Bo", last: "Li" } } },
    { url: "c", fields: { name: null, fee: 5, rooms: [], owner: { first: null, last: null } } },
  ];
  expect(merged(pages)).toEqual({
    data: { name: "Inn", fee: 0, rooms: [{ bed: 1 }, { bed: 2 }, { bed: 3 }], owner: { first: "Ann", last: "Li" } },
    sources: { name: ["a", "b"], fee: ["b", "c"], rooms: ["a", "b"], owner: ["a", "b"] },
  });
  expect(merged([])).toEqual({ data: {}, sources: {} });
});

test("names of members that every object has are ordinary fields", () => {
  const fields = { constructor: "a", ["__proto__"]: null };
  const { data, sources } = merged([
    { url: "a", fields },
    { url: "b", fields: { constructor: null } },
  ]);
  expect(JSON.stringify([data, sources])).toBe('[{"constructor":"a","__proto__":null},{"constructor":["a"]}]');
});
