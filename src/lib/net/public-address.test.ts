import { expect, test } from "bun:test";
import ipaddr from "ipaddr.js";
import { isPublicAddress } from "./public-address.ts";

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.170",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700::1%eth0",
  "fec0::1",
  "ff02::1",
  // A resolver does not print these forms, so they are refused.
  "0x7f000001",
  "2130706433",
  "127.1",
  "010.0.0.1",
  "",
  "example.com",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

/** Every row of IANA's registries of special-purpose addresses (RFC 6890, RFC 8190; up to RFC 9780), and multicast. */
const REGISTRIES = [
  ["0.0.0.0/8", "this network"],
  ["0.0.0.0/32", "this host on this network"],
  ["10.0.0.0/8", "private use"],
  ["100.64.0.0/10", "shared address space"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link local"],
  ["172.16.0.0/12", "private use"],
  ["192.0.0.0/24", "protocol assignments"],
  ["192.0.0.0/29", "service continuity"],
  ["192.0.0.8/32", "dummy"],
  ["192.0.0.9/32", "Port Control Protocol anycast"],
  ["192.0.0.10/32", "TURN anycast"],
  ["192.0.0.170/32", "NAT64 discovery"],
  ["192.0.0.171/32", "NAT64 discovery"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "AMT"],
  ["192.88.99.0/24", "6to4 relay anycast"],
  ["192.88.99.2/32", "6a44 relay anycast"],
  ["192.168.0.0/16", "private use"],
  ["192.175.48.0/24", "AS112"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
  ["255.255.255.255/32", "limited broadcast"],
  ["::1/128", "loopback"],
  ["::/128", "unspecified"],
  ["::ffff:0:0/96", "IPv4-mapped"],
  ["64:ff9b::/96", "NAT64"],
  ["64:ff9b:1::/48", "local NAT64"],
  ["100::/64", "discard"],
  ["100:0:0:1::/64", "dummy prefix"],
  ["2001::/23", "protocol assignments"],
  ["2001::/32", "Teredo"],
  ["2001:1::1/128", "Port Control Protocol anycast"],
  ["2001:1::2/128", "TURN anycast"],
  ["2001:1::3/128", "DNS-SD SRP anycast"],
  ["2001:2::/48", "benchmarking"],
  ["2001:3::/32", "AMT"],
  ["2001:4:112::/48", "AS112"],
  ["2001:10::/28", "ORCHID"],
  ["2001:20::/28", "ORCHIDv2"],
  ["2001:30::/28", "drone identifiers"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["2620:4f:8000::/48", "AS112"],
  ["3fff::/20", "documentation"],
  ["5f00::/16", "segment routing"],
  ["fc00::/7", "unique local"],
  ["fe80::/10", "link local"],
  ["ff00::/8", "multicast"],
] as const;

function bitsOf(address: string): number {
  return address.includes(":") ? 128 : 32;
}

function valueOf(address: string): bigint {
  return ipaddr
    .parse(address)
    .toByteArray()
    .reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function addressOf(value: bigint, bits: number): string {
  const bytes = Array.from({ length: bits / 8 }, (_, i) => Number((value >> BigInt(bits - 8 * (i + 1))) & 0xffn));
  return ipaddr.fromByteArray(bytes).toString();
}

function rangeOf(block: string): { bits: number; first: bigint; last: bigint } {
  const [base = "", length] = block.split("/");
  const bits = bitsOf(base);
  const first = valueOf(base);
  return { bits, first, last: first + (1n << BigInt(bits - Number(length))) - 1n };
}

/** Public addresses are those that no row contains. In IPv6, only 2000::/3 is in use. */
function isSpecial(value: bigint, bits: number): boolean {
  if (bits === 128 && value >> 125n !== 1n) return true;
  return REGISTRIES.some(([block]) => {
    const range = rangeOf(block);
    return range.bits === bits && value >= range.first && value <= range.last;
  });
}

test.each(REGISTRIES)(
  "%s (%s) is not public, from its first address to its last, and its neighbours may be",
  (block) => {
    const { bits, first, last } = rangeOf(block);
    for (const value of [first, last, (first + last) / 2n]) {
      expect(isPublicAddress(addressOf(value, bits)), addressOf(value, bits)).toBe(false);
    }
    for (const value of [first - 1n, last + 1n]) {
      if (value < 0n || value >= 1n << BigInt(bits)) continue;
      expect(isPublicAddress(addressOf(value, bits)), addressOf(value, bits)).toBe(!isSpecial(value, bits));
    }
  },
);

test("no IPv6 address that carries a private IPv4 address is public", () => {
  for (const inner of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1"]) {
    const hex = Buffer.from(inner.split(".").map(Number)).toString("hex");
    const [high, low] = [hex.slice(0, 4), hex.slice(4)];
    for (const address of [
      `::${inner}`,
      `::ffff:${inner}`,
      `::ffff:${high}:${low}`,
      `::ffff:0:${inner}`,
      `64:ff9b::${inner}`,
      `64:ff9b:1::${inner}`,
      `2002:${high}:${low}::1`,
      `2001:0:${high}:${low}::1`,
      `2001:0:4136:e378:8000:63bf:${high}:${low}`,
    ]) {
      expect(isPublicAddress(address), address).toBe(false);
    }
  }
});
