import { afterEach, expect, jest, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool } from "../../../../lib/memory/buffer-pool.ts";
import { smallDisk } from "../../../../lib/testing/small-disk.ts";
import { type KeptResponses } from "../../../../store/kept-responses.ts";
import { type Config } from "../../../config/config.ts";
import { WorkerResponses } from "./worker-responses.ts";

const DISK_BYTES = 50_000_000;
const folders: string[] = [];
const opened: WorkerResponses[] = [];

afterEach(async () => {
  jest.useRealTimers();
  for (const responses of opened.splice(0)) await responses.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-worker-"));
  folders.push(folder);
  return folder;
}

// The responses read these keys alone.
const configOf = (bytes: number) => ({ x402: { answer_disk_bytes: bytes } }) as Pick<Config, "x402">;

function open(bytes = DISK_BYTES) {
  const logged: string[] = [];
  const pool = new BufferPool({ bufferSize: 1_048_576, bufferCount: 32, reserve: 1 });
  const responses = new WorkerResponses(pool, configOf(bytes), (line) => logged.push(line));
  opened.push(responses);
  return { responses, logged };
}

/** The database of several gateways; `asked` has the keys that it was asked for. */
function database() {
  const asked: string[] = [];
  const kept: KeptResponses = {
    keep: async () => true,
    has: async (key) => asked.push(key) > 0,
    find: async () => undefined,
    sweep: async () => 0,
  };
  return { kept, asked };
}

test("responses are stored beside the ledger, up to the bytes of the configuration, until the end", async () => {
  const { responses, logged } = open();
  const folder = folderOf();
  responses.use(undefined, join(folder, "turnpike.db"));
  const { disk } = responses.store;
  expect([disk?.maxBytes, existsSync(join(folder, "answers", "index.db"))]).toEqual([DISK_BYTES, true]);
  responses.use(undefined, join(folder, "turnpike.db"));
  expect(responses.store.disk).toBe(disk);
  responses.reload(configOf(60_000_000));
  expect(disk?.maxBytes).toBe(60_000_000);
  await responses.close();
  expect([responses.store.disk, logged]).toEqual([undefined, []]);
});

test.each([
  [":memory:", DISK_BYTES],
  ["turnpike.db", 0],
])("the ledger %s with %d bytes of disk has no disk", (file, bytes) => {
  const { responses } = open(bytes);
  const folder = folderOf();
  responses.use(undefined, file === ":memory:" ? file : join(folder, file));
  responses.reload(configOf(bytes));
  expect([responses.store.disk, responses.store.shared !== undefined]).toEqual([undefined, false]);
  expect(existsSync(join(folder, "answers"))).toBe(false);
});

test("a disk that a reload configures is used from then on, however small", () => {
  const { responses } = open(0);
  const path = join(folderOf(), "turnpike.db");
  responses.use(undefined, path);
  responses.reload(configOf(1));
  expect(responses.store.disk).toBeUndefined();
  responses.use(undefined, path);
  expect(responses.store.disk?.maxBytes).toBe(1);
});

test("the database of several gateways is shared once, with or without a disk", async () => {
  const { responses } = open();
  const [first, second] = [database(), database()];
  responses.use(first.kept, ":memory:");
  responses.use(second.kept, ":memory:");
  expect(responses.store.shared !== undefined).toBe(true);
  expect(await responses.store.isKept("payment", 0)).toBe(true);
  expect([first.asked, second.asked]).toEqual([["payment"], []]);
});

test.each([true, false])("a folder that cannot be used is an error (shared: %p)", (isShared) => {
  const { responses } = open();
  const folder = folderOf();
  writeFileSync(join(folder, "answers"), "");
  const use = () => responses.use(isShared ? database().kept : undefined, join(folder, "turnpike.db"));
  expect(use).toThrow(`Cannot keep paid responses in "${join(folder, "answers")}": EEXIST`);
});

test("a gateway alone does not start with a full disk", () => {
  using disk = smallDisk("1m");
  if (!disk.isMounted) return;
  const { path: folder } = disk;
  disk.fill();
  const { responses, logged } = open();
  expect(() => responses.use(undefined, join(folder, "turnpike.db"))).toThrow("Cannot keep paid responses");
  expect(logged).toEqual([]);
});

test("one of several gateways starts with a full disk, and uses it when there is space", async () => {
  using disk = smallDisk("1m");
  if (!disk.isMounted) return;
  const { path: folder } = disk;
  disk.fill();
  jest.useFakeTimers();
  const { responses, logged } = open();
  const path = join(folder, "turnpike.db");
  const { kept } = database();
  responses.use(kept, path);
  expect(responses.store.disk).toBeUndefined();
  expect(logged).toEqual([
    expect.stringMatching(
      /^payment: Cannot keep paid responses in ".*": \w+; until there is space, this gateway sells/,
    ),
  ]);
  jest.advanceTimersByTime(3000);
  // A reload tries again too, and puts the next retry off.
  responses.use(kept, path);
  jest.advanceTimersByTime(1999);
  expect([responses.store.disk, logged.length]).toEqual([undefined, 1]);
  rmSync(join(folder, "filler"));
  expect(responses.store.disk).toBeUndefined();
  jest.advanceTimersByTime(1);
  expect([responses.store.disk?.maxBytes, logged.length]).toEqual([DISK_BYTES, 1]);
});

test("another failure than that of space is logged by the retry", () => {
  using disk = smallDisk("1m");
  if (!disk.isMounted) return;
  const { path: folder } = disk;
  disk.fill();
  jest.useFakeTimers();
  const { responses, logged } = open();
  responses.use(database().kept, join(folder, "turnpike.db"));
  rmSync(join(folder, "answers"), { recursive: true, force: true });
  rmSync(join(folder, "filler"));
  writeFileSync(join(folder, "answers"), "");
  jest.advanceTimersByTime(2000);
  expect(logged.slice(1)).toEqual([expect.stringMatching(/^payment: Cannot keep paid responses in ".*": EEXIST$/)]);
});

test("a gateway that ends does not try the disk again", async () => {
  using disk = smallDisk("1m");
  if (!disk.isMounted) return;
  const { path: folder } = disk;
  disk.fill();
  jest.useFakeTimers();
  const { responses } = open();
  responses.use(database().kept, join(folder, "turnpike.db"));
  await responses.close();
  rmSync(join(folder, "filler"));
  jest.advanceTimersByTime(10_000);
  expect(responses.store.disk).toBeUndefined();
});
