import { expect, test } from "bun:test";
import { onlyFields, withoutIdentity } from "./identity-fields.ts";

const NAMES = ["x-user", "x-id"];

test.each([
  ["", ""],
  ["A: 1\r\n", "A: 1\r\n"],
  ["X-User: eve\r\n", ""],
  ["X-User: eve\r\nA: 1\r\n", "A: 1\r\n"],
  ["A: 1\r\nx_USER: eve\r\nB: 2\r\nX-ID: 7\r\nX_Id: 8\r\nC: 3\r\n", "A: 1\r\nB: 2\r\nC: 3\r\n"],
  ["X-Users: 1\r\nX-Use: 1\r\nXX-User: 1\r\nX.User: 1\r\n", "X-Users: 1\r\nX-Use: 1\r\nXX-User: 1\r\nX.User: 1\r\n"],
  ["A: X-User: 1\r\n", "A: X-User: 1\r\n"],
  ["A: 1\r\nX-User: cut short", "A: 1\r\n"],
])("%j without identity fields is %j", (fields, left) => {
  expect(withoutIdentity(fields, NAMES)).toBe(left);
});

test("only letters are compared without case", () => {
  // @ and [ are next to the capital letters. With 0x20 added they would be ` and {.
  expect(withoutIdentity("@: 1\r\n[: 1\r\nA: 1\r\nZ: 1\r\n", ["`", "{", "a", "z"])).toBe("@: 1\r\n[: 1\r\n");
  // A hyphen in the field does not match an underscore in the name.
  expect(withoutIdentity("A-B: 1\r\nA_B: 1\r\n", ["a_b"])).toBe("A-B: 1\r\n");
});

test.each([
  ["", ""],
  ["A: 1\r\nX-User: a\r\nB: 2\r\nx-id: b\r\nX-USER: c\r\n", "X-User: a\r\nx-id: b\r\nX-USER: c\r\n"],
  ["X_User: a\r\nX-User: cut short", "X-User: cut short"],
])("the named lines of %j are %j", (fields, found) => {
  expect(onlyFields(fields, new Set(NAMES))).toBe(found);
});
