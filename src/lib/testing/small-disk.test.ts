import { expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallDisk } from "./small-disk.ts";

using probe = smallDisk("4k");
const canMount = probe.isMounted;

function isMounted(path: string): boolean {
  return readFileSync("/proc/mounts", "latin1").includes(` ${path} `);
}

test.skipIf(!canMount)("a disk is filled, and is unmounted at its end although a file is open", () => {
  let path: string;
  let file: number;
  {
    using disk = smallDisk("128k");
    path = disk.path;
    expect(isMounted(path)).toBe(true);
    file = openSync(disk.fill(), "r");
    expect(() => writeFileSync(join(path, "more"), "x")).toThrow("ENOSPC");
  }
  expect([isMounted(path), existsSync(path)]).toEqual([false, false]);
  closeSync(file);
});

test.skipIf(!canMount)("the disk of a process that was killed is unmounted by the next one", () => {
  const program = `
    const { smallDisk } = await import(${JSON.stringify(join(import.meta.dir, "small-disk.ts"))});
    require("node:fs").writeSync(1, smallDisk("4k").path);
    process.kill(process.pid, "SIGKILL");`;
  const path = Bun.spawnSync([process.execPath, "-e", program]).stdout.toString();
  expect(isMounted(path)).toBe(true);
  using disk = smallDisk("4k");
  expect([isMounted(disk.path), isMounted(path), existsSync(path)]).toEqual([true, false, false]);
});
