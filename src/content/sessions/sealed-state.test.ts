import { expect, test } from "bun:test";
import { type BrowsingState, type Cookie } from "../page/browsing-state.ts";
import { MAX_STATE_BYTES, SEAL_NONCE_BYTES, sealed, unsealed } from "./sealed-state.ts";

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
};

test("a state is read with its secret, and looks like noise without it", () => {
  const bytes = sealed(STATE, owner, nonce());
  expect(unsealed(bytes, owner)).toEqual(STATE);
  expect(Buffer.from(bytes).includes("shop.test")).toBe(false);
  expect(unsealed(new Uint8Array(), owner)).toEqual({ cookies: [], storage: new Map() });
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

test("beyond the limits, the oldest cookies and origins are left out", () => {
  const cookies = Array.from({ length: 200 }, (_, n) => cookie({ name: `n${n}`, value: "x".repeat(4000) }));
  const storage = new Map(Array.from({ length: 20 }, (_, n) => [`https://${n}.test`, [["key", "y".repeat(200_000)]]]));
  const bytes = sealed({ cookies, storage: storage as unknown as BrowsingState["storage"] }, owner, nonce());
  expect(bytes.length).toBeLessThan(MAX_STATE_BYTES + 100);
  const kept = unsealed(bytes, owner);
  expect([kept.cookies.at(-1)?.name, [...kept.storage.keys()]]).toEqual([
    "n199",
    ["https://17.test", "https://18.test", "https://19.test"],
  ]);
  expect(kept.cookies.length).toBe(63);
});
