import { expect, test } from "bun:test";
import { unservedMethod } from "./http-method.ts";

test("registered methods and other common ones are served", () => {
  for (const method of ["GET", "HEAD", "OPTIONS", "PROPFIND", "QUERY", "PURGE", "M-SEARCH"]) {
    expect(unservedMethod(method)).toBe("");
  }
});

test("CONNECT, TRACE, methods that are not in capitals, and unknown ones are not served", () => {
  for (const method of ["CONNECT", "TRACE"]) expect(unservedMethod(method)).toBe(`${method} is not served`);
  for (const method of ["get", "Head", "pOST"]) expect(unservedMethod(method)).toBe("methods are written in capitals");
  for (const method of ["FROB", "frob", "trace", "PRI"]) expect(unservedMethod(method)).toBe("this method is unknown");
});
