/** A start with a state folder that is too small: the program says what to do, exits, and leaves no part of a browser. */
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { Program } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const disk = smallDisk("16m");
/** The npm package has a browser for this system only. */
const hasPackage = process.platform === "linux" && process.arch === "x64";
let program: Program;

beforeAll(() => {
  program = new Program(["start", "--state-dir", `${disk.path}/state`, "--port", "0"]);
});

afterAll(async () => {
  await program.stop();
  disk[Symbol.dispose]();
});

test.skipIf(!disk.isMounted || !hasPackage)("a browser that does not fit on the disk ends the start", async () => {
  expect(await program.exit()).toBe(1);
  expect(program.output).toMatch(/Cannot unpack the browser into '.*': ENOSPC.*; name another folder with --state-dir/);
  expect(readdirSync(`${disk.path}/state/browser`)).toEqual([]);
});

test.skipIf(!disk.isMounted)("a full disk ends the start with the name of the file", async () => {
  disk.fill();
  const other = new Program(["start", "--state-dir", `${disk.path}/other`, "--port", "0"]);
  expect(await other.exit()).toBe(1);
  expect(other.output).toMatch(/turnpike start: Cannot \w+ .*\/other.*ENOSPC/);
});
