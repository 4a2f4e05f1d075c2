import { describe, expect, test } from "bun:test";
import { type FieldPlan, planOf } from "./field-plan.ts";

const TEXT = { type: "string" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** A plan as text: `string|null`, `[number]2`, `{a b!}`. The types of a value, its format and its choices. */
function shape(plan: FieldPlan): unknown {
  if (plan.kind === "list") return { items: shape(plan.items), max: plan.max };
  if (plan.kind === "object") {
    const members = [...plan.members].map(([name, member]) => [
      name + (plan.required.has(name) ? "!" : ""),
      shape(member),
    ]);
    return Object.fromEntries(members);
  }
  const { types, format, choices } = plan;
  return [types.join(" "), ...(format === undefined ? [] : [format]), ...(choices === undefined ? [] : [choices])].join(
    ": ",
  );
}
const shapeOf = (schema: object): unknown => shape(planOf(schema).root);
const fieldOf = (schema: unknown, more: object = {}): unknown =>
  Reflect.get(Object(shapeOf(object({ a: schema }, more))), "a");

describe("a field has", () => {
  test.each<[string, object, unknown]>([
    ["the type of its schema", TEXT, "string"],
    ["several types", { type: ["number", "null", "string"] }, "number string"],
    ["the type of any value", {}, "string number boolean"],
    ["its format", { type: "string", format: "date" }, "string: date"],
    ["an empty format", { type: "string", format: "" }, "string: "],
    ["its choices", { enum: ["a", 1, true, null, ["b"]] }, "string number boolean: a,1,true"],
    ["its only value", { const: "a", enum: ["a", "b"] }, "string number boolean: a"],
    ["a list with a maximum", { type: "array", items: TEXT, maxItems: 3 }, { items: "string", max: 3 }],
    ["a list without one", { items: TEXT }, { items: "string", max: 1_000 }],
    ["a list with a higher one", { items: TEXT, maxItems: 2_000 }, { items: "string", max: 1_000 }],
    ["an object", { properties: { b: TEXT } }, { b: "string" }],
    [
      "an object with required members",
      object({ b: TEXT, c: {} }, { required: ["c"] }),
      { b: "string", "c!": "string number boolean" },
    ],
    ["the schema that it refers to", { $ref: "#/$defs/d" }, "number"],
    ["its own type before that of the reference", { $ref: "#/$defs/d", type: "integer" }, "integer"],
    ["a reference with an escaped name", { $ref: "#/$defs/e~1%25" }, "boolean"],
    ["the parts of all schemas", { allOf: [{ type: "string" }, { format: "date" }] }, "string: date"],
    [
      "the members of all schemas",
      {
        allOf: [object({ b: TEXT }, { required: ["b"] }), object({ c: TEXT })],
        properties: { d: TEXT },
        required: ["d"],
      },
      { "b!": "string", c: "string", "d!": "string" },
    ],
    [
      "the members of schemas without required ones",
      { allOf: [object({ b: TEXT }), object({ c: TEXT })] },
      { b: "string", c: "string" },
    ],
    ["the one alternative that is not null", { anyOf: [{ type: "integer" }, { type: "null" }] }, "integer"],
    ["the one alternative that is an object", { oneOf: [{ type: "null" }, object({ b: TEXT })] }, { b: "string" }],
    ["the types of all alternatives", { oneOf: [{ type: "integer" }, { type: "boolean" }] }, "integer boolean"],
    [
      "its own format before that of the alternative",
      { anyOf: [{ type: "string", format: "date" }], format: "time" },
      "string: time",
    ],
  ])("%s", (_what, schema, expected) => {
    const $defs = { d: { type: "number" }, "e/%": { type: "boolean" } };
    expect(fieldOf(schema, { $defs })).toEqual(expected);
  });

  test("the values that fit its schema", () => {
    const { root } = planOf(object({ a: { anyOf: [{ type: "integer", minimum: 3 }, { type: "boolean" }] } }));
    const leaf = root.members.get("a");
    if (leaf?.kind !== "leaf") throw new Error("The field is not a value");
    expect([3, 2, true, "x"].map((value) => leaf.fits(value))).toEqual([true, false, true, false]);
  });

  test("the description of its schema", () => {
    const { root } = planOf(object({ a: { type: "string", description: "In kg" }, b: TEXT }));
    expect([...root.members.values()].map((leaf) => Reflect.get(leaf, "description"))).toEqual(["In kg", ""]);
  });
});

const nested = (depth: number): object => (depth === 0 ? TEXT : object({ a: nested(depth - 1) }));
const many = (count: number): object =>
  object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, TEXT])));
