import { expect, test } from "bun:test";
import { planOf } from "./field-plan.ts";
import { plainText, type Scalar, stockIn, typedValue } from "./values.ts";

/** The value that a field with this name and schema has for a text or a value of structured data. */
function valueOf(
  name: string,
  schema: object,
  value: Scalar,
  more: { isData?: boolean; locale?: string } = {},
): Scalar | undefined {
  const leaf = planOf({ type: "object", properties: { [name]: schema } }).root.members.get(name);
  if (leaf?.kind !== "leaf") throw new Error("The schema is not that of one value");
  const { isData, locale = "en" } = more;
  return typedValue(leaf, value, { base: "https://shop.example/p/1", locale }, isData);
}

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const DATA = { isData: true };

test.each<[string, object, Scalar, Scalar | undefined]>([
  // Durations are minutes, unless the name has another unit.
  ["prepTime", NUMBER, "1 h 20 min", 80],
  ["prepTime", NUMBER, "2 hours", 120],
  ["prepTime", NUMBER, "45 Minuten", 45],
  ["prepTime", NUMBER, "PT1H20M", 80],
  ["prepTime", NUMBER, "P1DT1M", 1_441],
  ["prepTime", NUMBER, "P2D", 2_880],
  ["prepTime", NUMBER, "PT", undefined],
  ["prepTime", { ...NUMBER, description: "In hours" }, "90 min", 1.5],
  ["prepTime", { ...NUMBER, description: "In seconds" }, "2 min", 120],
  ["playing_seconds", NUMBER, "1 h 1 min", 3_660],
  ["playing_hours", NUMBER, "1 h 30 min", 1.5],
  // Amounts.
  ["price", NUMBER, "€12.50", 12.5],
  ["price", NUMBER, "12.50", 12.5],
  ["price", NUMBER, "€12 or €13", undefined],
  ["price_eur", NUMBER, "$12", undefined],
  ["price_eur", NUMBER, "€12", 12],
  ["price_eur", NUMBER, "€12, which are $13", undefined],
  // Ratings.
  ["rating", NUMBER, "4.5 out of 5", 4.5],
  ["rating", NUMBER, "Rated 4,5 von 5,0", 4.5],
  ["rating", NUMBER, "4.5 / 5 (12 reviews)", 4.5],
  ["rating", NUMBER, "4.5 (12)", 4.5],
  // Numbers.
  ["seats", NUMBER, "Seats: 4 (5 with a child)", 4],
  ["seats", NUMBER, "4 or 5", undefined],
  ["seats", NUMBER, `4${" ".repeat(298)}x`, 4],
  ["seats", NUMBER, `4${" ".repeat(299)}x`, undefined],
  ["seats", NUMBER, true, undefined],
  ["seats", NUMBER, 9_007_199_254_740_991, 9_007_199_254_740_991],
  ["seats", NUMBER, 9_007_199_254_740_992, undefined],
  ["seats", { type: ["integer", "string"] }, "many", "many"],
  ["seats", { type: ["integer", "string"] }, "4", 4],
  // Words of yes and no.
  ["organic", { type: "boolean" }, "Oui", true],
  ["organic", { type: "boolean" }, "nein", false],
  ["organic", { type: "boolean" }, "perhaps", undefined],
  ["organic", { type: "boolean" }, false, false],
  ["inStock", { type: "boolean" }, "Sold out", false],
  ["inStock", { type: "boolean" }, "Currently in stock", true],
  ["inStock", { type: "boolean" }, "Not available", false],
  ["organic", { type: "boolean" }, "Currently in stock", undefined],
  // Choices.
  ["size", { enum: [1, 2] }, 2, 2],
  ["size", { enum: [1, 2] }, "2", 2],
  ["size", { enum: ["small", "large"] }, "A large box", "large"],
  ["size", { enum: ["small", "large"] }, "small or large", undefined],
  ["size", { enum: ["small", "large"] }, "not large", undefined],
  ["size", { enum: ["small", ""] }, "tall", undefined],
  ["jobType", { enum: ["FULL_TIME", "PART_TIME"] }, "Vollzeit", "FULL_TIME"],
  ["condition", { const: "used" }, "https://schema.org/UsedCondition", "used"],
  ["availability", { enum: ["in_stock", "sold_out"] }, "Now available online", "in_stock"],
  ["availability", { enum: ["in_stock", "available"] }, "Now available online", "available"],
  ["availability", { enum: ["in_stock", "lieferbar"] }, "Sofort verfügbar", undefined],
  ["size", { enum: ["in_stock", "sold_out"] }, "Now available online", undefined],
  // Dates and moments.
  ["day", { ...TEXT, format: "date" }, "2026-05-04T10:00:00Z", "2026-05-04"],
  ["day", { ...TEXT, format: "date" }, "4 May 1500", "1500-05-04"],
  ["day", { ...TEXT, format: "date" }, "4 May 1499", undefined],
  ["at", { ...TEXT, format: "date-time" }, "2026-05-04 10:00 +0200", "2026-05-04T10:00:00+02:00"],
  ["at", { ...TEXT, format: "date-time" }, "2026-05-04T10:00:01.5Z", "2026-05-04T10:00:01.5Z"],
  ["at", { ...TEXT, format: "date-time" }, "2026-05-04T10:00", undefined],
  ["length", { ...TEXT, format: "duration" }, "1 h 20 min", "PT1H20M"],
  ["length", { ...TEXT, format: "duration" }, "2 h", "PT2H"],
  ["length", { ...TEXT, format: "duration" }, "20 min", "PT20M"],
  ["length", { ...TEXT, format: "duration" }, "0 min", "PT0M"],
  ["length", { ...TEXT, format: "duration" }, "P3DT4H", "P3DT4H"],
  ["length", { ...TEXT, format: "duration" }, "long", undefined],
  // Addresses.
  ["page", { ...TEXT, format: "uri" }, "https://a.example/x", "https://a.example/x"],
  ["page", { ...TEXT, format: "uri" }, "/x", undefined],
  ["page", { ...TEXT, format: "uri" }, "https://a.example/x and more", undefined],
  ["page", { ...TEXT, format: "uri" }, "javascript:alert(1)", undefined],
  ["page", { ...TEXT, format: "uri-reference" }, "/x", "/x"],
  ["contact", { ...TEXT, format: "email" }, "mailto:ann@a.example", "ann@a.example"],
  ["contact", { ...TEXT, format: "email" }, "Write to ann.lee@a.example", "ann.lee@a.example"],
  ["email", TEXT, "Write to ann.lee@a.example", "ann.lee@a.example"],
  ["email", TEXT, "Write to us", undefined],
  ["image", TEXT, "https://a.example/x.png", "https://a.example/x.png"],
  ["image", TEXT, "A picture", undefined],
  // Texts.
  ["currency", TEXT, "EUR", "EUR"],
  ["currency", TEXT, "12 EUR", "EUR"],
  ["currency", TEXT, "€12.50", "EUR"],
  ["currency", TEXT, "euros", undefined],
  ["material", TEXT, "Material: oak", "oak"],
  ["material", TEXT, "Note: oak", "Note: oak"],
  ["material", TEXT, ": oak ;", "oak"],
  ["material", TEXT, " — ", undefined],
  ["material", TEXT, "  ", undefined],
  ["material", TEXT, "o\u202eka", undefined],
  ["material", { ...TEXT, maxLength: 3 }, "walnut", undefined],
  ["author", TEXT, "By Ann Lee", "Ann Lee"],
  ["author", TEXT, "the editors", "the editors"],
  ["company", TEXT, "by Oak & Sons", "Oak & Sons"],
  ["seller", TEXT, "Oak & Sons (99.8%)", "Oak & Sons"],
  ["material", TEXT, "by Oak (99.8%)", "by Oak (99.8%)"],
])("the field %s with %j has for the text %j the value %j", (name, schema, value, expected) => {
  expect(valueOf(name, schema, value)).toEqual(expected as typeof value);
});

