import { expect, test } from "bun:test";
import { STATUS_CODES } from "node:http";
import { REASON_PHRASES } from "./reason-phrases.ts";

test("the phrases are those of the platform", () => {
  expect<object>(REASON_PHRASES).toEqual(STATUS_CODES);
});
