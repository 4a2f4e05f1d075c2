import { expect, test } from "bun:test";
import { isAlive } from "./is-alive.ts";

test("a process is alive until it has ended, also if it belongs to another user", async () => {
  const child = Bun.spawn([process.execPath, "-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  expect(isAlive(child.pid)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  expect(isAlive(child.pid)).toBe(false);
  expect(isAlive(1)).toBe(true);
});
