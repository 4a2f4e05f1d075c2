/**
 * Builds the package's `turnpike/client` as plain JavaScript for Node, with its types, so that its users compile nothing. npm runs it
 * after `npm ci` and before it packs. Without the packages for development there are no types.
 */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
const COMPILER = join(ROOT, "node_modules/.bin/tsc");

/** Programs that read the file meanwhile get the old one or the new one. */
function put(name: string, text: string): void {
  const path = join(ROOT, "client", name);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

async function putScript(): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(ROOT, "src/client/client.ts")],
    root: ROOT,
    target: "node",
    format: "esm",
    packages: "external",
  });
  const [output] = built.outputs;
  if (output === undefined) throw new Error("Cannot build the client: it has no output");
  put("client.js", await output.text());
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
        rootDir: join(ROOT, "src"),
        outDir: join(folder, "out"),
        typeRoots: [join(ROOT, "node_modules/@types")],
      },
      include: [join(ROOT, "src/client/client.ts")],
    };
    const path = join(folder, "tsconfig.json");
    writeFileSync(path, JSON.stringify(project));
    const { exitCode, stdout } = Bun.spawnSync([COMPILER, "-p", path], { cwd: ROOT, stdin: "ignore" });
    if (exitCode !== 0) throw new Error(`Cannot compile the client: ${stdout.toString()}`);
    for (const file of new Glob("*.d.ts").scanSync(join(folder, "out/client"))) {
      const text = await Bun.file(join(folder, "out/client", file)).text();
      // Only files beside it may be named: the rest of the source does not belong to the client.
      put(file, text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await putScript();
if (existsSync(COMPILER)) await putTypes();
