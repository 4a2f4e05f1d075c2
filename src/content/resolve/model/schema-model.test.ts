import { expect, test } from "bun:test";
import { SchemaModel } from "./schema-model.ts";

/** The schema, or the error, of a model that responds with `text`. */
async function made(text: string): Promise<unknown> {
  const analyst = { ask: async () => ({ text, tokens: 1, finish: "stop", inputTokens: 1, outputTokens: 1 }) };
  const model = new SchemaModel(analyst, { maxOutputTokens: 100 });
  return await model.schemaFor("prices", new AbortController().signal).catch(String);
}

const field = (name: string, type: string, description = "x") => ({ name, type, description });

test("the fields of the response become a schema of an object", async () => {
  const fields = [field("price", "number"), field("colours", "texts", "All colours")];
  expect(await made(`Here: ${JSON.stringify({ fields })}`)).toEqual({
    type: "object",
    properties: {
      price: { type: "number", description: "x" },
      colours: { type: "array", items: { type: "string" }, description: "All colours" },
    },
  });
});

test.each([
  ["no field", []],
  ["markup in a name", [field("<b>", "text")]],
  ["a space in a name", [field("a b", "text")]],
  ["another type", [field("a", "object")]],
  ["a long description", [field("a", "text", "x".repeat(201))]],
  ["too many fields", Array.from({ length: 31 }, (_, at) => field(`a${at}`, "text"))],
])("a response with %s is refused", async (_what, fields) => {
  expect(await made(JSON.stringify({ fields }))).toContain("is not JSON with names of fields");
});
