import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { smallDisk } from "../../../../lib/testing/small-disk.ts";
import { watchTimers } from "../../../../lib/testing/timers.ts";
import { until } from "../../../../lib/testing/until.ts";
import { ResponseDisk, type ResponseDiskOptions } from "./response-disk.ts";
import { ResponseFile } from "./response-file.ts";
import { type ResponseRecord } from "./response-format.ts";
import { WRITER_STALE_MS } from "./response-index.ts";

const folders: string[] = [];
const disks: ResponseDisk[] = [];
/** `steps`: the milliseconds by which the system clock was set. */
const clock = { now: 1_000_000, steps: 0 };

afterEach(async () => {
  for (const disk of disks.splice(0)) await disk.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  clock.now = 1_000_000;
  clock.steps = 0;
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-answers-"));
  folders.push(folder);
  return join(folder, "answers");
}

function openDisk(folder: string, options: Partial<ResponseDiskOptions> = {}): ResponseDisk {
  const disk = new ResponseDisk({
    folder,
    maxBytes: 10_000_000,
    now: () => clock.now,
    steady: () => clock.now - clock.steps,
    log: () => {},
    ...options,
  });
  disks.push(disk);
  return disk;
}

function recordOf(key: string, change: Partial<ResponseRecord> = {}): ResponseRecord {
  const head = { status: 200, reason: "OK", fields: "X-A: \u00e9\r\n", bodyLength: 5 };
  return { key, until: clock.now + 60_000, head, trailers: "X-Sum: 1\r\n", ...change };
}

const silent = { onDrain() {}, onBroken() {}, written() {} };

/** Writes a body in pieces. Undefined if the disk refuses it. */
async function write(disk: ResponseDisk, body: Uint8Array, announced = body.length): Promise<ResponseFile | undefined> {
  const diskBuffer = disk.openDiskBuffer(announced, silent);
  for (let at = 0; at < body.length; at += 50_000) diskBuffer?.data(body, at, Math.min(at + 50_000, body.length));
  return diskBuffer?.finish().catch(() => undefined);
}

async function keepLong(disk: ResponseDisk, key: string, body: Uint8Array): Promise<boolean> {
  const file = await write(disk, body);
  if (file === undefined) return false;
  await disk.keepFile(file, recordOf(key));
  file.release();
  return disk.has(key, clock.now);
}

async function bodyOf(disk: ResponseDisk, key: string): Promise<Buffer | undefined> {
  const stored = await disk.get(key, clock.now);
  if (!(stored?.body instanceof ResponseFile)) return stored?.body;
  const pieces: Buffer[] = [];
  for (let at = 0; at < stored.body.size; at += pieces.at(-1)?.length ?? 0) pieces.push(await stored.body.read(at));
  stored.body.release();
  return Buffer.concat(pieces);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith("index.db"));
}

test("a response kept by one process is found by another and by a later one, byte for byte, until it expires", async () => {
  const folder = newFolder();
  const first = openDisk(folder);
  const second = openDisk(folder);
  const long = randomBytes(700_001);
  expect(await keepLong(first, "long", long)).toBe(true);
  await first.keepBody([Buffer.from("he"), Buffer.from("llo")], recordOf("short"));
  for (const disk of [first, second, openDisk(folder)]) {
    expect((await bodyOf(disk, "long"))?.equals(long)).toBe(true);
    expect((await bodyOf(disk, "short"))?.toString()).toBe("hello");
    expect(await disk.get("short", clock.now)).toMatchObject({ record: recordOf("short") });
    expect(await disk.get("other", clock.now)).toBeUndefined();
  }
  clock.now += 60_000;
  expect([await bodyOf(second, "long"), await bodyOf(second, "short")]).toEqual([undefined, undefined]);
  second.sweep();
  expect(filesIn(folder)).toEqual([]);
  expect(second.account).toEqual({ bytes: 0, responses: 0 });
});

test("file names do not reveal the key, and other users cannot read the files", async () => {
  const folder = newFolder();
  const disk = openDisk(folder);
  await keepLong(disk, "../../escape", randomBytes(10));
  expect(filesIn(folder)).toEqual([`${createHash("sha256").update("../../escape").digest("hex")}.answer`]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder))
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
});

