/** The entry of the single-file program, which Bun runs for child processes too, with a module's path first. */
import { ptr } from "bun:ffi";
import { cFunctions } from "../lib/process/c-library.ts";
import { INSIDE_ONE_FILE } from "../lib/files/one-file.ts";

/** Allocator and engine read these variables before any code runs. scripts/bun.mjs explains the values. */
const RUNTIME = { MIMALLOC_PURGE_DELAY: "1000", BUN_JSC_maxNumWasmFastMemories: "4096" } as const;

/** A zero-terminated string for C. */
function embeddedBytes(value: string): Uint8Array {
  return Buffer.from(`${value}\0`);
}

/** Replaces this process by the same program with these variables. Returns if the system does not allow it. */
function restartWith(variables: Readonly<Record<string, string>>): void {
  const libc = cFunctions({
    setenv: { args: ["cstring", "cstring", "i32"], returns: "i32" },
    execv: { args: ["cstring", "ptr"], returns: "i32" },
  })();
  if (libc === undefined) return;
  for (const [name, value] of Object.entries(variables)) libc.setenv(embeddedBytes(name), embeddedBytes(value), 1);
  const args = [process.execPath, ...process.argv.slice(2)].map(embeddedBytes);
  const table = new BigUint64Array([...args.map((bytes) => BigInt(ptr(bytes))), 0n]);
  libc.execv(embeddedBytes(process.execPath), table);
}

/** The gateway with its flags, and commands that serve. Other commands are too short for these settings, and would start twice. */
const SERVES = /^(?:-|(?:start|content|facilitator)?$)/;

const [, , first = ""] = process.argv;
if (first.startsWith(INSIDE_ONE_FILE)) process.argv.splice(2, 1);
else if (SERVES.test(first)) {
  const missing = Object.entries(RUNTIME).filter(([name]) => process.env[name] === undefined);
  if (missing.length > 0) restartWith(Object.fromEntries(missing));
}
const isProgram = (path: string): boolean => first.startsWith(INSIDE_ONE_FILE) && first.includes(path);
if (isProgram("/process/workers/worker.")) await import("../gateway/process/workers/worker.ts");
else if (isProgram("/extractor/extract-process.")) await import("../content/extractor/extract-process.ts");
else await import("./main.ts");
