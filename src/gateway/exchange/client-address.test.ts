import { expect, test } from "bun:test";
import { createClientAddress, plainAddress } from "./client-address.ts";

const clientAddress = createClientAddress(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);

const CASES: readonly (readonly [about: string, peer: string, forwardedFor: string, client: string])[] = [
  ["a stranger's claim is not believed", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
  ["a trusted peer without the field is the client", "10.1.1.1", "", "10.1.1.1"],
  ["the right-most entry is the client", "10.1.1.1", "9.9.9.9, 203.0.113.9", "203.0.113.9"],
  ["trusted entries are passed over", "10.1.1.1", "203.0.113.9, 10.2.2.2, 192.0.2.7", "203.0.113.9"],
  ["what is all trusted ends at the left-most", "10.1.1.1", "10.3.3.3,10.2.2.2", "10.3.3.3"],
  ["a broken entry ends the walk", "10.1.1.1", "203.0.113.9, unknown, 10.2.2.2", "10.2.2.2"],
  ["ports and brackets are taken off", "10.1.1.1", "[2001:db9::1]:443, 10.2.2.2:80", "2001:db9::1"],
  ["an IPv4 address in any form of IPv6 is IPv4", "10.1.1.1", "::ffff:cb00:7109", "203.0.113.9"],
  ["a trusted IPv4 address is so in the form of IPv6 too", "10.1.1.1", "203.0.113.9, ::FFFF:10.2.2.2", "203.0.113.9"],
  ["every spelling of an IPv6 address is the same client", "10.1.1.1", "2001:DB9:0:0::0001", "2001:db9::1"],
  ["IPv6 proxies are known by their network", "2001:db8::1", "2001:db9::1", "2001:db9::1"],
];

for (const [about, peer, forwardedFor, client] of CASES) {
  test(about, () => {
    expect(clientAddress?.(peer, forwardedFor)).toBe(client);
  });
}

test("without trusted proxies nothing is looked at", () => {
  expect(createClientAddress([])).toBeUndefined();
});

test("an IPv4 address over an IPv6 socket is written as IPv4", () => {
  expect([plainAddress("::ffff:127.0.0.1"), plainAddress("::1"), plainAddress("127.0.0.1")]).toEqual([
    "127.0.0.1",
    "::1",
    "127.0.0.1",
  ]);
});
