import { expect, test } from "bun:test";
import { readClaims } from "./jwt-claims.ts";

const NOW = 1_700_000_000;
const RULES = { claims_to_headers: [{ claim: "a", header: "X-A" }] };

test("times are checked with a skew of exactly sixty seconds", () => {
  for (const [claims, verdict] of [
    [{ exp: NOW - 59 }, "in"],
    [{ exp: NOW - 60 }, "the token has expired"],
    [{ nbf: NOW + 60 }, "in"],
    [{ nbf: NOW + 61 }, "the token is not valid yet"],
    [{ iat: NOW + 60 }, "in"],
    [{ iat: NOW + 61 }, "the token is not valid yet"],
    [{ exp: Number.NaN }, "a claim of the token cannot be read"],
    [{}, "in"],
  ] as const) {
    const read = readClaims(claims, RULES, NOW);
    expect([claims, typeof read === "string" ? read : "in"]).toEqual([claims, verdict]);
  }
});

test("claims become one field value each, or are left out, or refused", () => {
  for (const [value, line] of [
    ["x", "X-A: x\r\n"],
    [7, "X-A: 7\r\n"],
    [-0.5, "X-A: -0.5\r\n"],
    [false, "X-A: false\r\n"],
    [["x", "y z"], "X-A: x,y z\r\n"],
    [[1, 2], "X-A: [1,2]\r\n"],
    [[], "X-A: []\r\n"],
    [{ b: ["é\n"] }, 'X-A: {"b":["\\u00e9\\n"]}\r\n'],
    ["", ""],
    [null, ""],
    [undefined, ""],
    ["日本", `X-A: ${Buffer.from("日本").toString("latin1")}\r\n`],
    [["x", 1], undefined],
    [["x", ""], undefined],
    [["x,y"], undefined],
    ["x\u0085", "X-A: x\u00c2\u0085\r\n"],
    ["x\u0000", undefined],
    [" x", undefined],
  ] as const) {
    const read = readClaims({ a: value }, RULES, NOW);
    expect([value, typeof read === "string" ? undefined : read.fields]).toEqual([value, line]);
  }
});

test("claims from the prototype are ignored", () => {
  const rules = { claims_to_headers: [{ claim: "constructor", header: "X-A" }] };
  expect(readClaims({}, rules, NOW)).toMatchObject({ fields: "", consumer: "" });
  expect(readClaims({}, { ...rules, issuer: "x" }, NOW)).toBe("the token is of another issuer");
});

test.each([
  [undefined, undefined, "in"],
  [undefined, "api", "the token is for another audience"],
  ["api", "api", "in"],
  ["other", "api", "the token is for another audience"],
  [["other", "api"], "api", "in"],
  [["other"], "api", "the token is for another audience"],
  [["other"], undefined, "in"],
  [[], "api", "the token is for another audience"],
  [["api", 1], "api", "a claim of the token cannot be read"],
  [1, undefined, "a claim of the token cannot be read"],
] as const)("a token for %j is judged by a route for %p: %s", (aud, audience, verdict) => {
  const claims = aud === undefined ? {} : { aud };
  const read = readClaims(claims, { ...RULES, ...(audience && { audience }) }, NOW);
  expect(typeof read === "string" ? read : "in").toBe(verdict);
});

test.each([null, "", 42, true, {}, "a\u202eb", "a\u2028", "a\u0085", "a\u200b", "a  b", "a\u00a0b", "e\u0301"])(
  "a token with the subject %j is refused, and is not anonymous",
  (sub) => {
    expect(readClaims({ sub }, RULES, NOW)).toBe("a claim of the token cannot be read");
  },
);

test("a bearer is valid until the token expires, skew included, or without end", () => {
  expect(readClaims({ sub: "alice", exp: NOW }, RULES, NOW)).toEqual({
    consumer: "alice",
    fields: "X-Consumer-Name: alice\r\n",
    until: NOW + 60,
  });
  expect(readClaims({}, RULES, NOW)).toMatchObject({ until: Number.POSITIVE_INFINITY });
  expect(readClaims({ iss: "a" }, { ...RULES, issuer: "a" }, NOW)).toMatchObject({ consumer: "" });
  expect(readClaims({ iss: "b" }, { ...RULES, issuer: "a" }, NOW)).toBe("the token is of another issuer");
});
