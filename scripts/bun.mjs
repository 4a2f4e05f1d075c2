#!/usr/bin/env node
// Runs the Bun that npm installed, for development; bin/turnpike runs it for users. It looks the program up itself, because npm can
// be configured not to run install scripts.
import { spawn } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

/**
 * Bun's allocator gives freed memory back to the system after 10 ms, and a relay of large bodies takes it right back:
 * a second of patience saves three of four page faults (bench proxy, 64k) for about 10 MB.
 */
const ALLOCATOR = { MIMALLOC_PURGE_DELAY: "1000" };

/**
 * The runtime runs so many WebAssembly memories by its fast code, 8 by default. Each one more makes it collect all garbage
 * first, which takes 0.5 to 6 ms, and runs up to 1.8 times slower (bench filters).
 */
const WASM = { BUN_JSC_maxNumWasmFastMemories: "4096" };

function packageFolder(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** The path of the Bun program for this machine, or undefined where npm installed none. */
export function findBun() {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  const file = process.platform === "win32" ? "bun.exe" : "bun";
  for (const name of [`@oven/bun-${os}-${cpu}`, `@oven/bun-${os}-${cpu}-musl`]) {
    const folder = packageFolder(name);
    const path = folder && join(folder, "bin", file);
    if (path && existsSync(path)) return executable(path);
  }
  const folder = packageFolder("bun");
  const path = folder && join(folder, "bin", "bun.exe");
  return path && existsSync(path) ? path : undefined;
}

function executable(path) {
  try {
    chmodSync(path, 0o755);
  } catch {
    // Read-only or another owner's: it is executable already, or spawning it says so.
  }
  return path;
}

/** Runs Bun with `args`, passes signals on, and ends with its exit code. */
export function runBun(args) {
  const bun = findBun();
  if (bun === undefined) {
    console.error(
      `turnpike: cannot start: no Bun for ${process.platform}-${process.arch} in node_modules; run 'npm ci' (without --omit=optional)`,
    );
    process.exit(1);
  }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];
  // Before there is a child that a signal to this process alone would leave behind; they are heard only after.
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  const child = spawn(bun, args, { stdio: "inherit", env: { ...ALLOCATOR, ...WASM, ...process.env } });
  child.on("error", (error) => {
    console.error(`turnpike: cannot start ${bun}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runBun(process.argv.slice(2));
