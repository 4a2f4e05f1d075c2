import { expect, test } from "bun:test";
import { proxyOf } from "./own-proxy.ts";

test.each([
  ["http://proxy.test", { protocol: "http", host: "proxy.test", port: 80, user: undefined }],
  ["HTTP://proxy.test:3128/", { protocol: "http", host: "proxy.test", port: 3128, user: undefined }],
  ["socks5://proxy.test", { protocol: "socks5", host: "proxy.test", port: 1080, user: undefined }],
  ["SOCKS5H://[2001:db8::1]:80", { protocol: "socks5", host: "[2001:db8::1]", port: 80, user: undefined }],
  [
    "http://a%40b:p%3A@proxy.test",
    { protocol: "http", host: "proxy.test", port: 80, user: { name: "a@b", password: "p:" } },
  ],
  ["http://:p@proxy.test", { protocol: "http", host: "proxy.test", port: 80, user: { name: "", password: "p" } }],
  ["http://a@proxy.test", { protocol: "http", host: "proxy.test", port: 80, user: { name: "a", password: "" } }],
] as const)("%s is the address of a proxy", (address, proxy) => {
  expect(proxyOf(address)).toEqual({ ...proxy, isTrusted: false });
  expect(proxyOf(address, true)?.isTrusted).toBe(true);
});

test.each([
  "https://proxy.test",
  "socks4://proxy.test",
  "proxy.test:3128",
  "http://",
  "http://proxy.test/path",
  "http://proxy.test/?q",
  "http://proxy.test/#f",
  "http://proxy.test:65536",
  "http://%zz@proxy.test",
])("%s is not the address of a proxy", (address) => {
  expect(proxyOf(address)).toBeUndefined();
});
