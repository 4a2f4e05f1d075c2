/**
 * `npm run build:program [-- TARGET ... | --all]`: builds the program as one file for Linux, with runtime, threads, console, model
 * and shipped configuration in it. Without a target it is for this machine.
 *
 *   dist/turnpike              this machine's
 *   dist/turnpike-TARGET       linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl
 *   dist/node_modules          the browser and the fonts, which the program looks for beside itself (--with-browser)
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type BunPlugin } from "bun";
import { version as bunVersion } from "bun/package.json";
import manifest from "../../package.json";

const ROOT = join(import.meta.dir, "../..");
const DIST = join(ROOT, "dist");
const RESOLVE_BESIDE = join(import.meta.dir, "resolve-beside.ts");
/** The folder of the files inside the program, as the program sees it. */
const INSIDE = "/$bunfs/root";

/** The npm package that brings the runtime for each target. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
};

/** Each thread has an entry of its own. */
const ENTRIES = [
  "src/cli/one-file.ts",
  "src/content/extractor/extract-worker.ts",
  "src/content/resolve/judging/judging-worker.ts",
  "src/content/search/index/query-worker.ts",
  "src/gateway/admin/running-config/judge-worker.ts",
  "src/gateway/admin/running-config/text-worker.ts",
  "src/gateway/filters/module/prepare-worker.ts",
  "src/gateway/process/check/check-files-worker.ts",
];

const ASSETS = [
  "config/turnpike.json",
  "config/listings.json",
  "src/content/extraction/reader/model.bin",
  "src/content/documents/pdf/cmaps",
  "src/content/fonts/fonts.tar.br",
  "src/payments/browser/dist",
  "src/gateway/admin/console/page/index.html",
  "src/gateway/admin/console/page/favicon.svg",
  "src/gateway/admin/console/dist/console.js",
  "src/gateway/admin/console/dist/console.css",
];

/** Packages that are not code: they lie beside the program. */
const BESIDE = /^(?:@sparticuz\/chromium|@expo-google-fonts\/|@noto-pdf-ts\/fonts)/;

/** Sources find files by their own place, which each keeps in the bundle. Packages are looked for beside it. */
const keepPlaces: BunPlugin = {
  name: "keep places",
  setup(builder) {
    builder.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const place = `${INSIDE}/${relative(ROOT, path)}`;
      const text = await Bun.file(path).text();
      const contents = text
        // Entries are JavaScript once they are built.
        .replaceAll(/new URL\("(\.[^"]*)\.ts", import\.meta\.url\)/g, 'new URL("$1.js", import.meta.url)')
        .replaceAll("import.meta.url", JSON.stringify(`file://${place}`))
        .replaceAll("import.meta.dir,", `${JSON.stringify(place.slice(0, place.lastIndexOf("/")))},`)
        .replaceAll("import.meta.resolve(", "resolveBeside(");
      const beside = `import { resolveBeside } from ${JSON.stringify(RESOLVE_BESIDE)};\n`;
      return { contents: text.includes("import.meta.resolve(") ? beside + contents : contents, loader: "ts" };
    });
  },
};

/**
 * The package extends `z` when it is loaded, and exports zod's own `z`: the bundler would let modules in other chunks import zod alone. An
 * export of its own makes them wait for the package.
 */
const extendFirst: BunPlugin = {
  name: "extend zod first",
  setup(builder) {
    builder.onLoad({ filter: /\/@hono\/zod-openapi\/dist\/index\.mjs$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text
        .replace("\nextendZodWithOpenApi(z);\n", "\nextendZodWithOpenApi(z);\nconst extended = z;\n")
        .replace(/\bz \};\n/, "extended as z };\n");
      if (!/const extended = [^]*extended as z/.test(contents)) throw new Error(`Cannot build: ${path} has changed`);
      return { contents, loader: "js" };
    });
  },
};

const isMusl = /\/ld-musl-/.test(readFileSync("/proc/self/maps", "latin1"));
/** The target that is this machine. */
const OWN = `linux-${process.arch}${isMusl ? "-musl" : ""}`;

/** The runtime for a target: the one that runs this, or fetched by npm into dist/runtime. Throws if npm cannot fetch it. */
function runtimeOf(target: string): string {
  const name = TARGETS[target];
  if (name === undefined)
    throw new Error(`Cannot build for "${target}": choose one of ${Object.keys(TARGETS).join(", ")}`);
  if (target === OWN) return process.execPath;
  const folder = join(DIST, "runtime", target);
  const fetched = join(folder, "package/bin/bun");
  if (existsSync(fetched)) return fetched;
  mkdirSync(folder, { recursive: true });
  const pack = Bun.spawnSync(["npm", "pack", "--silent", "--pack-destination", folder, `${name}@${bunVersion}`]);
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  if (pack.exitCode !== 0 || tarball === undefined) throw new Error(`Cannot fetch ${name}: ${pack.stderr.toString()}`);
  const unpack = Bun.spawnSync(["tar", "xzf", join(folder, tarball), "-C", folder]);
  rmSync(join(folder, tarball));
  if (unpack.exitCode !== 0) throw new Error(`Cannot unpack ${tarball}: ${unpack.stderr.toString()}`);
  return fetched;
}

/** Copies of the assets in folders as they are in the repository: files that are named one by one lose theirs. */
function stagedFolders(): string[] {
  const stage = join(DIST, "assets");
  rmSync(stage, { recursive: true, force: true });
  for (const asset of ASSETS) cpSync(join(ROOT, asset), join(stage, asset), { recursive: true });
  return readdirSync(stage).map((folder) => join(stage, folder));
}

async function buildFor(target: string, outfile: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: ENTRIES.map((entry) => join(ROOT, entry)),
    root: ROOT,
    target: "bun",
    // Parsing all modules is three quarters of the CPU time of a start (bench start). The program for another machine is built without,
    // because byte code is only guaranteed to run in the runtime that wrote it.
    bytecode: target === OWN,
    format: "esm",
    // A command loads only its own modules: a gateway starts with 40 % less CPU time, and prints its version with 70 % less.
    splitting: true,
    minify: { syntax: true, whitespace: true, identifiers: false },
    naming: { asset: "[dir]/[name].[ext]" },
    plugins: [keepPlaces, extendFirst],
    compile: {
      outfile,
      executablePath: runtimeOf(target),
      autoloadDotenv: false,
      autoloadBunfig: false,
      // The manifests of the packages beside the program name their modules.
      autoloadPackageJson: true,
      assets: stagedFolders(),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, `Cannot build ${outfile}`);
  console.log(
    `${relative(ROOT, outfile)}: ${(statSync(outfile).size / 1e6).toFixed(0)} MB, turnpike ${manifest.version}`,
  );
}

/** Copies browser and fonts beside the program. */
export function copyBeside(folder: string): void {
  const { dependencies } = manifest;
  for (const name of Object.keys(dependencies).filter((dependency) => BESIDE.test(dependency))) {
    cpSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name), {
      recursive: true,
      dereference: true,
    });
  }
}

const { values, positionals } = parseArgs({
  options: { all: { type: "boolean" }, "with-browser": { type: "boolean" } },
  allowPositionals: true,
});
mkdirSync(DIST, { recursive: true });
const targets = values.all === true ? Object.keys(TARGETS) : positionals;
for (const target of targets) await buildFor(target, join(DIST, `turnpike-${target}`));
if (targets.length === 0) await buildFor(OWN, join(DIST, "turnpike"));
if (values["with-browser"] === true) copyBeside(DIST);
