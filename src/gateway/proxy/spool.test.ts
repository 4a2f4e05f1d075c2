import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../lib/testing/until.ts";
import { descriptorsOf } from "../../store/testing/descriptors.ts";
import { BLOCK_BYTES, Spool, type SpoolLimits, type SpoolExtent } from "./spool.ts";

const CLIENT = { clientAddress: "1.1.1.1", peerAddress: "1.1.1.1" };
const OTHER = { clientAddress: "2.2.2.2", peerAddress: "2.2.2.2" };

let folder: string;
let now: number;
let logged: string[];
const used: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-spool-"));
  now = 0;
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function spoolOf(limits: Partial<SpoolLimits> = {}): Spool {
  return new Spool({
    limits: { folder, maxBytes: 16 * BLOCK_BYTES, ...limits },
    now: () => now,
    log: (message) => logged.push(message),
    onUse: (bytes) => used.push(bytes),
    onError: (error) => {
      throw error;
    },
  });
}

function written(spool: Spool, extent: SpoolExtent, text: string): Promise<boolean> {
  const bytes = Buffer.from(`<${text}>`);
  return new Promise((resolve) => spool.write(extent, { bytes, start: 1, end: bytes.length - 1 }, resolve));
}

async function readFrom(spool: Spool, extent: SpoolExtent, length: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
  spool.read(extent, length, resolve);
  const bytes = await promise;
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

test("bytes are read back from the block that they were written to, and the file has no name", async () => {
  const spool = spoolOf();
  const share = spool.shareOf(CLIENT);
  const [one, two] = [spool.take(share), spool.take(share)];
  expect(await written(spool, { block: one, offset: 10 }, "one")).toBe(true);
  expect(await written(spool, { block: two, offset: 0 }, "two")).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  expect(await readFrom(spool, { block: one, offset: 10 }, 3)).toBe("one");
  expect(await readFrom(spool, { block: two, offset: 0 }, 3)).toBe("two");
  expect(spool.used).toBe(2 * BLOCK_BYTES);
  spool.give(share, one);
  spool.give(share, two);
  expect([spool.used, used.at(-1)]).toEqual([0, 0]);
});

test("the file is closed with its last block, and a later block has another file", async () => {
  const spool = spoolOf();
  const share = spool.shareOf(CLIENT);
  const blocks = [spool.take(share), spool.take(share)];
  spool.give(share, blocks[0] ?? -1);
  expect(descriptorsOf(folder)).toBe(1);
  spool.give(share, blocks[1] ?? -1);
  await until(() => descriptorsOf(folder) === 0);
  expect(spool.take(share)).toBe(0);
  expect(await written(spool, { block: 0, offset: 0 }, "again")).toBe(true);
  spool.give(share, 0);
});

test("a client gets half of the blocks, another one half of the rest, and released blocks are used again", () => {
  const spool = spoolOf();
  const [share, other] = [spool.shareOf(CLIENT), spool.shareOf(OTHER)];
  const takeAll = (of: typeof share): number[] => {
    const blocks = [];
    for (let block = spool.take(of); block !== -1; block = spool.take(of)) blocks.push(block);
    return blocks;
  };
  const [first, second] = [takeAll(share), takeAll(other)];
  expect([first.length, second.length]).toEqual([8, 4]);
  const [back = -1] = second;
  spool.give(other, back);
  expect(spool.take(other)).toBe(back);
});

test("bytes that the file does not have cannot be read, and then the disk is not used for a while", async () => {
  const spool = spoolOf();
  const share = spool.shareOf(CLIENT);
  const block = spool.take(share);
  expect(await written(spool, { block, offset: 0 }, "one")).toBe(true);
  expect(await readFrom(spool, { block, offset: 0 }, 3)).toBe("one");
  expect([logged, spool.take(share)]).toEqual([[], 1]);
  expect(await readFrom(spool, { block, offset: 0 }, 4)).toBeUndefined();
  expect([logged.length, spool.take(share)]).toEqual([1, -1]);
  expect(logged[0]).toContain("the file is shorter than it was");
});

/** Writes 2048 bytes at an offset, and prints whether they were written, and what was logged. */
const WRITES = `
  import { Spool } from ${JSON.stringify(join(import.meta.dir, "spool.ts"))};
  const [offset, folder] = process.argv.slice(1);
  const logged = [];
  const spool = new Spool({
    limits: { folder, maxBytes: 1e6 }, now: () => 0, log: (text) => logged.push(text), onUse() {}, onError() {},
  });
  const bytes = new Uint8Array(2048);
  const block = spool.take(spool.shareOf({ clientAddress: "", peerAddress: "" }));
  spool.write({ block, offset: Number(offset) }, { bytes, start: 0, end: 2048 }, (isWritten) => {
    console.log(JSON.stringify([isWritten, logged]));
  });
`;

/** The same in a file that cannot grow beyond 4096 bytes. */
function writtenToSmallDisk(offset: number): [isWritten: boolean, logged: string[]] {
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$0" -e "$@"`;
  const program = Bun.spawnSync(["sh", "-c", limited, process.execPath, WRITES, String(offset), folder]);
  return JSON.parse(program.stdout.toString()) as [boolean, string[]];
}

test("bytes that the disk takes in part or not at all are not written, and the cause is logged", () => {
  expect(writtenToSmallDisk(2048)).toEqual([true, []]);
  for (const [offset, cause] of [
    [3000, "the disk is full"],
    [4096, "EFBIG"],
  ] as const) {
    const message = `Cannot buffer responses for slow clients in ${JSON.stringify(folder)}: ${cause}. They occupy their upstream connections`;
    expect(writtenToSmallDisk(offset)).toEqual([false, [message]]);
  }
});

test("without room for one block there is no block", () => {
  const spool = spoolOf({ maxBytes: BLOCK_BYTES - 1 });
  expect([spool.take(spool.shareOf(CLIENT)), spool.capacity]).toEqual([-1, BLOCK_BYTES - 1]);
  spool.limits = { folder, maxBytes: 2 * BLOCK_BYTES };
  expect([spool.take(spool.shareOf(CLIENT)), spool.capacity]).toEqual([0, 2 * BLOCK_BYTES]);
});

test("a missing folder is reported once, not tried for a while, and reported again when it works", async () => {
  const spool = spoolOf({ folder: join(folder, "none") });
  const share = spool.shareOf(CLIENT);
  expect([spool.take(share), spool.take(share)]).toEqual([-1, -1]);
  now = 4000;
  spool.limits = { folder, maxBytes: 16 * BLOCK_BYTES };
  expect(spool.take(share)).toBe(-1);
  now = 5000;
  const block = spool.take(share);
  expect(await written(spool, { block, offset: 0 }, "x")).toBe(true);
  expect(logged).toEqual([
    expect.stringContaining("Cannot buffer responses for slow clients in") as string,
    expect.stringContaining("again") as string,
  ]);
  expect(logged[0]).toContain("ENOENT");
});
