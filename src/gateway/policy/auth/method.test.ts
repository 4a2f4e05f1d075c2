import { expect, test } from "bun:test";
import { createAnonymous } from "./anonymous.ts";
import { consumerLine, fieldText, MAX_CONSUMER_BYTES } from "./method.ts";
import { combined, refusal } from "./refusals.ts";

test.each([
  ["", undefined],
  [" a", undefined],
  ["a ", undefined],
  [" ", undefined],
  ["a\nb", undefined],
  ["a\u007f", undefined],
  ["a", "a"],
  ["a b", "a b"],
  ["~", "~"],
  ["é", "Ã©"],
  ["\ud800", "ï¿½"],
])("%j becomes the field value %j", (value, text) => {
  expect(fieldText(value)).toBe(text);
});

test("a name has a maximum length in bytes, and can be empty", () => {
  const most = "é".repeat(MAX_CONSUMER_BYTES / 2);
  expect(consumerLine("")).toBe("");
  expect(consumerLine("a")).toBe("X-Consumer-Name: a\r\n");
  expect(consumerLine(most)).toHaveLength("X-Consumer-Name: \r\n".length + MAX_CONSUMER_BYTES);
  expect(consumerLine(`${most}a`)).toBeUndefined();
  expect(consumerLine("a\n")).toBeUndefined();
});

test("anonymous clients are admitted under a name that can be a field value, or without a name", () => {
  expect([createAnonymous("").type, createAnonymous("guest").type]).toEqual(["none", "anonymous"]);
  expect(() => createAnonymous("a\n")).toThrow('"a\\n": it is not a valid name');
});

test("a combined refusal prefers a service's response, then 403, 503 and 401, and has all challenges", () => {
  const missing = refusal("unauthorized", "a", ["A", "B"]);
  const wrong = refusal("unauthorized", "b", ["B", "C"]);
  const forbidden = refusal("forbidden", "c", []);
  const down = refusal("auth-unavailable", "d", []);
  const passed = { ...missing, response: { status: 302, fields: "", body: new Uint8Array() } };
  expect(combined([missing])).toBe(missing);
  expect(combined([missing, wrong])).toEqual({ ...missing, challenges: ["A", "B", "C"] });
  expect(combined([wrong, down]).error.status).toBe(503);
  expect(combined([down, wrong]).error.status).toBe(503);
  expect(combined([wrong, down, forbidden]).error.status).toBe(403);
  expect(combined([forbidden, down, passed]).response).toBe(passed.response);
  expect(() => combined([])).toThrow("no authentication method was tried");
});
