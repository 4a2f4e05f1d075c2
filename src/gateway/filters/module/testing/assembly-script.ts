import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const COMPILER = require.resolve("assemblyscript/bin/asc.js");
const PACKAGES = dirname(dirname(require.resolve("assemblyscript/package.json")));
/** Compiled modules by the hash of their inputs, because a compilation takes seconds of CPU time. */
export const CACHE = join(PACKAGES, ".cache", "turnpike-filters");
/** The packages on which compiled modules depend, in addition to the source. */
const TOOLS = ["assemblyscript", "@gcoredev/proxy-wasm-sdk-as", "@assemblyscript/wasi-shim"];
export const VERSIONS = TOOLS.map((name): unknown => Reflect.get(require(`${name}/package.json`), "version"));

/** The compiler's environment. It runs for seconds, and optimising code for longer runs would take a third of its CPU time. */
export const COMPILER_ENV = { ...process.env, BUN_JSC_useFTLJIT: "0", BUN_JSC_useOMGJIT: "0" };

/** The content of asconfig.json for a filter on the SDK, as in docs/filters.md. */
const SDK_CONFIG = {
  extends: "./node_modules/@assemblyscript/wasi-shim/asconfig.json",
  options: { use: "abort=abort_proc_exit" },
};
const SDK_FLAGS = ["-O2"];

/** Compiles AssemblyScript to a module without imports of its own. Throws an Error with the compiler's message. */
export function compileAssemblyScript(source: string, flags: readonly string[] = []): Promise<Uint8Array> {
  return compile(source, ["--use", "abort=", "-O2", ...flags]);
}

/**
 * Compiles a filter on the SDK `@gcoredev/proxy-wasm-sdk-as` to a proxy-wasm module. Throws an Error with the
 * compiler's message.
 */
export function compileProxyWasm(source: string): Promise<Uint8Array> {
  return compile(source, SDK_FLAGS, SDK_CONFIG);
}

async function compile(source: string, flags: readonly string[], config: object = {}): Promise<Uint8Array> {
  const key = new Bun.CryptoHasher("sha256").update(JSON.stringify([VERSIONS, source, flags, config])).digest("hex");
  const cached = join(CACHE, `${key}.wasm`);
  const known = await readFile(cached).catch(() => undefined);
  if (known !== undefined) return new Uint8Array(known);
  const folder = await mkdtemp(join(tmpdir(), "turnpike-asc-"));
  try {
    await writeFile(join(folder, "filter.ts"), source);
    await writeFile(join(folder, "asconfig.json"), JSON.stringify(config));
    await symlink(PACKAGES, join(folder, "node_modules"));
    const args = ["filter.ts", "--outFile", "filter.wasm", ...flags];
    const compiler = Bun.spawn([process.execPath, COMPILER, ...args], {
      cwd: folder,
      env: COMPILER_ENV,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, said] = await Promise.all([compiler.exited, compiler.stderr.text()]);
    if (code !== 0) throw new Error(`Cannot compile: ${said}`);
    const bytes = new Uint8Array(await readFile(join(folder, "filter.wasm")));
    await mkdir(CACHE, { recursive: true });
    await writeFile(join(folder, "cached.wasm"), bytes);
    await rename(join(folder, "cached.wasm"), cached).catch(() => undefined);
    return bytes;
  } finally {
    await rm(folder, { recursive: true });
  }
}
