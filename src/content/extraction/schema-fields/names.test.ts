import { expect, test } from "bun:test";
import { namesOf, type NamedField, normalName } from "./names.ts";

test.each([
  ["jobTitle", "job title"],
  ["job_title", "job title"],
  ["Job title:", "job title"],
  ["Größe (cm)", "große"],
  ["a [b] c", "a c"],
  ["Ärzte", "arzte"],
  ["A1b2C", "a1b2 c"],
  ["日本 語", "日本 語"],
  ["x".repeat(81), "x".repeat(80)],
  [`${"x ".repeat(40)}y`, "x ".repeat(40)],
])("the name %j has the form %j", (text, form) => {
  expect(normalName(text)).toBe(form);
  expect(normalName(text)).toBe(form);
});

const brief = (name: string, more: NamedField = {}): object => {
  const { concept, unit, money, end } = namesOf(name, more);
  return {
    concept,
    unit: unit?.dimension,
    money,
    end: end && `${end.side} ${end.isMoney ? "of money " : ""}${[...end.labels][0]}`,
  };
};
const NUMBER: NamedField = { type: "number" };

test.each<[string, NamedField, object]>([
  ["productName", {}, { concept: "name" }],
  ["price", NUMBER, { concept: "price" }],
  ["width_cm", NUMBER, { concept: "width", unit: "length" }],
  ["width_cm", { type: "text" }, {}],
  ["weight square feet", NUMBER, { concept: "weight", unit: "acre" }],
  ["price_per_kg", NUMBER, {}],
  ["kg", NUMBER, {}],
  ["price_eur", NUMBER, { concept: "price", money: "EUR" }],
  ["price_xyz", NUMBER, {}],
  ["salary_min", NUMBER, { concept: "salary min", end: "min of money salary" }],
  ["max_salary", NUMBER, { concept: "salary max", end: "max of money salary" }],
  ["max", NUMBER, {}],
  ["a max b", NUMBER, {}],
  ["salary_min", { type: "text" }, { concept: "salary min" }],
  ["seats_min", NUMBER, { end: "min seats" }],
  ["min_seats", NUMBER, { end: "min seats" }],
  ["rating_min", NUMBER, { end: "min rating" }],
  ["playing_min", NUMBER, { unit: "time", end: undefined }],
  ["duration_mins", NUMBER, { concept: "total time", unit: "time" }],
  ["price_month", NUMBER, {}],
  ["release_year", NUMBER, {}],
  ["warranty_years", NUMBER, { concept: "warranty", unit: "months" }],
  ["cook_min", NUMBER, { concept: "cook time", unit: "time" }],
  ["categories", {}, { concept: "category" }],
  ["author name", { type: "text" }, { concept: "author" }],
  ["recipe", { type: "text" }, { concept: "name" }],
  ["recipe", {}, {}],
  ["name", { around: ["products"] }, { concept: "name" }],
  ["x", { title: "Preis" }, { concept: "price" }],
  ["class", {}, {}],
])("the field %p with %j is known as %j", (name, more, expected) => {
  expect(brief(name, more)).toEqual({
    concept: undefined,
    unit: undefined,
    money: undefined,
    end: undefined,
    ...expected,
  });
});

test.each<[string, NamedField, string[]]>([
  ["number of seats", NUMBER, ["number of seats", "number of seat", "seats"]],
  ["seat count", NUMBER, ["seat count", "seat counts", "seat"]],
  ["release date", { type: "date" }, ["release date", "release dates", "release"]],
  ["release", { type: "date" }, ["release", "releases", "release date"]],
  ["ingredient name", { type: "text" }, ["ingredient name", "ingredient names", "ingredient"]],
  ["x", { description: "Kaltmiete in EUR" }, ["x", "xs", "kaltmiete"]],
  ["x", { description: "Rent of flats" }, ["x", "xs", "rent of flats"]],
  ["x", { description: "The rent of flats" }, ["x", "xs"]],
  ["x", { title: "Y" }, ["x", "xs", "y"]],
  ["gloss", { around: ["parts"] }, ["gloss", "part gloss"]],
  ["galaxy", {}, ["galaxy", "galaxies"]],
])("the field %p with %j has the labels %j", (name, more, labels) => {
  const found = namesOf(name, more).labels;
  expect(labels.filter((label) => !found.has(label))).toEqual([]);
  expect(found.has("")).toBe(false);
  if (more.description !== undefined) expect([...found]).toEqual(labels);
});
