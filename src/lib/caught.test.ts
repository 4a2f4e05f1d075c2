import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { codeOf, messageOf } from "./caught.ts";

function caught(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

test("a failed system call has a code, other errors do not", () => {
  expect(codeOf(caught(() => readFileSync("/does/not/exist")))).toBe("ENOENT");
  expect(codeOf(new Error("no"))).toBeUndefined();
  expect(codeOf({ code: "ENOENT" })).toBeUndefined();
});

test("every thrown value has a message", () => {
  expect(messageOf(new TypeError("no"))).toBe("no");
  expect(messageOf("no")).toBe("no");
  expect(messageOf(undefined)).toBe("undefined");
});
