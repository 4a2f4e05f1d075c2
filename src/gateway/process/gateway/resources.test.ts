import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, configSchema } from "../../config/config.ts";
import { Resources } from "./resources.ts";

const folders: string[] = [];
const open: Resources[] = [];

afterEach(async () => {
  for (const resources of open.splice(0)) await resources.responses.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function configOf(responseDiskBytes: number): Config {
  return configSchema.parse({ x402: { answer_disk_bytes: responseDiskBytes } });
}

function start(responseDiskBytes: number, storePath: string): Resources {
  const resources = new Resources(configOf(responseDiskBytes));
  open.push(resources);
  resources.responses.use(undefined, storePath);
  return resources;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-resources-"));
  folders.push(folder);
  return folder;
}

test("paid responses are stored next to the ledger, once, with the configured size", () => {
  const folder = newFolder();
  const resources = start(5_000_000, join(folder, "turnpike.db"));
  const { disk } = resources.responses.store;
  expect([disk?.maxBytes, existsSync(join(folder, "answers"))]).toEqual([5_000_000, true]);
  resources.responses.use(undefined, join(folder, "turnpike.db"));
  resources.reload(configOf(6_000_000));
  expect([resources.responses.store.disk === disk, disk?.maxBytes]).toEqual([true, 6_000_000]);
});

test("paid responses stay in memory if the ledger does, or if the configured size is 0", () => {
  const folder = newFolder();
  for (const resources of [start(5_000_000, ":memory:"), start(0, join(folder, "turnpike.db"))]) {
    expect([resources.responses.store.disk, resources.responses.store.maxResponseBytes]).toEqual([
      undefined,
      32 * 1024 * 1024,
    ]);
  }
  expect(existsSync(join(folder, "answers"))).toBe(false);
});