test("a damaged or truncated file counts as absent, and is removed", async () => {
  const folder = newFolder();
  const disk = openDisk(folder);
  const body = randomBytes(300_000);
  const damages: readonly ((path: string) => void)[] = [
    (path) => truncateSync(path, 200_000),
    (path) => truncateSync(path, 0),
    (path) => flip(path, 0),
    (path) => flip(path, 299_999),
    (path) => flip(path, 300_010),
    (path) => flip(path, statSync(path).size - 1 - 4),
    (path) => flip(path, statSync(path).size - 30),
    (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from("x")])),
    (path) => rmSync(path),
  ];
  for (const damage of damages) {
    expect(await keepLong(disk, "key", body)).toBe(true);
    damage(join(folder, filesIn(folder)[0] ?? ""));
    expect(await bodyOf(disk, "key")).toBeUndefined();
    expect(filesIn(folder)).toEqual([]);
    expect(disk.account).toEqual({ bytes: 0, responses: 0 });
  }
  await until(() => disk.openFiles === 0);
});

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

test("the oldest kept responses are removed for new ones, until there is no room", async () => {
  const folder = newFolder();
  const disk = openDisk(folder, { maxBytes: 1_000_000 });
  const other = openDisk(folder, { maxBytes: 1_000_000 });
  for (const key of ["a", "b", "c"]) expect(await keepLong(disk, key, randomBytes(300_000))).toBe(true);
  const waiting = await write(other, randomBytes(500_000));
  expect(["a", "b", "c"].map((key) => disk.has(key, clock.now))).toEqual([false, false, true]);
  expect(await write(disk, randomBytes(600_000))).toBeUndefined();
  expect(disk.has("c", clock.now)).toBe(true);
  // A body of unknown length is refused while it arrives.
  expect(await write(disk, randomBytes(600_000), -1)).toBeUndefined();
  expect(disk.account.bytes).toBeLessThanOrEqual(1_000_000);
  waiting?.release();
  await until(() => disk.openFiles + other.openFiles === 0);
  expect(await keepLong(disk, "d", randomBytes(900_000))).toBe(true);
  expect([disk.has("c", clock.now), filesIn(folder).length]).toEqual([false, 1]);
  expect(await write(disk, randomBytes(1_000_001))).toBeUndefined();
  expect(disk.has("d", clock.now)).toBe(true);
});

