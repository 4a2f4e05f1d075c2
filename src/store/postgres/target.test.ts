import { expect, test } from "bun:test";
import { readTarget } from "./target.ts";

const SOUND = { host: "db", port: 5432, user: "me", database: "shop", sslMode: "verify-full" };

const TARGETS: readonly [url: string, expected: object][] = [
  ["postgres://me@db:5432/shop?sslmode=verify-full", { target: SOUND, hasPassword: false }],
  ["postgresql://me@db/shop", { target: SOUND, hasPassword: false }],
  ["postgres://me:hunter2@db/shop", { target: SOUND, hasPassword: true }],
  ["postgres://me@db:6432/shop?sslmode=require", { target: { ...SOUND, port: 6432, sslMode: "require" } }],
  ["postgres://me@[::1]/shop?sslmode=disable", { target: { ...SOUND, host: "::1", sslMode: "disable" } }],
  ["postgres://m%40e@db/my%20shop", { target: { ...SOUND, user: "m@e", database: "my shop" } }],
  ["postgres://me@db/shop?application_name=x", { target: SOUND }],
  [
    "postgres://me@db/shop?sslmode=prefer",
    { error: 'sslmode "prefer" is not one of disable, require, verify-full', unknownMode: true },
  ],
  [
    "postgres://me@db/shop?sslmode=",
    { error: 'sslmode "" is not one of disable, require, verify-full', unknownMode: true },
  ],
  [
    "postgres://me@db/shop?sslmode=Require",
    { error: 'sslmode "Require" is not one of disable, require, verify-full', unknownMode: true },
  ],
  ["mysql://me@db/shop", { error: "its scheme is not postgres or postgresql" }],
  ["postgres://db/shop", { error: "it names no user" }],
  ["postgres://m%00e@db/shop", { error: "it names no user" }],
  ["postgres://me@db", { error: "it names no database" }],
  ["postgres://me@db/%zz", { error: "it names no database" }],
  ["postgres:///shop", { error: "it names no host" }],
  ["postgres://me@db:99999/shop", { error: "it is not a URL" }],
  ["shop", { error: "it is not a URL" }],
];

for (const [url, expected] of TARGETS) {
  test(`${url} is ${JSON.stringify(expected)}`, () => {
    const read = readTarget(url);
    expect(read).toMatchObject(expected);
    expect(read.target === undefined).toBe(read.error !== undefined);
    expect(JSON.stringify(read)).not.toContain("hunter2");
  });
}
