import { expect, test } from "bun:test";
import { unservedMethod } from "./http-method.ts";

test("CONNECT, TRACE and standard methods in other letters than capitals are not served", () => {
  for (const method of ["GET", "HEAD", "OPTIONS", "PURGE", "M-SEARCH", "frob"]) expect(unservedMethod(method)).toBe("");
  for (const method of ["CONNECT", "TRACE"]) expect(unservedMethod(method)).toBe(`${method} is not served`);
  for (const method of ["get", "Head", "pOST", "trace"]) {
    expect(unservedMethod(method)).toBe("methods are written in capitals");
  }
});
