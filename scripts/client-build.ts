import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");

type GeneratedFile = readonly [path: string, text: string];

/** The package's `turnpike/client` as plain JavaScript for Node, with its types, so that its users compile nothing. */
export async function clientBuild(): Promise<readonly GeneratedFile[]> {
  const built = await Bun.build({
    entrypoints: [join(ROOT, "src/client/client.ts")],
    root: ROOT,
    target: "node",
    format: "esm",
    packages: "external",
  });
  const [output] = built.outputs;
  if (output === undefined) throw new Error("Cannot build the client: it has no output");
  return [["client/client.js", await output.text()], ...(await declarations())];
}

async function declarations(): Promise<readonly GeneratedFile[]> {
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
    const compiler = join(ROOT, "node_modules/.bin/tsc");
    const { exitCode, stdout } = Bun.spawnSync([compiler, "-p", path], { cwd: ROOT, stdin: "ignore" });
    if (exitCode !== 0) throw new Error(`Cannot compile the client: ${stdout.toString()}`);
    const files: GeneratedFile[] = [];
    for (const file of [...new Glob("*.d.ts").scanSync(join(folder, "out/client"))].toSorted()) {
      const text = await Bun.file(join(folder, "out/client", file)).text();
      // Only files beside it may be named: the rest of the source does not belong to the client.
      files.push([`client/${file}`, text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"')]);
    }
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Formats a generated source as the rest of the code is. */
export function formatted(path: string, text: string): string {
  const biome = join(ROOT, "node_modules/.bin/biome");
  const { exitCode, stdout, stderr } = Bun.spawnSync([biome, "format", `--stdin-file-path=${path}`], {
    cwd: ROOT,
    stdin: Buffer.from(text),
  });
  if (exitCode !== 0) throw new Error(`Cannot format ${path}: ${stderr.toString()}`);
  return stdout.toString();
}
