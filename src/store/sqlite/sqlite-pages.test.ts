import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testPages } from "../testing/pages-contract.ts";
import { SqlitePages } from "./sqlite-pages.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

testPages("SQLite", async () => (options) => new SqlitePages({ ...options, path: join(folder, `${options.name}.db`) }));
