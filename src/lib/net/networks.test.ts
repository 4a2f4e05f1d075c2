import { expect, test } from "bun:test";
import { isAddress, isNetwork, networkCheck } from "./networks.ts";

test("an address has four decimal parts, or is one of IPv6", () => {
  const right = ["10.0.0.1", "0.0.0.0", "::1", "2001:db8::1", "::ffff:10.0.0.1"];
  // Other programs read some of these as other addresses: 010 as 10 or 8, 10.1 as 10.0.0.1 or 10.1.0.0.
  const wrong = ["", "10", "10.1", "010.0.0.1", "0x0a.0.0.1", "0x7f000001", "10.0.0.256", " ::1", "::1\n", "a.test"];
  expect(right.filter(isAddress)).toEqual(right);
  expect(wrong.filter(isAddress)).toEqual([]);
});

test("a network is an address, or an address and a number of bits that it has", () => {
  const right = ["10.0.0.0/8", "10.0.0.1", "0.0.0.0/0", "10.0.0.1/32", "::/0", "::1/128", "2001:db8::/32", "::1"];
  const wrong = [
    "10/8",
    "192.168/16",
    "010.0.0.0/8",
    "0xa.0.0.0/8",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "/8",
    "10.0.0.0/8/8",
  ];
  expect(right.filter(isNetwork)).toEqual(right);
  expect(wrong.filter(isNetwork)).toEqual([]);
});

test("a network of one interface is refused, because no interface is compared", () => {
  expect(["fe80::1%eth0", "fe80::1%eth0/128", "fe80::%1/10"].filter(isNetwork)).toEqual([]);
});

test("an IPv4 address is the same in the form of IPv6, in networks and in addresses", () => {
  const isInTen = networkCheck(["::ffff:10.0.0.0/104", "::1"]);
  const seen = ["10.1.2.3", "::ffff:10.1.2.3", "::ffff:a01:203", "::1", "11.0.0.1", "::ffff:b00:1", "::2"];
  expect(seen.filter(isInTen)).toEqual(seen.slice(0, 4));
  expect(["10.1.2.3", "::ffff:a01:203", "11.0.0.1"].filter(networkCheck(["10.0.0.0/8"]))).toEqual([
    "10.1.2.3",
    "::ffff:a01:203",
  ]);
  // All of IPv6, and with it none of IPv4.
  expect(["10.1.2.3", "::1"].filter(networkCheck(["::/0"]))).toEqual(["::1"]);
});
