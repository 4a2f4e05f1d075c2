import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "../../lib/caught.ts";
import { SqlitePages } from "../sqlite/sqlite-pages.ts";
import { newJob } from "../testing/jobs-contract.ts";
import { openSqliteJobs } from "./open-jobs.ts";
import { openLedgerView, readSqliteVersion } from "./open-ledger-view.ts";
import { openStore, openUsageStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-waits-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Something open, with a write to its file. */
interface Writer {
  write(): Promise<unknown>;
  close(): Promise<void>;
}

const BATCH = { gateway: "g", routes: [], upstreams: [], funnel: [] };

/** The documented limits of a wait for another process, in milliseconds. */
const WRITERS: readonly (readonly [name: string, ms: number, open: (path: string) => Writer])[] = [
  [
    "store",
    5000,
    (path) => {
      const store = openStore(path);
      return { write: () => store.usage.add({ ...BATCH, sequence: 1 }), close: () => store.close() };
    },
  ],
  [
    "usage",
    100,
    (path) => {
      const usage = openUsageStore(path);
      return { write: () => usage.add({ ...BATCH, sequence: 1 }), close: () => usage.close() };
    },
  ],
  [
    "jobs",
    5000,
    (path) => {
      const jobs = openSqliteJobs(path);
      return { write: () => jobs.create(newJob(), []), close: () => jobs.close() };
    },
  ],
];

/** The limits of waits that SQLite gets. */
function waitsDuring(work: () => void): number[] {
  using run = spyOn(Database.prototype, "run");
  work();
  return run.mock.calls.flatMap(([sql]) => /^PRAGMA busy_timeout = (\d+)$/.exec(sql)?.[1] ?? []).map(Number);
}

describe("while another process writes to the file,", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(WRITERS)("a write of the %s waits for %d ms", async (name, ms, open) => {
    let now = 7;
    using _ = spyOn(performance, "now").mockImplementation(() => now);
    const path = join(folder, `${name}.db`);
    const writer = open(path);
    const other = new Database(path);
    /** The outcome of a write that is tried again after some time, and again when the file is free. */
    const outcomeAfter = async (passed: number): Promise<unknown> => {
      other.run("BEGIN IMMEDIATE");
      const outcome = writer.write().then(() => "written", codeOf);
      now += passed;
      jest.advanceTimersByTime(60);
      other.run("COMMIT");
      jest.advanceTimersByTime(60);
      return outcome;
    };
    expect([await outcomeAfter(ms - 1), await outcomeAfter(ms)]).toEqual(["written", "SQLITE_BUSY"]);
    other.close();
    await writer.close();
  });
});

test("opening a file waits as long as a write, and an attempt to write blocks the process for 5 ms", async () => {
  for (const [name, ms, open] of WRITERS) {
    const opened: Writer[] = [];
    expect(waitsDuring(() => void opened.push(open(join(folder, `opened ${name}.db`))))).toEqual([ms, 5]);
    await opened[0]?.close();
  }
});

test("a reader waits 5 s for a process that changes the schema, and the pages wait 1 s for another write", async () => {
  const path = join(folder, "read.db");
  await openStore(path).close();
  expect(waitsDuring(() => readSqliteVersion(path))).toEqual([5000]);
  expect(waitsDuring(() => void openLedgerView(path).close())).toEqual([5000]);
  const options = { name: "pages", maxBytes: 1000, versions: 1, log: () => {}, path: join(folder, "pages.db") };
  const pages = new SqlitePages(options);
  expect(waitsDuring(() => void pages.get("key"))).toEqual([1000]);
  pages.close();
});
