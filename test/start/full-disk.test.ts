/** A start with a state folder that is too small: the program says what to do, exits, and leaves no part of a browser. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const folder = new Folder();
const disk = folder.file("disk");
mkdirSync(disk);
const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", disk]);
const canMount = status === 0;
if (!canMount) console.log("Skipped: only root can mount a small disk");
/** The npm package has a browser for this system only. */
const hasPackage = process.platform === "linux" && process.arch === "x64";
let program: Program;

beforeAll(() => {
  program = new Program(["start", "--state-dir", `${disk}/state`, "--port", "0"]);
});

afterAll(async () => {
  await program.stop();
  if (canMount) spawnSync("umount", ["-l", disk]);
  folder.remove();
});

test.skipIf(!canMount || !hasPackage)("a browser that does not fit on the disk ends the start", async () => {
  expect(await program.exit()).toBe(1);
  expect(program.output).toMatch(/Cannot unpack the browser into '.*': ENOSPC.*; name another folder with --state-dir/);
  expect(readdirSync(`${disk}/state/browser`)).toEqual([]);
});

test.skipIf(!canMount)("a full disk ends the start with the name of the file", async () => {
  spawnSync("dd", ["if=/dev/zero", `of=${disk}/filler`, "bs=4k"]);
  const other = new Program(["start", "--state-dir", `${disk}/other`, "--port", "0"]);
  expect(await other.exit()).toBe(1);
  expect(other.output).toMatch(/turnpike start: Cannot \w+ .*\/disk\/other.*ENOSPC/);
});
