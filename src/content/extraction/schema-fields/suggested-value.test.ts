import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const TEXT = { type: "string" };

/** The value that a field has if a model states it with a quote. */
function suggested(
  schema: object,
  value: string,
  quote: string,
  body = "<p>Its surface shines at € 12 a piece.</p>",
): unknown {
  const tree = parseTree(`<html lang=en><h1>Oak shelf</h1><main>${body}</main>`);
  const plan = planOf({ type: "object", properties: { gloss: schema } });
  const { value: fields } = fieldsOf(
    { tree, url: "https://shop.example/p", suggestions: { "/gloss": { value, quote } } },
    plan,
  );
  return Reflect.get(Object(fields), "gloss");
}

test.each<[string, object, string, string, unknown]>([
  ["a part of the quote", TEXT, "shines", "Its surface shines", "shines"],
  ["other words than the quote", TEXT, "dull", "Its surface shines", null],
  ["a part of a word", TEXT, "shine", "Its surface shines", null],
  ["a quote that the page does not show", TEXT, "shines", "Its surface shines brightly", null],
  ["an empty quote", TEXT, "shines", " ", null],
  ["the number of the quote", { type: "number" }, "12", "shines at € 12", 12],
  ["another number", { type: "number" }, "13", "shines at € 12", null],
  ["a word of yes", { type: "boolean" }, "yes", "Its surface shines", null],
  ["a value that the schema refuses", { ...TEXT, maxLength: 5 }, "shines", "Its surface shines", null],
])("a suggestion of %s", (...[, schema, value, quote, expected]) => {
  expect(suggested(schema, value, quote)).toEqual(expected as string);
});

const bodyOf = (length: number): string => `<p>${"x".repeat(length - 6)}<br>shines</p>`;

test("a quote stands in an element of 4,000 characters at most", () => {
  expect(suggested(TEXT, "shines", "shines", bodyOf(4_000))).toBe("shines");
  expect(suggested(TEXT, "shines", "shines", bodyOf(4_001))).toBeNull();
});

test("the value has the innermost element with the quote", () => {
  const tree = parseTree("<main><p>It <b>shines in oak</b> here.</p><p>It rots.</p></main>");
  const plan = planOf({ type: "object", properties: { gloss: TEXT } });
  const suggestions = { "/gloss": { value: "shines", quote: "shines in oak" } };
  expect(fieldsOf({ tree, url: "https://shop.example/p", suggestions }, plan).sources["/gloss"]).toEqual({
    from: "model",
    selector: "html > body > main > p:nth-of-type(1) > b",
    quote: "shines in oak",
    shown: true,
  });
});
