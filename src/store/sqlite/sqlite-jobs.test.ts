import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { openSqliteJobs } from "../open/open-jobs.ts";
import { testJobs } from "../testing/jobs-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-jobs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

testJobs("SQLite", async () => {
  const path = join(folder, `${crypto.randomUUID()}.sqlite`);
  return async (now) => openSqliteJobs(path, now);
});
