import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { createStateFolder } from "../../testing/state-folder.ts";
import { packageFolder, unpackBrowser } from "./unpack.ts";

const state = createStateFolder();
const source = join(state.path, "package");
const folder = join(state.path, "browser with a space & more");
const PROGRAM = "#!/bin/sh\necho browser\n".repeat(1_000);

beforeAll(async () => {
  mkdirSync(join(source, "bin"), { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify({ version: "1.2.3" }));
  writeFileSync(join(source, "bin/chromium.br"), brotliCompressSync(Buffer.from(PROGRAM)));
  const libraries = await new Bun.Archive({ "lib/libx.so": "library" }).bytes();
  writeFileSync(join(source, "bin/al2023.tar.br"), brotliCompressSync(libraries));
  const fonts = await new Bun.Archive({ "fonts/Sans/Sans.ttf": "font", "fonts.conf": "theirs" }).bytes();
  writeFileSync(join(source, "bin/fonts.tar.br"), brotliCompressSync(fonts));
  const graphics = await new Bun.Archive({ "libvk_swiftshader.so": "graphics" }).bytes();
  writeFileSync(join(source, "bin/swiftshader.tar.br"), brotliCompressSync(graphics));
});

afterAll(() => state.remove());

test("several concurrent starts unpack one browser and leave nothing else", async () => {
  const unpacked = await Promise.all(Array.from({ length: 5 }, () => unpackBrowser(source, folder)));
  expect(new Set(unpacked.map(({ path }) => path)).size).toBe(1);
  expect(readdirSync(folder)).toEqual(["chromium-1.2.3"]);
  const { path, libraries, fonts } = await unpackBrowser(source, folder);
  expect(readFileSync(path, "utf8")).toBe(PROGRAM);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(libraries, "libx.so"), "utf8")).toBe("library");
  expect(readFileSync(join(fonts, "Sans/Sans.ttf"), "utf8")).toBe("font");
  expect(readFileSync(join(dirname(path), "libvk_swiftshader.so"), "utf8")).toBe("graphics");
});

test.each([1, 5])("an incomplete browser is unpacked again by %d concurrent starts", async (starts) => {
  const { path } = await unpackBrowser(source, folder);
  truncateSync(path, 10);
  await Promise.all(Array.from({ length: starts }, () => unpackBrowser(source, folder)));
  expect(readFileSync(path, "utf8")).toBe(PROGRAM);
  expect(readdirSync(folder)).toEqual(["chromium-1.2.3"]);
});

test("a lock that a killed start left does not block the next", async () => {
  const { path } = await unpackBrowser(source, folder);
  truncateSync(path, 10);
  const lock = join(folder, "chromium-1.2.3.lock");
  writeFileSync(lock, "");
  utimesSync(lock, new Date(0), new Date(0));
  await unpackBrowser(source, folder);
  expect(readFileSync(path, "utf8")).toBe(PROGRAM);
  expect(readdirSync(folder)).toEqual(["chromium-1.2.3"]);
});

test("a browser of another layout is unpacked again", async () => {
  const { libraries } = await unpackBrowser(source, folder);
  const manifest = join(folder, "chromium-1.2.3/unpacked.json");
  const { programBytes } = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, JSON.stringify({ programBytes }));
  rmSync(libraries, { recursive: true });
  await unpackBrowser(source, folder);
  expect(readdirSync(libraries).toSorted()).toEqual(["libsqlite3.so.0", "libx.so"]);
});

test("files that a killed start left are removed, files of a running one are not", async () => {
  const old = join(folder, ".unpacking-1-old");
  const young = join(folder, ".unpacking-2-young");
  mkdirSync(old);
  mkdirSync(young);
  utimesSync(old, new Date(0), new Date(0));
  await unpackBrowser(source, folder);
  expect(readdirSync(folder).toSorted()).toEqual([".unpacking-2-young", "chromium-1.2.3"]);
});

test("a browser that other users can write to is not used", async () => {
  const { path } = await unpackBrowser(source, folder);
  chmodSync(join(path, ".."), 0o777);
  const failure = await unpackBrowser(source, folder).catch((error: unknown) => String(error));
  expect(failure).toContain("another user may write to it; delete it and start again");
});

test("the package that npm installed is found", () => {
  expect(readdirSync(join(packageFolder() ?? "", "bin"))).toContain("chromium.br");
});
