import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { codeOf, faultOf, messageOf } from "./caught.ts";

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

test("the fault of a full disk is in words", () => {
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  expect(faultOf(full)).toBe("Error SQLITE_FULL (the disk is full)");
  expect(faultOf(Object.assign(new Error("secret"), { code: "SQLITE_BUSY" }))).toBe("Error SQLITE_BUSY");
  expect(faultOf("text")).toBe("string");
});
