import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

test("the lasting work of the payments does not keep a process alive that has nothing else to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-idle-"));
  const program = join(import.meta.dir, "testing/idle-process.ts");
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, program, folder], { timeout: patient(20_000) });
  rmSync(folder, { recursive: true });
  expect([stdout.toString(), stderr.toString(), exitCode]).toEqual(["started\n", "", 0]);
});