test("two processes that take all they can never exceed the limit together", async () => {
  const folder = newFolder();
  const maxBytes = 2_000_000;
  const disk = openDisk(folder, { maxBytes });
  const source = `
    import { ResponseDisk } from ${JSON.stringify(join(import.meta.dir, "response-disk.ts"))};
    const disk = new ResponseDisk({ folder: ${JSON.stringify(folder)}, maxBytes: ${maxBytes}, now: Date.now, log: console.error });
    const silent = { onDrain() {}, onBroken() {}, written() {} };
    const head = { status: 200, reason: "", fields: "", bodyLength: -1 };
    const sell = async (key) => {
      const diskBuffer = disk.openDiskBuffer(-1, silent);
      for (let i = 0; i < 1 + key % 6; i++) {
        diskBuffer.data(new Uint8Array(150_000), 0, 150_000);
        await new Promise(setImmediate);
      }
      const file = await diskBuffer.finish().catch(() => undefined);
      if (file === undefined) return;
      await disk.keepFile(file, { key: process.pid + "-" + key, until: Date.now() + 1e6, head, trailers: "" });
      file.release();
    };
    for (let key = 0; key < 60; key += 4) await Promise.all([0, 1, 2, 3].map((i) => sell(key + i)));
    while (disk.openFiles > 0) await new Promise(setImmediate);
    await disk.close();
  `;
  const children = [0, 1].map(() => Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" }));
  const running = { count: children.length };
  for (const child of children) void child.exited.then(() => (running.count -= 1));
  let most = 0;
  while (running.count > 0) {
    const { bytes } = disk.account;
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    most = Math.max(most, bytes);
    await Bun.sleep(1);
  }
  expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(most).toBeGreaterThan(maxBytes / 2);
  const onDisk = filesIn(folder).reduce(
    (sum, name) => sum + Math.ceil(statSync(join(folder, name)).size / 4096) * 4096,
    0,
  );
  expect(disk.account).toEqual({ bytes: onDisk, responses: filesIn(folder).length });
});

test("a response that is being read stays whole while it is displaced", async () => {
  const disk = openDisk(newFolder(), { maxBytes: 1_000_000 });
  const body = randomBytes(600_000);
  await keepLong(disk, "a", body);
  const stored = await disk.get("a", clock.now);
  expect(await keepLong(disk, "b", randomBytes(600_000))).toBe(true);
  expect(disk.has("a", clock.now)).toBe(false);
  const file = stored?.body;
  if (!(file instanceof ResponseFile)) throw new Error("It is not in a file");
  expect((await file.read(524_288)).equals(body.subarray(524_288))).toBe(true);
  file.release();
  await until(() => disk.openFiles === 0);
});

test("a response that is dropped while it is written leaves nothing, at any time", async () => {
  const folder = newFolder();
  const disk = openDisk(folder);
  let memory = 0;
  for (const turns of [0, 1, 2, 5, 20]) {
    const diskBuffer = disk.openDiskBuffer(1_000_000, { ...silent, written: (bytes) => void (memory -= bytes) });
    for (let i = 0; i < 3; i++) {
      memory += 100_000;
      diskBuffer?.data(randomBytes(100_000), 0, 100_000);
    }
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    diskBuffer?.drop();
  }
  disk.openDiskBuffer(1_000_000, silent)?.drop();
  (await write(disk, randomBytes(500_000)))?.release();
  await until(() => disk.openFiles === 0);
  expect([memory, filesIn(folder), disk.account]).toEqual([0, [], { bytes: 0, responses: 0 }]);
});

test("the upstream is paused while the disk writes, and resumed afterwards", async () => {
  const disk = openDisk(newFolder());
  const drained = Promise.withResolvers<void>();
  const diskBuffer = disk.openDiskBuffer(-1, { ...silent, onDrain: () => drained.resolve() });
  let welcome = true;
  let pieces = 0;
  for (; welcome && pieces < 100; pieces++) welcome = diskBuffer?.data(randomBytes(65_536), 0, 65_536) ?? true;
  expect([welcome, pieces]).toEqual([false, 4]);
  await drained.promise;
  expect(diskBuffer?.data(randomBytes(10), 0, 10)).toBe(true);
  (await diskBuffer?.finish())?.release();
});

test("the sweep removes the unfinished files of a killed process, when they show no sign of life", async () => {
  const folder = newFolder();
  const disk = openDisk(folder);
  const source = `
    import { ResponseDisk } from ${JSON.stringify(join(import.meta.dir, "response-disk.ts"))};
    const disk = new ResponseDisk({ folder: ${JSON.stringify(folder)}, maxBytes: 1e7, now: () => ${clock.now}, log() {} });
    const diskBuffer = disk.openDiskBuffer(5_000_000, { onDrain: () => console.log("half"), onBroken() {}, written() {} });
    diskBuffer.data(new Uint8Array(1_000_000), 0, 1_000_000);
    setInterval(() => {}, 1000);
  `;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("half\n");
  child.kill("SIGKILL");
  await child.exited;
  disk.sweep();
  expect(filesIn(folder)).toHaveLength(1);
  expect(disk.account).toMatchObject({ responses: 1 });
  clock.now += WRITER_STALE_MS;
  disk.sweep();
  expect([filesIn(folder), disk.account]).toEqual([[], { bytes: 0, responses: 0 }]);
});

test("a file that this process writes is not swept, however long it takes", async () => {
  const disk = openDisk(newFolder());
  const file = await write(disk, randomBytes(10));
  for (let i = 0; i < 5; i++) {
    clock.now += WRITER_STALE_MS - 1;
    disk.sweep();
  }
  if (file !== undefined) await disk.keepFile(file, recordOf("key"));
  file?.release();
  expect((await bodyOf(disk, "key"))?.length).toBe(10);
});

test("a clock that is set forward removes neither kept responses nor the files that another worker writes, for an hour", async () => {
  const folder = newFolder();
  const [worker, other] = [openDisk(folder), openDisk(folder)];
  const file = await write(worker, randomBytes(10));
  await keepLong(worker, "kept", randomBytes(20));
  for (const ms of [59_000, 24 * 3_600_000]) {
    clock.now += ms;
    clock.steps += ms;
    other.sweep();
  }
  clock.now -= 24 * 3_600_000;
  clock.steps -= 24 * 3_600_000;
  other.sweep();
  if (file !== undefined) await worker.keepFile(file, recordOf("late"));
  file?.release();
  expect((await bodyOf(other, "late"))?.length).toBe(10);
  expect((await bodyOf(other, "kept"))?.length).toBe(20);
  clock.now += 3_600_000;
  other.sweep();
  expect([filesIn(folder), other.account]).toEqual([[], { bytes: 0, responses: 0 }]);
});

test("a deleted folder is reported, and created again by the next sweep if the folder above is there", async () => {
  const logged: string[] = [];
  const folder = newFolder();
  const log = (message: string): void => void logged.push(message);
  const [disk, other] = [openDisk(folder, { log }), openDisk(folder)];
  rmSync(folder, { recursive: true });
  expect(await keepLong(disk, "a", randomBytes(300_000))).toBe(false);
  expect(logged).toEqual(["payment: cannot keep a response on the disk: ENOENT"]);
  renameSync(dirname(folder), `${dirname(folder)}.away`);
  disk.sweep();
  expect(existsSync(folder)).toBe(false);
  renameSync(`${dirname(folder)}.away`, dirname(folder));
  disk.sweep();
  other.sweep();
  expect(logged[1]).toBe(`payment: paid responses are kept in a new folder, because "${folder}" was moved or deleted`);
  expect(await keepLong(disk, "b", randomBytes(300_000))).toBe(true);
  await disk.keepBody([Buffer.from("short")], recordOf("c"));
  expect([(await bodyOf(other, "b"))?.length, (await bodyOf(other, "c"))?.length]).toEqual([300_000, 5]);
});

test("unknown files and a broken index are gone after a start", async () => {
  const folder = newFolder();
  const disk = openDisk(folder);
  await keepLong(disk, "a", randomBytes(1000));
  await disk.close();
  disks.length = 0;
  writeFileSync(join(folder, "00000000-0000-0000-0000-000000000000.part"), "half of it");
  const next = openDisk(folder);
  await until(() => filesIn(folder).length === 1);
  expect((await bodyOf(next, "a"))?.length).toBe(1000);
  await next.close();
  disks.length = 0;
  writeFileSync(join(folder, "index.db"), randomBytes(10_000));
  rmSync(join(folder, "index.db-wal"), { force: true });
  const last = openDisk(folder);
  expect(await bodyOf(last, "a")).toBeUndefined();
  await until(() => filesIn(folder).length === 0);
  expect(await keepLong(last, "a", randomBytes(1000))).toBe(true);
});

test("the limit can change while the disk is open", async () => {
  const disk = openDisk(newFolder());
  const has = async (key: string): Promise<boolean> => {
    await disk.keepBody([Buffer.alloc(1000)], recordOf(key));
    return disk.has(key, clock.now);
  };
  expect(await has("a")).toBe(true);
  disk.maxBytes = 500;
  expect([disk.maxBytes, await has("b")]).toEqual([500, false]);
  disk.maxBytes = 10_000;
  expect(await has("c")).toBe(true);
});

test("a thousand expired responses are removed in bounded steps", async () => {
  const disk = openDisk(newFolder());
  const kept = Array.from({ length: 1000 }, (_, i) =>
    disk.keepBody([Buffer.from(`answer ${i}`)], recordOf(`key ${i}`)),
  );
  await Promise.all(kept);
  expect(disk.account.responses).toBe(1000);
  clock.now += 60_000;
  let sweeps = 1;
  while (disk.sweep()) sweeps++;
  expect(sweeps).toBeGreaterThan(4);
  expect(disk.account).toEqual({ bytes: 0, responses: 0 });
});

test("expired responses are removed every five seconds, and sooner while there can be more", async () => {
  // The sooner sweep is not awaited, so that it does not come before the test looks.
  using timers = watchTimers((ms) => (ms === 5000 ? 1 : ms === 250 ? 3_600_000 : ms));
  const disk = openDisk(newFolder());
  await Promise.all(Array.from({ length: 400 }, (_, i) => disk.keepBody([Buffer.from("a")], recordOf(`key ${i}`))));
  expect(timers.pending(5000)).toBe(1);
  clock.now += 60_000;
  await until(() => timers.pending(250) === 1);
  expect([disk.account.responses, timers.pending(5000)]).toEqual([200, 0]);
  await disk.close();
  expect([timers.pending(250), timers.pending(5000)]).toEqual([0, 0]);
});

test("an error of the disk is logged by its code, once", async () => {
  const logged: string[] = [];
  const folder = newFolder();
  const disk = openDisk(folder, { log: (message) => logged.push(message) });
  await keepLong(disk, "a", randomBytes(10));
  const [name = ""] = filesIn(folder);
  rmSync(join(folder, name));
  symlinkSync(folder, join(folder, name));
  for (let i = 0; i < 2; i++) expect(disk.get("a", clock.now)).rejects.toMatchObject({ code: "overloaded" });
  expect(logged).toEqual(["payment: cannot keep a response on the disk: ELOOP"]);
  await until(() => disk.openFiles === 0);
});

test("an unusable folder fails the start, and is named", () => {
  const folder = newFolder();
  writeFileSync(folder, "a file");
  expect(() => openDisk(folder)).toThrow(`Cannot keep paid responses in "${folder}": EEXIST`);
});

test("a full disk accepts nothing more, keeps its responses, and has room again when they are removed", async () => {
  using small = smallDisk("1m");
  // Skipped for an ordinary user: `test/responses.test.ts` limits the process instead.
  if (!small.isMounted) return;
  const logged: string[] = [];
  const disk = openDisk(join(small.path, "answers"), { log: (message) => logged.push(message) });
  const body = randomBytes(300_000);
  expect(await keepLong(disk, "a", body)).toBe(true);
  expect(await write(disk, randomBytes(900_000), -1)).toBeUndefined();
  await until(() => disk.openFiles === 0);
  expect((await bodyOf(disk, "a"))?.equals(body)).toBe(true);
  expect(filesIn(join(small.path, "answers"))).toHaveLength(1);
  clock.now += 60_000;
  disk.sweep();
  expect(await keepLong(disk, "b", randomBytes(500_000))).toBe(true);
  await disk.keepBody([randomBytes(600_000)], recordOf("c"));
  expect(disk.has("c", clock.now)).toBe(false);
  await until(() => logged.join().includes("cannot keep a response on the disk"));
});

test("while another process writes, nothing waits for it, and pending changes are made afterwards", async () => {
  const folder = newFolder();
  const disk = openDisk(folder);
  const written = await write(disk, randomBytes(200_000));
  const other = new Database(join(folder, "index.db"));
  other.run("BEGIN IMMEDIATE");
  await disk.keepBody([Buffer.from("short")], recordOf("short"));
  written?.release();
  // The event loop is not blocked, so this line runs before the lock is released.
  expect([disk.has("short", clock.now), disk.account.responses]).toEqual([false, 1]);
  expect(disk.openDiskBuffer(200_000, silent)).toBeDefined();
  other.run("COMMIT");
  other.close();
  await until(() => disk.has("short", clock.now) && disk.account.responses === 1);
  expect(await bodyOf(disk, "short")).toEqual(Buffer.from("short"));
});

test("a folder that cannot be made is an error with its path and the code of the system", () => {
  const file = join(newFolder(), "..", "file");
  writeFileSync(file, "");
  const folder = join(file, "answers");
  expect(() => openDisk(folder)).toThrow(`Cannot keep paid responses in "${folder}": ENOTDIR`);
});