const chain = (length: number): object => ({
  $defs: Object.fromEntries(
    Array.from({ length }, (_, at) => [`d${at}`, at + 1 < length ? { $ref: `#/$defs/d${at + 1}` } : TEXT]),
  ),
});

describe("a schema is accepted up to", () => {
  test.each<[string, object, object, string]>([
    ["8 levels", nested(9), nested(10), "is more than 8 levels deep"],
    ["200 fields", many(199), many(200), "is one of more than 200 fields"],
    [
      "20 references",
      object({ a: { $ref: "#/$defs/d0" } }, chain(20)),
      object({ a: { $ref: "#/$defs/d0" } }, chain(21)),
      "refers to itself, or to too many schemas",
    ],
    [
      "50,000 characters",
      object({ a: { type: "string", title: "x".repeat(49_935) } }),
      object({ a: { type: "string", title: "x".repeat(49_936) } }),
      "must be at most 50000 characters as JSON",
    ],
  ])("%s", (_what, most, beyond, message) => {
    expect(() => planOf(most)).not.toThrow();
    expect(() => planOf(beyond)).toThrow(message);
  });
});

describe("a schema is rejected", () => {
  test.each<[string, unknown, string, string]>([
    ["that is not an object", [], "", "must be an object"],
    ["of a list", { type: "array", items: TEXT }, "", "must describe an object: a list is one of its properties"],
    ["of a value", TEXT, "", "must describe an object: a list is one of its properties"],
    ["without properties", { type: "object" }, "", "must have properties, because fields are found by their names"],
    ["with none of them", object({}), "", "must have properties, because fields are found by their names"],
    ["with a list of anything", object({ a: { type: "array" } }), "/properties/a", "must have the schema of its items"],
    ["with items of any kind", object({ a: { items: true } }), "/properties/a", "must have the schema of its items"],
    ["with a field that nothing fits", object({ a: false }), "/properties/a", "must be a schema that a value can fit"],
    ["with other keywords", object({ a: { if: TEXT } }), "/properties/a/if", "has no meaning for fields of a page"],
    [
      "with a reference to itself",
      object({ a: { $ref: "#" } }),
      "/properties/a/$ref",
      "must not refer to the whole schema",
    ],
    [
      "with a reference by a name",
      object({ a: { $ref: "#d" } }, { $defs: { d: { $anchor: "d" } } }),
      "/properties/a/$ref",
      "must refer to a place in the schema",
    ],
    [
      "with a reference to nothing",
      object({ a: { $ref: "#/$defs/x" } }),
      "/properties/a/$ref",
      "does not exist in the schema",
    ],
    [
      "with alternatives that are objects",
      object({ a: { anyOf: [TEXT, object({ b: TEXT })] } }),
      "/properties/a/anyOf",
      "must have only one alternative that is an object or a list",
    ],
    [
      "with an item of a list",
      object({ a: { items: { not: {} } } }),
      "/properties/a/items/not",
      "has no meaning for fields of a page",
    ],
  ])("%s", (_which, schema, pointer, message) => {
    let error: unknown;
    try {
      planOf(schema);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: "SchemaError" });
    expect(String(Reflect.get(Object(error), "message"))).toContain(message);
    expect(Reflect.get(Object(error), "pointer") ?? pointer).toBe(pointer);
  });
});

test("keywords of other programs, and the dialect of the schema, are ignored", () => {
  expect(shapeOf({ $schema: "http://x.test/", ...object({ a: { type: "string", "x-order": 1 }, b: true }) })).toEqual({
    a: "string",
    b: "string number boolean",
  });
});
