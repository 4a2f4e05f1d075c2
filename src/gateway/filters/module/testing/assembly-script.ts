import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMPILER = createRequire(import.meta.url).resolve("assemblyscript/bin/asc.js");

/** Compiles AssemblyScript to a module without imports of its own. Throws with what the compiler says. */
export async function compileAssemblyScript(source: string, flags: readonly string[] = []): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-asc-"));
  try {
    await writeFile(join(folder, "filter.ts"), source);
    const args = ["filter.ts", "--outFile", "filter.wasm", "--use", "abort=", "-O2", ...flags];
    const compiler = Bun.spawn([process.execPath, COMPILER, ...args], { cwd: folder, stdout: "pipe", stderr: "pipe" });
    const [code, said] = await Promise.all([compiler.exited, compiler.stderr.text()]);
    if (code !== 0) throw new Error(`Cannot compile: ${said}`);
    return new Uint8Array(await readFile(join(folder, "filter.wasm")));
  } finally {
    await rm(folder, { recursive: true });
  }
}
