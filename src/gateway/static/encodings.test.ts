import { expect, test } from "bun:test";
import { chooseCoding, type Coding } from "./encodings.ts";

const ALL: readonly Coding[] = ["zstd", "br", "gzip"];

const CASES: readonly (readonly [accept: string, available: readonly Coding[], expected: Coding | undefined])[] = [
  ["", ALL, undefined],
  ["gzip", [], undefined],
  ["gzip", ALL, "gzip"],
  ["x-gzip", ALL, "gzip"],
  ["GZIP", ALL, "gzip"],
  ["gzip, deflate, br, zstd", ALL, "zstd"],
  ["gzip, deflate, br, zstd", ["br", "gzip"], "br"],
  ["gzip, deflate, br", ["zstd"], undefined],
  ["deflate", ALL, undefined],
  ["*", ALL, "zstd"],
  ["*, zstd;q=0", ALL, "br"],
  ["*;q=0", ALL, undefined],
  ["*;q=0, gzip", ALL, "gzip"],
  ["zstd;q=0.5, gzip;q=0.8", ALL, "gzip"],
  ["zstd;q=0.5, gzip;q=0.5", ALL, "zstd"],
  ["br;q=0", ["br"], undefined],
  ["br;q=0.000", ["br"], undefined],
  ["br;q=0.001", ["br"], "br"],
  ["br; q=1.000", ["br"], "br"],
  ["br;q=1.001", ["br"], undefined],
  ["br;q=2", ["br"], undefined],
  ["br;q=x", ["br"], undefined],
  ["br;Q=0.5", ["br"], "br"],
  // Plain bytes count only where the client names them.
  ["identity", ALL, undefined],
  ["identity, gzip", ALL, "gzip"],
  ["identity;q=1, gzip;q=0.5", ALL, undefined],
  ["identity;q=0.5, gzip;q=1", ALL, "gzip"],
  ["identity;q=0, deflate", ALL, undefined],
];

test("the coding is what the client likes best of what is there (RFC 9110 §12.5.3)", () => {
  for (const [accept, available, expected] of CASES) {
    expect([accept, available, chooseCoding(accept, available)]).toEqual([accept, available, expected]);
  }
});
