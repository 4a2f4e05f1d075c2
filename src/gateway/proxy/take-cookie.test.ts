import { expect, test } from "bun:test";
import { takeCookie } from "./take-cookie.ts";

test.each([
  ["", undefined, ""],
  ["Accept: a\r\nCookie: b=1\r\n", undefined, "Accept: a\r\nCookie: b=1\r\n"],
  ["Cookie: a=1\r\nAccept: a\r\n", "1", "Accept: a\r\n"],
  ["cookie: b=2; a=1;c=3\r\n", "1", "Cookie: b=2; c=3\r\n"],
  ["Cookie: b=2\r\nCookie: a=1\r\nCookie: c=3\r\n", "1", "Cookie: b=2; c=3\r\n"],
  ["Cookie: a=1; a=2; b=3; a=4\r\n", "1", "Cookie: b=3\r\n"],
  ["Cookie: aa=1; A=2\r\n", undefined, "Cookie: aa=1; A=2\r\n"],
  ["Cookie: a=\r\n", "", ""],
  ["Cookie: a=x=y\r\n", "x=y", ""],
  ["Cookie: ;; a=1 ;\r\n", "1", ""],
])("of %j it takes %j", (fields, value, rest) => {
  expect(takeCookie(fields, "a")).toEqual({ value, fields: rest });
});
