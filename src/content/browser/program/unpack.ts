import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress } from "node:zlib";
import { codeOf } from "../../../lib/caught.ts";
import { SQLITE_FILE, sqliteStandIn } from "./sqlite-stand-in.ts";
import { isOldFile } from "../../../lib/files/is-old-file.ts";
import { pollUntil } from "../../../lib/time/poll-until.ts";
import { uniqueName } from "../../../lib/text/unique-name.ts";

export interface UnpackedBrowser {
  /** The version of the npm package. Its first number is the browser's main version. */
  readonly version: string;
  readonly path: string;
  readonly libraries: string;
  /** The folder of the few fonts that the package includes. */
  readonly fonts: string;
}

const unbrotli = promisify(brotliDecompress);

/** Milliseconds. A partly written folder older than this belongs to a start that was killed. */
const ABANDONED_AFTER_MS = 10 * 60 * 1000;

/**
 * Milliseconds that a start waits for another start. After them it considers that one killed. Replacing a broken
 * browser takes milliseconds.
 */
const LOCK_WAIT_MS = 15_000;
const LOCK_STALE_MS = 10_000;
const LOCK_POLL_MS = 20;

/** Bytes. With fewer and larger reads, unpacking and writing can each use a core. */
const READ_BYTES = 1024 * 1024;
const WRITE_BYTES = 4 * 1024 * 1024;

/** Increased when the unpacked files change. A folder with another layout is unpacked again. */
const LAYOUT = 3;

const PROGRAM = "headless_shell";
const MANIFEST = "unpacked.json";

/** The folder of @sparticuz/chromium, or undefined if npm did not install it. The package's own code is never run. */
export function packageFolder(): string | undefined {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))));
  } catch {
    return undefined;
  }
}

/**
 * Unpacks the npm package's browser into `folder`, once: this takes about 1.3 s and 220 MB. Safe for several processes
 * at once: each unpacks into its own folder, and the first rename wins.
 */
export async function unpackBrowser(source: string, folder: string): Promise<UnpackedBrowser> {
  const version = await versionOf(source);
  const target = join(folder, `chromium-${version}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder);
  if (!(await isComplete(target))) await unpackBeside(source, folder, target);
  await assertPrivate(target);
  const path = join(target, PROGRAM);
  return { version, path, libraries: join(target, "lib"), fonts: join(target, "fonts") };
}

async function versionOf(source: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const version =
    typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : undefined;
  if (typeof version !== "string" || !/^[\w.-]{1,40}$/.test(version)) {
    throw new Error("Cannot unpack the browser: the package.json of @sparticuz/chromium has no version; run 'npm ci'");
  }
  return version;
}

async function unpackBeside(source: string, folder: string, target: string): Promise<void> {
  const temporary = join(folder, `.unpacking-${uniqueName()}`);
  await mkdir(temporary, { mode: 0o700 });
  try {
    const program = join(temporary, PROGRAM);
    await allDone([
      decompress(join(source, "bin/chromium.br"), program),
      extract(join(source, "bin/al2023.tar.br"), temporary),
      extract(join(source, "bin/fonts.tar.br"), temporary),
      // SwiftShader draws WebGL without a graphics card. A browser without WebGL does not look ordinary, and maps stay
      // empty.
      extract(join(source, "bin/swiftshader.tar.br"), temporary),
    ]);
    await chmod(program, 0o700);
    await writeFile(join(temporary, "lib", SQLITE_FILE), sqliteStandIn());
    await writeFile(
      join(temporary, MANIFEST),
      JSON.stringify({ layout: LAYOUT, programBytes: (await stat(program)).size }),
    );
    await putInPlace(temporary, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Moves the unpacked browser to its place. If another start was faster, its browser stays. A broken browser is replaced
 * under a lock: otherwise a start with an outdated check could remove a browser that another start has just put there.
 */
async function putInPlace(temporary: string, target: string): Promise<void> {
  const lock = `${target}.lock`;
  const isInPlace = async (): Promise<boolean> => {
    if ((await renamed(temporary, target)) || (await isComplete(target))) return true;
    const held = await open(lock, "wx").catch(() => undefined);
    if (held === undefined) {
      await removeStale(lock);
      return false;
    }
    try {
      if (!(await isComplete(target))) await replaceBroken(temporary, target);
      return true;
    } finally {
      await held.close();
      await rm(lock, { force: true });
    }
  };
  if (await pollUntil(isInPlace, { everyMs: LOCK_POLL_MS, mostMs: LOCK_WAIT_MS })) return;
  throw new Error(`Cannot replace the browser in '${target}': '${lock}' stays; delete it`);
}

async function replaceBroken(temporary: string, target: string): Promise<void> {
  const broken = `${temporary}-broken`;
  await rename(target, broken);
  // Another start that found nothing there may have put its browser there in between, which is equally good.
  await renamed(temporary, target);
  await rm(broken, { recursive: true, force: true });
}

/** Renames the folder. False if the target already exists. */
async function renamed(temporary: string, target: string): Promise<boolean> {
  return rename(temporary, target).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return false;
      throw error;
    },
  );
}

/** Removes an old lock. A lock is held for milliseconds, so an old one belongs to a killed start. */
async function removeStale(lock: string): Promise<void> {
  if (await isOldFile(lock, LOCK_STALE_MS)) await rm(lock, { force: true });
}

/**
 * Waits for all, because one that still writes would leave files behind. Throws the first error with a code if there is
 * one: on a full disk Bun's archives say only "ReadError".
 */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const errors = (await Promise.allSettled(work)).flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (errors.length > 0) throw errors.find((error) => codeOf(error) !== undefined) ?? errors[0];
}

async function decompress(packed: string, file: string): Promise<void> {
  await pipeline(
    createReadStream(packed, { highWaterMark: READ_BYTES }),
    createBrotliDecompress({ chunkSize: WRITE_BYTES }),
    createWriteStream(file, { highWaterMark: 2 * WRITE_BYTES }),
  );
}

async function extract(archive: string, folder: string): Promise<void> {
  await new Bun.Archive(await unbrotli(await readFile(archive))).extract(folder);
}

async function isComplete(target: string): Promise<boolean> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(target, MANIFEST), "utf8"));
    const size = (await stat(join(target, PROGRAM))).size;
    return (
      typeof manifest === "object" &&
      manifest !== null &&
      "layout" in manifest &&
      manifest.layout === LAYOUT &&
      "programBytes" in manifest &&
      manifest.programBytes === size
    );
  } catch {
    return false;
  }
}

/** Throws if another user can write to the folder, which could then hold a planted program. */
async function assertPrivate(target: string): Promise<void> {
  const { uid, mode } = await stat(target);
  if (uid !== process.geteuid?.() || (mode & 0o022) !== 0) {
    throw new Error(`Cannot use the browser in '${target}': another user may write to it; delete it and start again`);
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(".unpacking-")) continue;
    const path = join(folder, name);
    if (await isOldFile(path, ABANDONED_AFTER_MS)) await rm(path, { recursive: true, force: true });
  }
}
