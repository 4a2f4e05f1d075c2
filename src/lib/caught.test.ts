import { expect, test } from "bun:test";
import { openSync, readFileSync } from "node:fs";
import { codeOf, faultOf, messageOf, whyUnwritable } from "./caught.ts";

function caught(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

function failed(code: string): Error {
  return Object.assign(new Error("no"), { code });
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

test("the reason why a file cannot be written is in words", () => {
  const path = "/does/not/exist";
  expect(whyUnwritable(caught(() => openSync(path, "a")))).toBe("its folder does not exist; create it first");
  expect(whyUnwritable(caught(() => openSync("/", "a")))).toBe("it is a folder");
  expect(whyUnwritable(failed("EACCES"))).toBe("this user may not write it");
  expect(whyUnwritable(failed("ENOSPC"))).toBe("the disk is full");
  expect(whyUnwritable(failed("EIO"))).toBe("EIO");
});
