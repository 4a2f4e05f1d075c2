import { expect, test } from "bun:test";
import { addressKey } from "./address-key.ts";

const SAME: readonly (readonly [prefix: number, one: string, other: string, same: boolean])[] = [
  [64, "2001:db8::1", "2001:0DB8:0:0:ffff:ffff:ffff:ffff", true],
  [64, "2001:db8::1", "2001:db8:0:1::1", false],
  [56, "2001:db8::1", "2001:db8:0:ff::1", true],
  [56, "2001:db8::1", "2001:db8:0:100::1", false],
  [128, "2001:db8::1", "2001:db8::2", false],
  [16, "2001:db8::1", "2001:ffff::2", true],
  [64, "fe80::1%eth0", "fe80::2", true],
  [64, "::ffff:198.51.100.1", "198.51.100.1", true],
  [64, "::ffff:c633:6401", "198.51.100.1", true],
  [64, "::ffff:198.51.100.1", "::ffff:198.51.100.2", false],
  [64, "198.51.100.1", "198.51.100.2", false],
  [64, "::", "::1", true],
  [64, "", "", true],
  [64, "no:address", "no:other", false],
];

test.each(SAME)("with a prefix of %i bits, %j and %j have one rate limit key: %j", (prefix, one, other, same) => {
  expect(addressKey(one, prefix) === addressKey(other, prefix)).toBe(same);
});
