import { expect, test } from "bun:test";
import { isAuthority } from "./authority.ts";

const LONG = "a".repeat(255);

test.each([
  "h",
  "example.com",
  "EXAMPLE.com:8080",
  "a-b.example:",
  "127.0.0.1:65535",
  "h:00080",
  "[::1]",
  "[::1]:443",
  "a_b",
  "shop.test.",
  "shop.test.:80",
  "a_b.test.",
  "[::ffff:192.0.2.1]",
  LONG,
  `${LONG}:80`,
])("%p is an authority", (text) => {
  expect(isAuthority(text)).toBe(true);
});

test.each([
  "",
  ":80",
  "h:65536",
  "h:000080",
  "h:8x",
  "h:80:80",
  "h:-1",
  "u@h",
  "h/",
  "h h",
  "a%2",
  "a%20b:80",
  "ex%61mple.com",
  "é",
  ".",
  "..",
  ".:80",
  ".shop.test",
  "shop.test..",
  "shop.test..:80",
  "shop..test",
  "a_b..",
  ".a_b",
  "[::1",
  `${LONG}a`,
])("%p is not an authority", (text) => {
  expect(isAuthority(text)).toBe(false);
});
