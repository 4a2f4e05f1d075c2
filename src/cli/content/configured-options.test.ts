import { expect, test } from "bun:test";
import { proxiesOf } from "./configured-options.ts";

const LISTED = [{ name: "de", url_env: "PROXY_DE" }];

test("a proxy is read from the environment variable that the configuration names", () => {
  const proxies = proxiesOf(LISTED, { PROXY_DE: " socks5://ann:a%40b@10.0.0.9 " });
  const user = { name: "ann", password: "a@b" };
  expect(Object.fromEntries(proxies)).toEqual({
    de: { protocol: "socks5", host: "10.0.0.9", port: 1080, user, isTrusted: true },
  });
});

test("a value that is not a proxy is refused without being shown", () => {
  for (const value of [undefined, "", "https://s3cret.example", "http://s3cret.example/path"]) {
    expect(() => proxiesOf(LISTED, { PROXY_DE: value })).toThrow(/PROXY_DE is not an http:\/\/ or socks5:\/\/ URL/);
    expect(() => proxiesOf(LISTED, { PROXY_DE: value })).not.toThrow(/s3cret/);
  }
});
