import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFile } from "../../lib/files/file-lock.ts";

/** Locks the state folder named last in place of the process before it, until its standard input ends. */
const SUCCESSOR = `
  const { lockStateFolder } = await import(${JSON.stringify(join(import.meta.dir, "state-folder.ts"))});
  const [pid, folder] = process.argv.slice(-2);
  lockStateFolder(folder, Number(pid));
  console.log("waits");
  await Bun.stdin.text();
`;

test("a successor says that another process has the folder that it waits for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-state-"));
  const path = join(folder, "lock");
  expect(lockFile(path)).toBe("locked");
  const successor = Bun.spawn([process.execPath, "-e", SUCCESSOR, String(process.pid), folder], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  await successor.stdout.getReader().read();
  writeFileSync(path, "1000000");
  const { value } = await successor.stderr.getReader().read();
  expect(new TextDecoder().decode(value)).toContain("process 1000000 took the state folder");
  successor.kill();
  await successor.exited;
  rmSync(folder, { recursive: true });
});
