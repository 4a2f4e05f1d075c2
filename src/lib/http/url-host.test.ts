import { expect, test } from "bun:test";
import { bareHost, hostAndPort, portOf } from "./url-host.ts";

test.each([
  ["[::1]", "::1"],
  ["::1", "::1"],
  ["a.test", "a.test"],
  ["[a.test", "[a.test"],
  ["", ""],
])("the bare host of %j is %j", (host, bare) => {
  expect(bareHost(host)).toBe(bare);
});

test.each([
  ["::1", 80, "[::1]:80"],
  ["[::1]", 80, "[::1]:80"],
  ["127.0.0.1", 0, "127.0.0.1:0"],
  ["a.test", "443", "a.test:443"],
])("%s and %s are %s", (host, port, text) => {
  expect(hostAndPort(host, port)).toBe(text);
});

test.each([
  ["http://a.test/", 80],
  ["ws://a.test/", 80],
  ["https://a.test/", 443],
  ["wss://a.test/", 443],
  ["http://a.test:81/", 81],
  ["https://a.test:80/", 80],
  ["wss://[::1]:8443/", 8443],
])("the port of %s is %d", (url, port) => {
  expect(portOf(new URL(url))).toBe(port);
});
