import { expect, test } from "bun:test";
import { negotiateCoding } from "./negotiate-coding.ts";

const CODINGS = ["zstd", "br", "gzip", "deflate"] as const;
type Coding = (typeof CODINGS)[number];

const CASES: readonly (readonly [accept: string, coding: Coding | undefined])[] = [
  ["", undefined],
  [",, ,", undefined],
  ["gzip", "gzip"],
  ["GZip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, br", "br"],
  ["gzip;q=1.0, br;q=0.9", "gzip"],
  ["gzip;q=0.5, br;q=0.5", "br"],
  ["gzip;q=0", undefined],
  ["gzip;q=0.000, deflate", "deflate"],
  ["gzip;q=0.001", "gzip"],
  ["*", "zstd"],
  ["*;q=0", undefined],
  ["*;q=0, gzip", "gzip"],
  ["*, zstd;q=0", "br"],
  ["gzip;q=0.1, *;q=0.2", "zstd"],
  ["identity", undefined],
  ["identity;q=0", undefined],
  ["identity;q=0, gzip", "gzip"],
  ["identity, gzip", "gzip"],
  ["identity;q=1, gzip;q=0.5", undefined],
  ["identity;q=0.5, gzip;q=0.8", "gzip"],
  ["gzip ; q=0.5", "gzip"],
  ["gzip;Q=0.5", "gzip"],
  ["gzip;q=2", undefined],
  ["gzip;q=-1", undefined],
  ["gzip;q=0.1234", undefined],
  ["gzip;q=1;q=1", undefined],
  ["gzip;level=9", undefined],
  ["gzipped, abrotli", undefined],
  ["__proto__, constructor;q=1", undefined],
  ["gzip;q=0.5, br; q=1.000", "br"],
  ["br;q=1.001", undefined],
  ["identity;q=0, other", undefined],
];

for (const [accept, coding] of CASES) {
  test(`a client that accepts "${accept}" gets ${coding ?? "plain bytes"}`, () => {
    expect(negotiateCoding(accept, CODINGS)).toEqual(coding);
  });
}

test("among equally preferred codings the first configured one is used, and no unconfigured one", () => {
  expect(negotiateCoding("gzip, br, zstd", ["gzip", "br"])).toBe("gzip");
  expect(negotiateCoding("zstd", ["gzip", "br"])).toBeUndefined();
});

test("a field of many codings is read in one pass", () => {
  expect(negotiateCoding(`${"a;q=0.5,".repeat(100_000)}gzip`, CODINGS)).toBe("gzip");
});
