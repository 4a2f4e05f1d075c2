/**
 * `npm run build:image`: builds dist/turnpike-VERSION-ARCH.image.tar from packaging/container/Containerfile, with a base that
 * mmdebstrap makes of Debian packages in place of an image of a registry. `podman load` and `docker load` read the file. The
 * Debian packages mmdebstrap and buildah must be installed, and only root can run them without user namespaces.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { Glob } from "bun";
import manifest from "../../package.json";

const ROOT = join(import.meta.dir, "../..");
const DIST = join(ROOT, "dist");
const WORK = join(DIST, "image");
const BASE_TAR = join(WORK, "base.tar");
const PACKAGING = join(ROOT, "packaging/container");
const SUITE = "bookworm";
/** Links the folders as debian:bookworm-slim does; otherwise a package does it that needs 49 MB of Perl. */
const MERGED_USR = "/usr/share/mmdebstrap/hooks/merged-usr";
/** mmdebstrap copies these files from the machine that builds. */
const OF_BUILDER = ["etc/hostname", "etc/resolv.conf"];
const NOT_IN_SLIM = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*"];
const LICENCES = "/usr/share/doc/*/copyright";
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "amd64", arm64: "arm64" };
const BASE = "localhost/turnpike-base";
const IMAGE = `turnpike:${manifest.version}`;

function run(command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: WORK },
  });
  if (exitCode !== 0) throw new Error(`Cannot run ${command.join(" ")}: ${stderr.toString().slice(-2000)}`);
  return stdout.toString().trim();
}

/** The storage is apart from the user's, and needs neither overlays nor a namespace. */
function buildah(...args: readonly string[]): string {
  const [command = "", ...rest] = args;
  const storage = ["--root", join(WORK, "storage"), "--runroot", join(WORK, "run"), "--storage-driver", "vfs"];
  return run(["buildah", ...storage, command, ...rest]);
}

/** Builds the program, its browser and fonts, and the Debian package, as far as they are not there. */
function buildParts(): void {
  const hasParts = existsSync(join(DIST, "turnpike")) && existsSync(join(DIST, "node_modules/@expo-google-fonts"));
  if (!hasParts) run([process.execPath, "scripts/build/program.ts", "--with-browser"]);
  if ([...new Glob("turnpike_*.deb").scanSync(DIST)].length === 0) run([process.execPath, "scripts/build/debian.ts"]);
}

function buildBase(): void {
  const excluded = NOT_IN_SLIM.map((path) => `--dpkgopt=path-exclude=${path}`);
  const options = ["--mode=root", "--variant=minbase", "--include=adduser", `--hook-dir=${MERGED_USR}`, ...excluded];
  const included = `--dpkgopt=path-include=${LICENCES}`;
  const cleaned = `--customize-hook=cd "$1" && rm ${OF_BUILDER.join(" ")}`;
  run(["mmdebstrap", "--quiet", ...options, included, cleaned, "--dpkgopt=force-unsafe-io", SUITE, BASE_TAR]);
  const container = buildah("from", "scratch");
  buildah("add", container, BASE_TAR, "/");
  buildah("commit", "--quiet", "--rm", container, BASE);
}

const architecture = ARCHITECTURES[process.arch];
if (architecture === undefined) throw new Error(`Cannot build an image for ${process.arch}`);
const missing = ["mmdebstrap", "buildah"].filter((name) => Bun.which(name) === null);
if (missing.length > 0) {
  console.error(
    `Cannot build the image: ${missing.join(" and ")} not installed. Install the Debian packages of these names.`,
  );
  process.exit(1);
}
rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });
const archive = join(DIST, `turnpike-${manifest.version}-${architecture}.image.tar`);
try {
  buildParts();
  copyFileSync(join(PACKAGING, "health"), join(DIST, "health"));
  chmodSync(join(DIST, "health"), 0o755);
  buildBase();
  // HEALTHCHECK is in Docker's format alone. Each layer would be a copy of the whole root in this storage.
  const format = ["--format", "docker", "--layers=false", "--isolation", "chroot", "--quiet"];
  buildah("build", ...format, "--build-arg", `BASE=${BASE}`, "-f", join(PACKAGING, "Containerfile"), "-t", IMAGE, DIST);
  rmSync(archive, { force: true });
  buildah("push", "--quiet", IMAGE, `docker-archive:${archive}:${IMAGE}`);
} finally {
  // Containers whose build failed have mounts in the storage.
  Bun.spawnSync(["umount", "--recursive", "--quiet", join(WORK, "storage")]);
  rmSync(WORK, { recursive: true, force: true });
}
console.log(`${relative(ROOT, archive)}: ${(statSync(archive).size / 1e6).toFixed(0)} MB`);
