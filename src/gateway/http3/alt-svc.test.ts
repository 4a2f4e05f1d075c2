import { expect, test } from "bun:test";
import { altSvc } from "./alt-svc.ts";

test("HTTP/3 is announced for a day", () => {
  expect(altSvc(8443)).toBe('Alt-Svc: h3=":8443"; ma=86400\r\n');
});
