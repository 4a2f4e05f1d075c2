import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  adminAddressPath,
  adminKeyPath,
  openAdminKey,
  readAdminAddress,
  readAdminKey,
  removeAdminAddress,
  writeAdminAddress,
} from "./admin-key.ts";

function fresh(): string {
  return mkdtempSync(join(tmpdir(), "turnpike-admin-key-"));
}

test("a key is created once, readable by its owner only, and stays the same", () => {
  const folder = fresh();
  const key = openAdminKey(folder);
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(statSync(adminKeyPath(folder)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["admin-key"]);
  expect(openAdminKey(folder)).toBe(key);
  expect(readFileSync(adminKeyPath(folder), "utf8")).toBe(`${key}\n`);
});

test("processes that create a key at the same time get the same one", async () => {
  const folder = fresh();
  const script = `import { openAdminKey } from ${JSON.stringify(join(import.meta.dir, "admin-key.ts"))}; console.log(openAdminKey(process.argv[1]));`;
  const keys = await Promise.all(
    Array.from({ length: 6 }, () => Bun.spawn([process.execPath, "-e", script, folder]).stdout.text()),
  );
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]?.trim()).toBe(readAdminKey(adminKeyPath(folder)) ?? "");
  expect(readdirSync(folder)).toEqual(["admin-key"]);
});

test("a link is not followed, whatever its target", () => {
  for (const [target, text] of [
    ["elsewhere", "a-key-of-somebody\n"],
    ["absent", undefined],
  ] as const) {
    const folder = fresh();
    const place = join(folder, target);
    if (text !== undefined) writeFileSync(place, text, { mode: 0o600 });
    symlinkSync(place, adminKeyPath(folder));
    expect(() => openAdminKey(folder)).toThrow("it is a symbolic link, which is not followed");
    expect(readdirSync(folder)).not.toContain(text === undefined ? target : "none");
  }
});

test("a file that others can read is refused, and the error says how to fix it", () => {
  const folder = fresh();
  openAdminKey(folder);
  chmodSync(adminKeyPath(folder), 0o640);
  expect(() => openAdminKey(folder)).toThrow(`other users can read it (mode 0640); protect it with: chmod 600`);
});

test.each([
  ["", "it is empty"],
  ["two words", "one line of visible ASCII"],
  ["two\nlines", "one line of visible ASCII"],
  ["\u00fcml\u00e4ut", "one line of visible ASCII"],
  ["x".repeat(1025), "it has more than 1024"],
  ["0123456789abcde", "it has fewer than 16 characters"],
])("a file with %j is not a key, and is not shown", (text, why) => {
  const folder = fresh();
  writeFileSync(adminKeyPath(folder), text, { mode: 0o600 });
  const failure = (() => {
    try {
      return openAdminKey(folder);
    } catch (error) {
      return String(error);
    }
  })();
  expect(failure).toContain(why);
  if (text !== "") expect(failure).not.toContain(text);
  expect(readFileSync(adminKeyPath(folder), "utf8")).toBe(text);
});

test("the address names a running process, and is removed with it", () => {
  const folder = fresh();
  expect(readAdminAddress(folder)).toBeUndefined();
  writeAdminAddress(folder, "http://127.0.0.1:9180/");
  expect(readAdminAddress(folder)).toEqual({ url: "http://127.0.0.1:9180/", pid: process.pid });
  expect(statSync(adminAddressPath(folder)).mode & 0o777).toBe(0o600);
  removeAdminAddress(folder);
  expect(readdirSync(folder)).toEqual([]);
  removeAdminAddress(folder);
});

test("the address of a process that has ended is ignored, and the file of another process stays", async () => {
  const folder = fresh();
  const child = Bun.spawn(["true"]);
  await child.exited;
  writeFileSync(adminAddressPath(folder), `http://127.0.0.1:9180/\n${child.pid}\n`, { mode: 0o600 });
  expect(readAdminAddress(folder)).toBeUndefined();
  writeFileSync(adminAddressPath(folder), `http://127.0.0.1:9180/\n${process.ppid}\n`, { mode: 0o600 });
  removeAdminAddress(folder);
  expect(readAdminAddress(folder)).toEqual({ url: "http://127.0.0.1:9180/", pid: process.ppid });
});

test.each(["", "http://127.0.0.1:9180/\n", "ftp://a/\n1\n", "http://127.0.0.1:9180/\n0\n"])(
  "%j is not an address",
  (text) => {
    const folder = fresh();
    writeFileSync(adminAddressPath(folder), text, { mode: 0o600 });
    expect(() => readAdminAddress(folder)).toThrow("it has no address of an admin interface");
  },
);
