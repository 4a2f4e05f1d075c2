import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { CACHE, COMPILER_ENV, VERSIONS } from "./assembly-script.ts";

const ROOT = join(import.meta.dir, "../../../../..");
const FOLDER = "examples/filters";
const PROGRAM = join(import.meta.dir, "compile-program.ts");

/** The filters of examples/filters/ in AssemblyScript, with the compilation that docs/filters.md describes for each. */
const OWN = ["guard", "tenant", "stamp"] as const;
const PROXY_WASM = ["add-header", "api-key", "rewrite-body", "ask-upstream", "visits"] as const;
export const EXAMPLES = [...OWN, ...PROXY_WASM] as const;
export type Example = (typeof EXAMPLES)[number];

/** Compiles example filters that have changed since their last compilation. Returns the path of each module. */
export async function exampleFilters<Name extends Example>(...names: Name[]): Promise<Record<Name, string>> {
  const paths = await Promise.all(names.map(async (name) => [name, await cachedPath(name)] as const));
  const found = await Promise.all(paths.map(([, path]) => Bun.file(path).exists()));
  const missing = paths.filter((_, i) => found[i] !== true);
  if (missing.length > 0) await compile(missing);
  // One entry for each name.
  return Object.fromEntries(paths) as Record<Name, string>;
}

async function cachedPath(name: Example): Promise<string> {
  const [source, binding, config] = await Promise.all(
    [`${name}.ts`, "env.ts", "asconfig.json"].map((file) => readFile(join(ROOT, FOLDER, file), "utf8")),
  );
  const key = new Bun.CryptoHasher("sha256").update(JSON.stringify([VERSIONS, source, binding, config])).digest("hex");
  return join(CACHE, `${name}-${key}.wasm`);
}

/** The compiler's arguments in docs/filters.md. */
function flagsOf(name: Example): string[] {
  if (OWN.some((own) => own === name)) return ["-O2", "--config", "none", "--use", "abort="];
  return ["-O2", "--config", `${FOLDER}/asconfig.json`];
}

async function compile(missing: readonly (readonly [name: Example, path: string])[]): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "new-"));
  try {
    const lists = missing.map(([name]) => [`${FOLDER}/${name}.ts`, "-o", join(folder, name), ...flagsOf(name)]);
    const command = [process.execPath, PROGRAM, ...lists.map((list) => JSON.stringify(list))];
    const compiler = Bun.spawn(command, { cwd: ROOT, env: COMPILER_ENV, stdout: "pipe", stderr: "pipe" });
    const [code, said] = await Promise.all([compiler.exited, compiler.stderr.text()]);
    if (code !== 0) throw new Error(`Cannot compile: ${said}`);
    for (const [name, path] of missing) await rename(join(folder, name), path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
