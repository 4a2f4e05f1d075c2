import { expect, test } from "bun:test";
import { STATUS_CODES } from "node:http";
import { REASON_PHRASES } from "./reason-phrases.ts";

test("the phrases are those of the platform, with the newer names of RFC 9110 for 413 and 422", () => {
  const newer = { 413: "Content Too Large", 422: "Unprocessable Content" };
  expect<object>(REASON_PHRASES).toEqual({ ...STATUS_CODES, ...newer });
});
