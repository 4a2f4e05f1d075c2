/**
 * `npm run smoke`: builds what people install, and starts each artefact as they do, as far as this machine can; a test that
 * cannot run has the reason in its name. `npm test` runs the tests of the whole program with its one file.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_FACTOR, PATIENCE_VARIABLE } from "../src/lib/testing/patience.ts";
import { fetchablePackages, PACKAGES_VARIABLE } from "../test/packages/smoke/testing/tools.ts";

const ROOT = join(import.meta.dir, "..");
const SMOKE = "test/packages/smoke";
const NPM_TEST = "test/packages/npm.test.ts";
/** Versions of Node that the npm package works with. npm has each of them as a package. */
const NODES = ["20", "22", "24", "26"];
/** Milliseconds for one test, of which the slowest builds an image. */
const TIMEOUT_MS = 600_000;

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  const { exitCode } = Bun.spawnSync([...command], { ...options, stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) process.exit(exitCode ?? 1);
}

/** The programs of the versions of Node, as far as they can be fetched. */
function fetchNodes(): string[] {
  const folder = join(ROOT, "dist/nodes");
  return NODES.flatMap((version) => {
    const name = `node-${process.platform}-${process.arch}@${version}`;
    const place = join(folder, version);
    mkdirSync(place, { recursive: true });
    const fetched = Bun.spawnSync(["sh", "-c", `npm pack --silent ${name} && tar -xzf ./*.tgz && rm ./*.tgz`], {
      cwd: place,
      stdio: ["ignore", "ignore", "ignore"],
    });
    if (fetched.exitCode === 0) return [join(place, "package/bin/node")];
    console.log(`skipped: the npm package on Node ${version}, since npm cannot fetch ${name}`);
    return [];
  });
}

rmSync(join(ROOT, "dist"), { recursive: true, force: true });
run([process.execPath, "scripts/build/program.ts", "--with-browser"]);
if (Bun.which("dpkg-deb") === null) console.log("skipped: the Debian package, since dpkg-deb is not installed");
else run([process.execPath, "scripts/build/debian.ts"]);
const smoke = readdirSync(join(ROOT, SMOKE)).filter((name) => name.endsWith(".ts"));
const files = [...smoke.map((name) => `./${SMOKE}/${name}`), `./${NPM_TEST}`];
run([process.execPath, "test", "--parallel=2", "--no-isolate", `--timeout=${TIMEOUT_MS}`, ...files], {
  [PACKAGES_VARIABLE]: fetchablePackages(),
  TURNPIKE_TEST_NODES: fetchNodes().join(":"),
  [PATIENCE_VARIABLE]: String(Math.max(PATIENCE_FACTOR, 2)),
});
