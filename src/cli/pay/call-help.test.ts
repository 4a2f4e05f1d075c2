import { expect, test } from "bun:test";
import { apiDocument, operationsOf, resolveSchema } from "../../content/api/api-document.ts";
import { operationHelp } from "./call-help.ts";
import { OPERATIONS } from "./operations.ts";

test.each(Object.entries(OPERATIONS))("the help of %s names every parameter, and its lines fit", (name, operation) => {
  const document = apiDocument("/");
  const described = operationsOf(document).find(({ operationId }) => operationId === name);
  const schema = described?.requestBody?.content["application/json"]?.schema ?? {};
  const parameters = Object.keys(resolveSchema(document, schema).schema.properties ?? {});
  const lines = operationHelp(name, operation.argument).split("\n");
  expect(lines.filter((line) => line.length > 140)).toEqual([]);
  const listed = lines.flatMap((line) => /^ {2}([a-z]\w*)(?: |$)/.exec(line)?.[1] ?? []);
  expect(listed).toEqual(parameters);
  expect(lines[0]).toStartWith(`usage: turnpike call ${name}`);
});

test("the help of a parameter has its meaning, and then its bounds and its default", () => {
  const lines = operationHelp("search", "query").split("\n");
  expect(lines).toContain("  count          Number of results on a page (integer; 1 to 50; default 10)");
  expect(lines).toContain("  after          First day of publication (such as 2026-11-21)");
});
