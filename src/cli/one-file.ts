/**
 * The start of the program that is one file. Processes that it starts are the file itself again, with the path of what they run as
 * their first argument, as Bun has it.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { fromCLibrary } from "../lib/c-library.ts";

/** Read by allocator and engine before any code runs; scripts/bun.mjs sets the same, and says why. */
const RUNTIME = { MIMALLOC_PURGE_DELAY: "1000", BUN_JSC_maxNumWasmFastMemories: "4096" } as const;

/** Files in the program have paths that begin so. */
const INSIDE = "/$bunfs/";

/** A string as C has it. */
function textOf(value: string): Uint8Array {
  return Buffer.from(`${value}\0`);
}

/** Becomes the same program with these variables; returns if the system does not let it. */
function restartWith(variables: Readonly<Record<string, string>>): void {
  const { i32, cstring, ptr: pointer } = FFIType;
  const libc = fromCLibrary(
    (name) =>
      dlopen(name, {
        setenv: { args: [cstring, cstring, i32], returns: i32 },
        execv: { args: [cstring, pointer], returns: i32 },
      }).symbols,
  );
  if (libc === undefined) return;
  for (const [name, value] of Object.entries(variables)) libc.setenv(textOf(name), textOf(value), 1);
  const args = [process.execPath, ...process.argv.slice(2)].map(textOf);
  const table = new BigUint64Array([...args.map((bytes) => BigInt(ptr(bytes))), 0n]);
  libc.execv(textOf(process.execPath), table);
}

const [, , first = ""] = process.argv;
if (first.startsWith(INSIDE)) process.argv.splice(2, 1);
else {
  const missing = Object.entries(RUNTIME).filter(([name]) => process.env[name] === undefined);
  if (missing.length > 0) restartWith(Object.fromEntries(missing));
}
if (first.startsWith(INSIDE) && first.includes("/process/worker.")) await import("../gateway/process/worker.ts");
else await import("./main.ts");
