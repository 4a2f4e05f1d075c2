import { afterAll, expect, test } from "bun:test";
import { dlopen } from "bun:ffi";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { createStateFolder } from "../../testing/state-folder.ts";
import { SQLITE_FILE, sqliteStandIn } from "./sqlite-stand-in.ts";
import { packageFolder } from "./unpack.ts";

const state = createStateFolder();

afterAll(() => state.remove());

test("all functions of SQLite that the certificate library needs exist", async () => {
  const packed = readFileSync(join(packageFolder() ?? "", "bin/al2023.tar.br"));
  const files = await new Bun.Archive(brotliDecompressSync(packed)).files();
  const library = await files.get("lib/libsoftokn3.so")?.bytes();
  const wanted =
    Buffer.from(library ?? [])
      .toString("latin1")
      .match(/(?<=\0)sqlite3_\w+(?=\0)/g) ?? [];
  const present =
    sqliteStandIn()
      .toString("latin1")
      .match(/(?<=\0)sqlite3_\w+(?=\0)/g) ?? [];
  expect(wanted).toContain("sqlite3_open_v2");
  expect(present.toSorted()).toEqual(wanted.toSorted());
});

test.skipIf(process.platform !== "linux" || process.arch !== "x64")(
  "the system's loader accepts it, and no database can be opened with it",
  () => {
    const path = join(state.path, SQLITE_FILE);
    writeFileSync(path, sqliteStandIn());
    const library = dlopen(path, {
      sqlite3_open_v2: { returns: "i32" },
      sqlite3_step: { returns: "i32" },
      sqlite3_mprintf: { returns: "ptr" },
    });
    expect(library.symbols.sqlite3_open_v2()).toBe(14);
    expect(library.symbols.sqlite3_step()).toBe(14);
    expect(library.symbols.sqlite3_mprintf()).toBeNull();
    library.close();
  },
);
