import { expect, test } from "bun:test";
import { decodeTemplate, ignoredMembers } from "./template.ts";

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

test("a payload gives the common parts of all challenges", () => {
  const payload = { x402Version: 2, resource: { serviceName: "Shop" }, accepts: [], extensions: { bazaar: {} } };
  expect(decodeTemplate(encode(payload))).toEqual({ resource: { serviceName: "Shop" }, extensions: { bazaar: {} } });
  expect(decodeTemplate("")).toEqual({ resource: {}, extensions: {} });
});

test("a payload of another shape is refused, and the error says where", () => {
  expect(() => decodeTemplate(encode({ resource: { description: 1 } }))).toThrow(
    'Cannot use x402.payment_required_b64: its "resource.description" does not have the form of a 402 payload',
  );
});

test("members that challenges ignore are listed", () => {
  const payload = {
    x402Version: 1,
    error: "Pay",
    resource: { url: "https://a.example", tags: [] },
    accepts: [],
    note: 1,
  };
  expect(ignoredMembers(encode(payload))).toEqual(["x402Version", "resource.url", "error", "accepts", "note"]);
  expect(ignoredMembers(encode({ x402Version: 2, resource: { description: "d" }, extensions: {} }))).toEqual([]);
  expect(ignoredMembers("")).toEqual([]);
});
