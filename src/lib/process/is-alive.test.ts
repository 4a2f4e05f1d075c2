import { expect, test } from "bun:test";
import { until } from "../testing/until.ts";
import { isAlive } from "./is-alive.ts";

test("a process is alive until it has ended, also if it belongs to another user", async () => {
  const child = Bun.spawn([process.execPath, "-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  expect(isAlive(child.pid)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  expect(isAlive(child.pid)).toBe(false);
  expect(isAlive(1)).toBe(true);
});

test("a process that has ended is not alive, although its parent has not asked for its exit status", async () => {
  // The parent becomes a program that never asks.
  await using parent = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; exec sleep 600"], { stdout: "pipe" });
  const { value } = await parent.stdout.getReader().read();
  const child = Number(new TextDecoder().decode(value));
  expect(isAlive(child)).toBe(true);
  process.kill(child, "SIGKILL");
  await until(() => !isAlive(child));
  // Its id is still taken.
  expect(process.kill(child, 0)).toBe(true);
});
