import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { type BodyMemory } from "./gathered-body.ts";
import { codingError, jsonBounds, jsonTypeError } from "./json-body.ts";

const headOf = (fields: string) => new ClientExchange(new Consumer(), { fields }).head;
const withType = (...types: readonly string[]) => headOf(types.map((type) => `Content-Type: ${type}\r\n`).join(""));

test.each([
  "application/json",
  "Application/JSON",
  "application/json;charset=utf-8",
  "application/json ; Charset=UTF8",
  'application/json; charset="UTF-8"',
  "application/json; charset=utf8; version=1",
  'application/json; profile="a; charset=latin1"',
  "application/json;",
  "application/json;;",
  "application/problem+json",
  "application/vnd.a-b_c.d+json; q=1",
  "text/a+b+json",
])("the type %s is JSON", (type) => {
  expect(jsonTypeError(withType(type))).toBeUndefined();
});

test.each([
  "",
  "text/plain",
  "text/json",
  "application/jsonp",
  "application/json5; charset=utf-8",
  "xapplication/json",
  "application/xml+jsonx",
  "+json",
  "a/+json",
  "/a+json",
  "application/json, text/plain",
  "application/json; charset=latin1",
  "application/json; charset=utf-16",
  "application/json; charset=utf-8x",
  "application/json; charset=xutf-8",
  'application/json; charset="utf-8',
  "application/json; version=1; CHARSET=latin1",
  "application/json; charset",
  "application/json; =a",
  "application/json; a=b c",
  `application/${"a".repeat(128)}+json`,
  `${"a".repeat(128)}/a+json`,
])("the type %s cannot be checked", (type) => {
  expect(jsonTypeError(withType(type))?.status).toBe(415);
});

test("a type can be repeated, and not be another one", () => {
  const [json, other] = ["application/json", "application/problem+json"];
  expect(jsonTypeError(withType(json, json))).toBeUndefined();
  for (const types of [[], [json, other], [other, json]]) expect(jsonTypeError(withType(...types))?.status).toBe(415);
  expect(jsonTypeError(withType(`${"a".repeat(127)}/${"b".repeat(127)}+json`))).toBeUndefined();
});

test.each([
  ["", undefined],
  ["Content-Encoding: identity\r\n", undefined],
  ["Content-Encoding:  IDENTITY \r\nContent-Encoding: identity\r\n", undefined],
  ["Content-Encoding: gzip\r\n", 415],
  ["Content-Encoding: identity\r\nContent-Encoding: br\r\n", 415],
  ["Content-Encoding: \r\n", 415],
])("the fields %j are those of a coded body: %p", (fields, status) => {
  expect(codingError(headOf(fields))?.status).toBe(status);
  const error = jsonTypeError(headOf(`Content-Type: application/json\r\n${fields}`));
  expect([error?.status, error?.message]).toEqual([
    status,
    status === undefined ? undefined : "the body must not have a Content-Encoding",
  ]);
});

test("a body is at most as long as the configuration says, and a mebibyte", () => {
  const memory: BodyMemory = { take: () => true, give() {} };
  expect([0, 1_048_576, 1_048_577].map((bytes) => jsonBounds(bytes, memory).maxBytes)).toEqual([
    0, 1_048_576, 1_048_576,
  ]);
  const { tooLong, noRoom, memory: used } = jsonBounds(1, memory);
  expect([tooLong.status, noRoom.status, used]).toEqual([413, 503, memory]);
});
