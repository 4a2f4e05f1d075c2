/** The requirements of smoke tests. If one is missing, the reason is in the test's name. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isInstalled } from "../../../../src/lib/testing/installed.ts";

const ROOT = join(import.meta.dir, "../../../..");

/** Milliseconds for the lists of Debian's packages. */
const LISTS_MS = 120_000;

/** A runner of several test files sets it to `yes` or `no` after one attempt, so that each file does not wait for the network. */
export const PACKAGES_VARIABLE = "TURNPIKE_TEST_PACKAGES";

/**
 * "" if these programs are installed, this process is root, and Debian's packages can be fetched for mmdebstrap; otherwise the
 * reason, which follows the name of a test.
 */
export function whyNot(...programs: readonly string[]): string {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) return `, skipped: not installed: ${missing.join(", ")}`;
  if (process.getuid?.() !== 0) return ", skipped: only root can run it";
  return programs.includes("mmdebstrap") && !canFetchPackages()
    ? ", skipped: Debian's packages cannot be fetched here"
    : "";
}

/** Whether mmdebstrap is installed and can fetch the lists of Debian's packages: `yes` or `no`. */
export function fetchablePackages(): string {
  return Bun.which("mmdebstrap") !== null && canFetchPackages() ? "yes" : "no";
}

function canFetchPackages(): boolean {
  const known = process.env[PACKAGES_VARIABLE];
  if (known !== undefined) return known === "yes";
  const root = mkdtempSync(join(tmpdir(), "turnpike-packages-"));
  const options = ["--quiet", "--simulate", "--mode=root", "--variant=extract"];
  const { exitCode } = Bun.spawnSync(["mmdebstrap", ...options, "bookworm", root], {
    timeout: LISTS_MS,
    stdio: ["ignore", "ignore", "ignore"],
  });
  rmSync(root, { recursive: true, force: true });
  return exitCode === 0;
}

/** Runs a command in the repository and returns its output. Throws with the end of its standard error if it fails. */
export function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: ROOT, env: { ...process.env, ...env } });
  if (exitCode === 0) return stdout.toString();
  throw new Error(`Cannot run ${command.join(" ")}: exit ${exitCode}: ${stderr.toString().slice(-2000)}`);
}

/** Creates a folder with Debian's C library and the program as `/turnpike`. `options` are passed to mmdebstrap. */
export function rootWith(program: string, root: string, ...options: readonly string[]): void {
  const own = ["--quiet", "--mode=root", "--variant=extract", "--include=libc6"];
  run(["mmdebstrap", ...own, ...options, "bookworm", root], { TMPDIR: dirname(root) });
  copyFileSync(program, join(root, "turnpike"));
}

/** Creates a folder with the essential packages of Debian, apt, and `packages`. */
export function aptRoot(root: string, ...packages: readonly string[]): void {
  const own = [
    "--quiet",
    "--mode=root",
    "--variant=apt",
    "--dpkgopt=force-unsafe-io",
    `--include=${packages.join(",")}`,
  ];
  run(["mmdebstrap", ...own, "bookworm", root], { TMPDIR: dirname(root) });
}

/** A file of dist. If it does not exist, `command` builds it. */
export function built(name: string, ...command: readonly string[]): string {
  const path = join(ROOT, "dist", name);
  if (!existsSync(path)) console.log(run([process.execPath, ...command]).trim());
  return path;
}
