import { type Json } from "../../../src/lib/json-schema/json.ts";

/** A schema, values that fit it, and values that do not. */
export type Case = readonly [schema: Json, fits: readonly Json[], doesNot: readonly Json[]];

const tree: Json = {
  $id: "https://a.example/tree",
  $dynamicAnchor: "node",
  type: "object",
  properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
};

/** Some cases for each keyword of the draft, if the official suite is not installed. */
export const CASES: readonly Case[] = [
  [true, [null], []],
  [false, [], [null]],
  [{ type: "integer" }, [1, 1.0, -0], [1.5, "1"]],
  [{ type: ["null", "array"] }, [null, []], [{}, 0]],
  [{ enum: [1, { a: [2] }] }, [1, { a: [2] }], [true, { a: 2 }]],
  [{ const: false }, [false], [0, null]],
  [{ multipleOf: 0.0001 }, [0.0075], [0.00751]],
  [{ multipleOf: 0.01 }, [19.99, "x"], [0.001]],
  [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [0, 3]],
  [{ maxLength: 2, minLength: 2 }, ["\u{1F4A9}\u{1F4A9}", 9], ["a", "abc"]],
  [{ pattern: "a+" }, ["xaay", 1], ["b"]],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a", 1], [], {}], [["a", "b"], [1]]],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 3 }, [[1, 1]], [[1], [1, 1, 1, 1]]],
  [{ contains: { const: 1 }, minContains: 0 }, [[]], []],
  [
    { uniqueItems: true },
    [
      [1, true, "1"],
      [[1], ["1"]],
    ],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, 1],
    ],
  ],
  [{ properties: { a: false }, patternProperties: { "^x": { type: "null" } } }, [{ x: null }], [{ a: 1 }, { xy: 1 }]],
  [{ properties: { a: true }, additionalProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  [{ propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  [{ required: ["a"], minProperties: 2, maxProperties: 2 }, [{ a: 1, b: 1 }, 1], [{ b: 1, c: 1 }, { a: 1 }]],
  [{ dependentRequired: { a: ["b"] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ dependentSchemas: { a: { required: ["b"] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ oneOf: [{ minimum: 2 }, { type: "integer" }] }, [1, 2.5], [3, 1.5]],
  [{ anyOf: [{ minimum: 2 }, { type: "integer" }] }, [1, 3], [1.5]],
  [{ not: { type: "integer" } }, ["a"], [1]],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  [{ if: { minimum: 5 }, then: { multipleOf: 5 }, else: { multipleOf: 2 } }, [10, 4], [6, 3]],
  [{ $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { type: "null" } } }, [null], [1]],
  [{ $ref: "b.json#x", $defs: { b: { $id: "b.json", $anchor: "x", type: "null" } } }, [null], [1]],
  [{ $ref: "https://json-schema.org/draft/2020-12/schema" }, [{ minLength: 1 }], [{ minLength: -1 }, { items: [] }]],
  [
    { properties: { a: true }, unevaluatedProperties: false, anyOf: [{ properties: { b: true } }] },
    [{ b: 1 }],
    [{ c: 1 }],
  ],
  [{ allOf: [{ prefixItems: [true] }, { contains: { const: 3 } }], unevaluatedItems: false }, [[1, 3]], [[1, 3, 4]]],
  [
    {
      $id: "https://a.example/strict",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree },
    },
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }],
  ],
  [{ format: "date" }, ["no date: the draft only says it"], []],
];