test.each<[string, object, Scalar, Scalar | undefined]>([
  ["weight", NUMBER, "1.500", 1.5],
  ["weight_g", NUMBER, "1.5", undefined],
  ["weight_g", NUMBER, 1.5, undefined],
  ["weight_g", NUMBER, "1.5 kg", 1_500],
  ["weight", NUMBER, 1.5, 1.5],
  ["page", { ...TEXT, format: "uri" }, "/x?a=1", "https://shop.example/x?a=1"],
  ["image", TEXT, "/x.png", "https://shop.example/x.png"],
  ["image", TEXT, "A picture", "A picture"],
  ["author", TEXT, "By Ann Lee", "By Ann Lee"],
  ["material", TEXT, "Material: oak", "Material: oak"],
  ["material", TEXT, "<b>Oak</b> &amp; ash", "Oak & ash"],
  ["condition", TEXT, "https://schema.org/NewCondition", "NewCondition"],
])("the field %s with %j has for the data %j the value %j", (name, schema, value, expected) => {
  expect(valueOf(name, schema, value, { ...DATA, locale: "de" })).toEqual(expected as typeof value);
});

test.each<[string, boolean | undefined]>([
  ["https://schema.org/OutOfStock", false],
  ["Auf Lager", true],
  ["Derzeit nicht lieferbar", false],
  ["Not in stock", false],
  ["Available sizes", undefined],
  ["sorry currently only now available", undefined],
  ["sorry currently now available", true],
  [`In stock${" ".repeat(292)}`, true],
  [`In stock${" ".repeat(293)}`, undefined],
])("the words %j state that a thing can be bought: %j", (words, expected) => {
  expect(stockIn(words)).toBe(expected);
});

test.each([
  ["a<br>b", "a b"],
  ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
  ["&lt;b&gt; &quot;x&apos; &nbsp;y", "<b> \"x' y"],
  ["&#65;&#x42;&unknown;", "AB&unknown;"],
  ["&#x1F600;&#999999;", "\u{1F600}\u{F423F}"],
  [`<a ${"x".repeat(499)}>y`, "y"],
])("the data %j is the text %j", (data, text) => {
  expect(plainText(data)).toBe(text);
});
