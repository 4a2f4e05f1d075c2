import { limitedCommand } from "../../lib/process/limited-command.ts";

/** Kilobytes of the address space of a program, and bytes of its output. A program that takes more ends. @operator */
const MAX_MEMORY_KB = 2_000_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

interface Run {
  readonly program: string;
  readonly args: readonly string[];
  readonly input?: Uint8Array<ArrayBuffer>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs a program of the system on bytes of others, with limits of its time and memory, and an empty environment. Returns
 * its output, or undefined if it failed or was stopped.
 */
export async function runProgram({ program, args, input, timeoutMs, signal }: Run): Promise<Buffer | undefined> {
  const command = limitedCommand([program, ...args], {
    cpuSeconds: Math.max(1, Math.ceil(timeoutMs / 1000)),
    memory: { kind: "addresses", bytes: MAX_MEMORY_KB * 1024 },
  });
  const child = Bun.spawn(command, {
    stdin: input ?? "ignore",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
    // More threads than one only make each of several pages slower.
    env: { PATH: process.env["PATH"] ?? "", OMP_THREAD_LIMIT: "1" },
    timeout: Math.ceil(timeoutMs),
    killSignal: "SIGKILL",
    ...(signal === undefined ? {} : { signal }),
  });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of child.stdout) {
    length += piece.length;
    if (length > MAX_OUTPUT_BYTES) {
      child.kill("SIGKILL");
      break;
    }
    pieces.push(piece);
  }
  return (await child.exited) === 0 && length <= MAX_OUTPUT_BYTES ? Buffer.concat(pieces) : undefined;
}
