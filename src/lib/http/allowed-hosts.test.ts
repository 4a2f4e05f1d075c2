import { expect, test } from "bun:test";
import { createAllowedHosts } from "./allowed-hosts.ts";

const HOSTS = ["a.test", "Rooted.Test.", "port.test:8080", "10.0.0.1", "::1", "[2001:DB8::1]", "*.example.com"];

const CASES: readonly (readonly [authority: string, allowed: boolean])[] = [
  ["a.test", true],
  ["A.TEST", true],
  ["a.test:80", true],
  ["a.test:", true],
  ["a.test.", true],
  ["a.test.:8080", true],
  ["rooted.test", true],
  ["port.test", true],
  ["port.test:9090", true],
  ["10.0.0.1:8080", true],
  ["[::1]", true],
  ["[::1]:8080", true],
  ["[0:0:0:0:0:0:0:1]", true],
  ["[2001:db8::1]", true],
  ["[2001:DB8:0::0:1]:443", true],
  ["x.example.com", true],
  ["x.y.EXAMPLE.com:1", true],
  ["", false],
  ["b.test", false],
  ["a.test.evil.test", false],
  ["xa.test", false],
  ["x.a.test", false],
  ["a.test@evil.test", false],
  ["[::2]", false],
  ["::1", false],
  ["10.0.0.10", false],
  ["example.com", false],
  [".example.com", false],
  ["xexample.com", false],
  ["x.example.com.evil.test", false],
];

test("a listed host is allowed in every spelling", () => {
  const allowed = createAllowedHosts(HOSTS);
  for (const [authority, expected] of CASES) expect([authority, allowed?.(authority)]).toEqual([authority, expected]);
});
