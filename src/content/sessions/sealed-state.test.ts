import { expect, test } from "bun:test";
import { type BrowsingState, type Cookie, newState } from "../page/browsing-state.ts";
import { SEAL_NONCE_BYTES, sealed, unsealed } from "./sealed-state.ts";

const nonce = () => crypto.getRandomValues(new Uint8Array(SEAL_NONCE_BYTES));
const owner = { id: "one", secret: "a".repeat(32) };

const cookie = (more: Partial<Cookie> = {}): Cookie => ({
  name: "id",
  value: "höhe",
  domain: "shop.test",
  hostOnly: true,
  path: "/",
  secure: true,
  httpOnly: true,
  ...more,
});

const STATE: BrowsingState = {
  cookies: [
    cookie({ sameSite: "Lax", expires: 5 }),
    cookie({ name: "part", partition: { topLevelSite: "https://a.test" } }),
  ],
  storage: new Map([["https://shop.test", [["key", "\u{1f600}\0"]]]]),
  databases: new Map([["https://shop.test", [["db", "{}"]]]]),
  leftOut: [
    { origin: "https://a.test", reason: "size" },
    { origin: "https://a.test", database: "db", reason: "value" },
  ],
};

test("a state is read with its secret, and looks like noise without it", () => {
  const bytes = sealed(STATE, owner, nonce());
  expect(unsealed(bytes, owner)).toEqual(STATE);
  expect(Buffer.from(bytes).includes("shop.test")).toBe(false);
  expect(unsealed(new Uint8Array(), owner)).toEqual(newState());
});

test("a state that was changed, cut, moved to another session or opened with another secret is refused", () => {
  const bytes = sealed(STATE, owner, nonce());
  const changed = bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte));
  expect(() => unsealed(changed, owner)).toThrow();
  for (const length of [1, SEAL_NONCE_BYTES, SEAL_NONCE_BYTES + 4, bytes.length - 1])
    expect(() => unsealed(bytes.subarray(0, length), owner)).toThrow();
  expect(() => unsealed(bytes, { ...owner, id: "two" })).toThrow();
  expect(() => unsealed(bytes, { ...owner, secret: "b".repeat(32) })).toThrow();
});

test("beyond the limits, the oldest cookies and origins are left out, and the origins are named", () => {
  const cookies = Array.from({ length: 200 }, (_, n) => cookie({ name: `n${n}`, value: "x".repeat(4000) }));
  const storage = new Map(
    Array.from({ length: 20 }, (_, n) => [`https://${n}.test`, [["key", "y".repeat(200_000)] as const]] as const),
  );
  const bytes = sealed({ cookies, storage, databases: storage, leftOut: [] }, owner, nonce());
  expect(bytes.length).toBeLessThan(2 * 1024 * 1024 + 5_000);
  const kept = unsealed(bytes, owner);
  expect([kept.cookies.at(-1)?.name, [...kept.storage.keys()]]).toEqual([
    "n199",
    ["https://17.test", "https://18.test", "https://19.test"],
  ]);
  expect(kept.cookies.length).toBe(63);
  expect([...kept.databases.keys()]).toEqual([15, 16, 17, 18, 19].map((n) => `https://${n}.test`));
  expect(kept.leftOut).toHaveLength(17 + 15);
  expect(kept.leftOut.slice(16, 18)).toEqual([
    { origin: "https://16.test", reason: "size" },
    { origin: "https://0.test", database: "key", reason: "size" },
  ]);
});
