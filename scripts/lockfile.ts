/**
 * Completes package-lock.json with the native packages of other platforms. A registry mirror that carries only this
 * machine's makes `npm install` leave them out, and `npm ci` then refuses the file. Run it after every `npm install`;
 * `--check` fails where an entry is missing. Both fail if the project depends on a range of versions.
 */
import { file, write } from "bun";

const FILE = "package-lock.json";

interface LockEntry {
  version: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  [key: string]: unknown;
}

const OPERATING_SYSTEMS: Readonly<Record<string, string>> = {
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  wasm32: "",
  win32: "win32",
};

/** `@scope/name-linux-arm64-musl` runs on linux, arm64, with musl. Undefined where the name says no platform. */
function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> | undefined {
  const parts = name.slice(name.indexOf("/") + 1).split("-");
  const at = parts.findIndex((part) => Object.hasOwn(OPERATING_SYSTEMS, part));
  const system = parts[at];
  if (system === undefined) return undefined;
  if (system === "wasm32") return { cpu: ["wasm32"] };
  const [cpu = "", abi = ""] = parts.slice(at + 1);
  return {
    os: [OPERATING_SYSTEMS[system] ?? system],
    cpu: [cpu],
    ...(abi.startsWith("musl") ? { libc: ["musl"] } : {}),
    ...(system === "linux" && abi.startsWith("gnu") ? { libc: ["glibc"] } : {}),
  };
}

// The file is npm's own; its shape is that of lockfileVersion 3.
const lock = (await file(FILE).json()) as { packages: Record<string, LockEntry> };
const { dependencies, devDependencies } = lock.packages[""] ?? {};
const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(([, version]) => !/^\d/.test(version));
if (ranges.length > 0) {
  console.error(`${FILE}: give one exact version each: ${ranges.map((each) => each.join(" ")).join(", ")}`);
  process.exit(1);
}
const missing: string[] = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[path] !== undefined || platform === undefined) continue;
    missing.push(name);
    lock.packages[path] = { version, ...platform, optional: true, ...(entry.dev === true ? { dev: true } : {}) };
  }
}
if (missing.length > 0 && process.argv.includes("--check")) {
  console.error(`${FILE} lacks packages of other platforms: run 'node scripts/bun.mjs scripts/lockfile.ts'`);
  console.error(missing.join("\n"));
  process.exit(1);
}
if (missing.length > 0) {
  // npm's own order: by name, which puts the project itself, named "", first.
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  await write(FILE, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`${FILE}: ${missing.length} entries added`);
