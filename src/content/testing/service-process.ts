import { until } from "../../lib/testing/until.ts";
import { isAlive } from "../../lib/process/is-alive.ts";
import { descendantsOf } from "./processes.ts";

/** For tests only: starts a program that serves with its state in a folder, and prints its address. */
export async function startProgram(program: string, state: string) {
  const child = Bun.spawn([process.execPath, program, state], { stdio: ["ignore", "pipe", "inherit"] });
  const { value = new Uint8Array() } = await child.stdout.getReader().read();
  return { child, base: new TextDecoder().decode(value).trim() };
}

/** For tests only: kills a service, and waits for the end of its processes. */
export async function killed(child: Bun.Subprocess): Promise<void> {
  const below = descendantsOf(child.pid).map(({ pid }) => pid);
  child.kill("SIGKILL");
  await child.exited;
  await until(() => !below.some(isAlive), 30_000, "the end of all processes of the service");
}
