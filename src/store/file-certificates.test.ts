import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCertificates } from "./file-certificates.ts";
import { testCertificates } from "./testing/certificates-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-certificates-"));
let stores = 0;

afterAll(() => rmSync(folder, { recursive: true }));

function newFolder(): string {
  return join(folder, String((stores += 1)));
}

testCertificates("files", async () => {
  const path = newFolder();
  return (now) => new FileCertificates(path, now);
});

test("only the owner can read the files and their folder, and no temporary file is left", async () => {
  const path = newFolder();
  const store = new FileCertificates(path);
  await store.write("account-1", "key");
  await store.write("account-1", "other");
  expect(readdirSync(path)).toEqual(["account-1.json"]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "account-1.json")).mode & 0o777).toBe(0o600);
});

test("a file that cannot be read costs only its entry, and is named", async () => {
  const path = newFolder();
  const store = new FileCertificates(path);
  await store.write("account-1", "key");
  writeFileSync(join(path, "certificate-a.test.json"), '{"until":0,');
  writeFileSync(join(path, "certificate-b.test.json"), "[]");
  mkdirSync(join(path, "certificate-c.test.json"));
  const longest = JSON.stringify({ until: 0, value: "v" }).padEnd(1024 * 1024);
  writeFileSync(join(path, "certificate-d.test.json"), `${longest} `);
  writeFileSync(join(path, "account-2.json"), longest);
  expect(Object.fromEntries(await store.read())).toEqual({ "account-1": "key", "account-2": "v" });
  const file = (name: string): string => `the file "${join(path, name)}.json"`;
  expect(Object.fromEntries(store.unreadable)).toEqual({
    "certificate-a.test": { reason: `${file("certificate-a.test")} is damaged`, isDamaged: true },
    "certificate-b.test": { reason: `${file("certificate-b.test")} is damaged`, isDamaged: true },
    "certificate-c.test": { reason: `${file("certificate-c.test")} cannot be read: it is a folder`, isDamaged: false },
    "certificate-d.test": { reason: `${file("certificate-d.test")} has more than 1048576 bytes`, isDamaged: true },
  });
  await store.write("certificate-a.test", "new");
  await store.read();
  expect([...store.unreadable.keys()].toSorted()).toEqual([
    "certificate-b.test",
    "certificate-c.test",
    "certificate-d.test",
  ]);
});

test("the lock of a process that has ended is free at once", async () => {
  const path = newFolder();
  const { pid } = Bun.spawnSync(["true"]);
  const store = new FileCertificates(path);
  writeFileSync(join(path, "lock.json"), JSON.stringify({ until: Date.now() + 60_000, value: String(pid) }));
  expect(await store.lease(1000)).toBe(true);
});

test("a closed store releases its own lock, and not that of another process", async () => {
  const path = newFolder();
  const [one, other] = [new FileCertificates(path), new FileCertificates(path)];
  expect([await one.lease(60_000), await other.lease(60_000)]).toEqual([true, false]);
  await other.close();
  expect(await other.lease(60_000)).toBe(false);
  await one.close();
  expect(readdirSync(path)).toEqual([]);
  expect(await other.lease(60_000)).toBe(true);
});

test("a damaged lock is free, and a folder in its place is an error", async () => {
  const path = newFolder();
  const store = new FileCertificates(path);
  writeFileSync(join(path, "lock.json"), "");
  expect(await store.lease(1000)).toBe(true);
  await store.lease(0);
  mkdirSync(join(path, "lock.json"));
  expect(await store.lease(1000).catch(String)).toContain('lock.json" cannot be read: it is a folder');
});

test("of two processes that find an expired lock in the same moment, one takes it over", async () => {
  const path = newFolder();
  await new FileCertificates(path, () => Date.now() - 60_000).lease(1000);
  const early = new FileCertificates(path);
  let taken: Promise<boolean> | undefined;
  const late = new FileCertificates(path, () => {
    // The other process has read the expired lock, and not replaced it yet.
    taken ??= early.lease(60_000);
    return Date.now();
  });
  const isLate = await late.lease(60_000);
  expect([isLate, await taken]).toEqual([true, false]);
  expect([await late.lease(60_000), await early.lease(60_000)]).toEqual([true, false]);
});

test("a process whose lock was taken over in the moment of its renewal does not replace the lock of the next one", async () => {
  const path = newFolder();
  let now = 0;
  const next = new FileCertificates(path, () => now);
  let taken: Promise<boolean> | undefined;
  const slow = new FileCertificates(path, () => {
    if (now === 2000) taken ??= next.lease(1000);
    return now;
  });
  expect(await slow.lease(1000)).toBe(true);
  now = 2000;
  const isRenewed = await slow.lease(1000);
  expect([isRenewed, await taken]).toEqual([true, false]);
});

test("without a free file descriptor the lock is not taken, and its file is not blamed", async () => {
  const path = newFolder();
  const store = new FileCertificates(path);
  expect(await store.lease(1000)).toBe(true);
  const code = `
    import { closeSync, openSync } from "node:fs";
    import { FileCertificates } from ${JSON.stringify(join(import.meta.dir, "file-certificates.ts"))};
    const store = new FileCertificates(${JSON.stringify(path)});
    let last;
    try {
      for (;;) last = openSync("/dev/null", "r");
    } catch {}
    const failure = () => store.lease(1000).catch(({ code }) => code);
    const without = await failure();
    // The one free descriptor is for the lock of the folder.
    closeSync(last);
    console.log(without, await failure());
  `;
  const child = Bun.spawnSync(["sh", "-c", 'ulimit -n 64 && exec "$0" -e "$1"', process.execPath, code]);
  expect(String(child.stdout).trim()).toBe("EMFILE EMFILE");
});

test("the same failure of a write always has the same message", async () => {
  const path = newFolder();
  const store = new FileCertificates(path);
  rmSync(path, { recursive: true });
  const failures = [await store.write("a", "x").catch(String), await store.write("a", "x").catch(String)];
  expect(failures[0]).toContain(join(path, "a.json'"));
  expect(failures[1]).toBe(failures[0] ?? "");
});
