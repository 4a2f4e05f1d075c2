import { existsSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";

/** Finds the binary. Each platform has its own package, and npm installs only the one for this platform. */
function findAnvil(): string | undefined {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  try {
    const manifest = Bun.resolveSync(`@foundry-rs/anvil-${process.platform}-${arch}/package.json`, import.meta.dir);
    const binary = join(manifest, "..", "bin", "anvil");
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

const BINARY = findAnvil();

/** False if anvil does not exist for this platform: `describe.skipIf(!hasChain)`. */
export const hasChain = BINARY !== undefined;

/**
 * Anvil ends together with the process that started it. Its guard waits for the end of standard input, which comes also
 * after a SIGKILL. By then anvil may have ended, and its process id may belong to another process.
 */
const SCRIPT = `exec 3<&0
(read -r _ <&3; [ "$(cat /proc/$$/comm 2>/dev/null)" = anvil ] && kill $$) >/dev/null &
exec "$@" </dev/null 3<&-`;
const LISTENING = /Listening on 127\.0\.0\.1:([0-9]+)/;
const START_MS = patient(20_000);

/** A running anvil. */
export interface Anvil {
  readonly rpcUrl: string;
  close(): Promise<void>;
}

/** Starts anvil on a port that the system picks; throws if it does not start. */
export async function startAnvil(args: readonly string[]): Promise<Anvil> {
  if (BINARY === undefined) throw new Error("Cannot start a chain: there is no anvil for this platform");
  const child = Bun.spawn(["sh", "-c", SCRIPT, "sh", BINARY, "--host", "127.0.0.1", "--port", "0", ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: process.env["HOME"] ?? "/tmp" },
  });
  async function close(): Promise<void> {
    await child.stdin.end();
    await child.exited;
  }
  const timer = setTimeout(() => void child.stdin.end(), START_MS);
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let said = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      clearTimeout(timer);
      await close();
      throw new Error("Cannot start a chain: anvil did not come up");
    }
    said += decoder.decode(value, { stream: true });
    const port = LISTENING.exec(said)?.[1];
    if (port === undefined) continue;
    clearTimeout(timer);
    void drain(reader);
    return { rpcUrl: `http://127.0.0.1:${port}`, close };
  }
}

/** A full pipe would block anvil. */
async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
