import { expect, test } from "bun:test";
import { bearerToken, hasBearer } from "./bearer.ts";

test.each([
  ["", undefined],
  ["X: 1\r\n", undefined],
  ["Authorization: Bearer a.b-c_~+/9==\r\n", "a.b-c_~+/9=="],
  ["AUTHORIZATION: bEARER   x\r\n", "x"],
  ["Authorization: \r\n", undefined],
  ["Authorization: Bearer\r\n", ""],
  ["Authorization: Bearer \r\n", ""],
  ["Authorization: Bearer a b\r\n", ""],
  ["Authorization: Bearer a, Bearer b\r\n", ""],
  ["Authorization: Basic eDp5\r\n", undefined],
  ["Authorization: Basic eDp5\r\nAuthorization: Bearer a\r\n", ""],
  ["Authorization: Bearer a\r\nAuthorization: Bearer a\r\n", ""],
])("the token of %j is %j", (fields, token) => {
  expect(bearerToken({ fields })).toBe(token);
});

test.each([
  ["", false],
  ["Authorization: Basic bearer\r\n", false],
  ["Authorization: Bearers x\r\n", false],
  ["Authorization: bearer\r\n", true],
  ["Authorization: Bearer\tx\r\n", true],
  ["Authorization: Basic x\r\nauthorization: BEARER, x\r\n", true],
])("%j names the scheme Bearer: %p", (fields, has) => {
  expect(hasBearer({ fields })).toBe(has);
});
