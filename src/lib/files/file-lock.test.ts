import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFile } from "./file-lock.ts";

/** Locks the file named last, prints the result, and waits for the end of its standard input. */
const PROGRAM = `
  const { lockFile } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
  console.log(lockFile(process.argv.at(-1)));
  await Bun.stdin.text();
`;

test("a file has one holder, whose number others get, and a killed holder frees it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-lock-"));
  const path = join(folder, "lock");
  const holder = Bun.spawn([process.execPath, "-e", PROGRAM, path], { stdio: ["pipe", "pipe", "inherit"] });
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("locked\n");
  expect(lockFile(path)).toBe(holder.pid);
  writeFileSync(path, String(process.pid));
  expect(lockFile(path)).toBe(0);
  holder.kill("SIGKILL");
  await holder.exited;
  expect(lockFile(path)).toBe("locked");
  expect(readFileSync(path, "latin1")).toBe(String(process.pid));
  rmSync(folder, { recursive: true });
});
