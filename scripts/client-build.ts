/**
 * Builds the package's typed client and tools for agents as plain JavaScript for Node, with types: users compile nothing. npm runs it
 * after `npm ci` and before it packs. Without the packages for development there are no types.
 */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BunPlugin, Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
/** Modules of src/client that become files. */
const MODULES = ["client", "tools", "ai", "langchain"];
/** The frameworks' modules share this one as a file. */
const SHARED: BunPlugin = {
  name: "shared",
  setup(build) {
    build.onResolve({ filter: /^\.\/tools\.ts$/ }, () => ({ path: "./tools.js", external: true }));
  },
};
const COMPILER = join(ROOT, "node_modules/.bin/tsc");

/** Programs that read the file meanwhile get the old one or the new one. */
function put(name: string, text: string): void {
  const path = join(ROOT, "client", name);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

async function putScript(name: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(ROOT, `src/client/${name}.ts`)],
    root: ROOT,
    target: "node",
    format: "esm",
    packages: "external",
    plugins: [SHARED],
    minify: { whitespace: true },
  });
  const [output] = built.outputs;
  if (output === undefined) throw new Error("Cannot build the client: it has no output");
  put(`${name}.js`, await output.text());
}

async function putTypes(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-client-"));
  try {
    const project = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: ROOT,
        outDir: join(folder, "out"),
        typeRoots: [join(ROOT, "node_modules/@types")],
      },
      include: MODULES.map((name) => join(ROOT, `src/client/${name}.ts`)),
    };
    const path = join(folder, "tsconfig.json");
    writeFileSync(path, JSON.stringify(project));
    const { exitCode, stdout } = Bun.spawnSync([COMPILER, "-p", path], { cwd: ROOT, stdin: "ignore" });
    if (exitCode !== 0) throw new Error(`Cannot compile the client: ${stdout.toString()}`);
    for (const file of new Glob("*.d.ts").scanSync(join(folder, "out/src/client"))) {
      const text = await Bun.file(join(folder, "out/src/client", file)).text();
      // Only files beside it may be named: the rest of the source does not belong to the client.
      put(file, text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const name of MODULES) await putScript(name);
if (existsSync(COMPILER)) await putTypes();
