import { describe, expect, test } from "bun:test";
import { type ModelError } from "./model-error.ts";
import { OUTPUT_SCHEMA, readOutput } from "./model-output.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_REASONING_LENGTH = 2_000;
const MAX_STATEMENTS = 60;

const STATEMENT = { source: 1, quote: "It sailed.", supports: "YES", kind: "report", strength: 1, date: "2026-05-14" };

function written(change: object = {}, statement: object = {}): string {
  const statements = [{ ...STATEMENT, ...statement }];
  return JSON.stringify({ statements, probability: 0.5, reasoning: "So it is.", ...change });
}

function failureOf(text: string): string {
  try {
    readOutput(text);
  } catch (error) {
    // Only ModelErrors are thrown.
    return (error as ModelError).message;
  }
  return "it was read";
}

test("a valid response is read, with sources from 0 on and times in milliseconds", () => {
  expect(readOutput(written())).toEqual({
    statements: [
      {
        source: 0,
        quote: "It sailed.",
        supports: "YES",
        kind: "report",
        strength: 1,
        date: Date.UTC(2026, 4, 14),
      },
    ],
    probability: 0.5,
    reasoning: "So it is.",
  });
});

test.each(["", "yesterday", "2026-13-45", null, undefined])("an invalid time is left out: %p", (date) => {
  expect(readOutput(written({}, { date })).statements[0]).not.toHaveProperty("date");
});

describe("the response of a reasoning model is read", () => {
  const DRAFT = written({ probability: 0.1 });
  const ANSWER = written({ probability: 0.9 });
  test.each<[string, string]>([
    ["after its thoughts", `<think>\nIt says "{". A draft: ${DRAFT}</think>\n${ANSWER}`],
    ["after thoughts whose first tag is missing", `A draft: ${DRAFT}\n</think>\n\n${ANSWER}`],
    ["after thoughts about the tag", `<thinking>I close with </think>. ${DRAFT}</thinking>${ANSWER}`],
    ["in a code block between words", `Here it is:\n\`\`\`json\n${ANSWER}\n\`\`\`\nIt has {all} fields.`],
    ["before a brace too many", `${ANSWER}}`],
    ["after an opening brace in words", `I open with { and write: ${ANSWER}`],
    ["after an example", `{} {"statements": []} ${ANSWER}`],
    ["after a draft", `${DRAFT}\n\nNo:\n${ANSWER}`],
  ])("%s", (_where, text) => expect(readOutput(text).probability).toBe(0.9));

  test("with a quote that contains braces, quotation marks and the tags of thoughts", () => {
    const quote = 'He wrote "}{" and </think> \\';
    const answer = written({}, { quote });
    for (const text of [answer, `So: ${answer}`, `<think>Well.</think>${answer}`])
      expect(readOutput(text).statements[0]?.quote).toBe(quote);
  });

  test.each<[string, string]>([
    ["thoughts that do not end", `<think>A draft: ${DRAFT}`],
    ["half an answer", ANSWER.slice(0, ANSWER.length / 2)],
    ["a response without its last brace", ANSWER.slice(0, -1)],
    ["braces without end", "{".repeat(1_000_000)],
    ["a list without end", `{"statements":[${`${JSON.stringify(STATEMENT)},`.repeat(5_000)}`],
  ])("and %s are not", (_what, text) => expect(failureOf(text)).toBe("its response is not JSON"));
});

describe("an invalid response is rejected", () => {
  test.each<[string, string]>([
    ["", "its response is not JSON"],
    ["I cannot say.", "its response is not JSON"],
    ["}{", "its response is not JSON"],
    ["[]", "its response is not JSON"],
    ["{}", "its response does not fit the schema at statements"],
    [written({ probability: 1.01 }), "its response does not fit the schema at probability"],
    [written({ probability: "0.5" }), "its response does not fit the schema at probability"],
    [written({ probability: null }), "its response does not fit the schema at probability"],
    [written({ reasoning: 1 }), "its response does not fit the schema at reasoning"],
    [written({}, { strength: -0.1 }), "its response does not fit the schema at statements.0.strength"],
    [written({}, { source: 1.5 }), "its response does not fit the schema at statements.0.source"],
    [written({}, { supports: "MAYBE" }), "its response does not fit the schema at statements.0.supports"],
    [written({}, { kind: "rumour" }), "its response does not fit the schema at statements.0.kind"],
    [written({}, { quote: "x".repeat(2_001) }), "its response does not fit the schema at statements.0.quote"],
    [
      written({ statements: Array.from({ length: MAX_STATEMENTS + 1 }, () => STATEMENT) }),
      "its response does not fit the schema at statements",
    ],
  ])("%s", (text, message) => expect(failureOf(text)).toBe(message));
});

test("long reasons are cut", () => {
  const { reasoning } = readOutput(written({ reasoning: "😀".repeat(MAX_REASONING_LENGTH) }));
  expect(reasoning).toHaveLength(MAX_REASONING_LENGTH);
  expect(readOutput(written({ reasoning: `a${"😀".repeat(MAX_REASONING_LENGTH)}` })).reasoning?.isWellFormed()).toBe(
    true,
  );
});

test("the schema is valid in strict modes: closed objects, all fields required, no bounds", () => {
  const known = new Set(["type", "properties", "items", "required", "additionalProperties", "enum", "description"]);
  const look = (schema: object): void => {
    expect(Object.keys(schema).filter((key) => !known.has(key))).toEqual([]);
    if ("items" in schema) look(Object(schema.items));
    if (!("properties" in schema)) return;
    const properties = Object(schema.properties);
    expect(schema).toMatchObject({ required: Object.keys(properties), additionalProperties: false });
    for (const property of Object.values(properties)) look(Object(property));
  };
  look(OUTPUT_SCHEMA);
});
