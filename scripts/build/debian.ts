/**
 * `npm run build:debian [-- --fast]`: builds dist/turnpike_VERSION_ARCH.deb from dist/turnpike, which it builds first if it is not there.
 * `--fast` compresses less, for tests.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { Glob } from "bun";
import shipped from "../../config/turnpike.json";
import manifest from "../../package.json";
import { bashCompletion, commandsOf, fishCompletion, manPage, zshCompletion } from "./command-line.ts";

const ROOT = join(import.meta.dir, "../..");
const DIST = join(ROOT, "dist");
const PROGRAM = join(DIST, "turnpike");
const TREE = join(DIST, "deb");
const MAINTAINER = "Turnpike maintainers <maintainers@turnpike.example>";
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "amd64", arm64: "arm64" };
const CONTENT_SOCKET = "/run/turnpike-content/content.sock";

/** A hyphen would begin the revision of the package, and a tilde sorts before the release. */
const VERSION = manifest.version.replace("-", "~");

function put(path: string, content: string | Uint8Array, mode = 0o644): void {
  const file = join(TREE, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, content, { mode });
  chmodSync(file, mode);
}

/** The shipped configuration, in the places of a service. */
function configuration(): string {
  const { $schema: _schema, upstreams, ...rest } = shipped;
  const [content, ...others] = upstreams;
  const moved = [{ ...content, servers: [{ unix: CONTENT_SOCKET }] }, ...others];
  return `${JSON.stringify({ state_path: "/var/lib/turnpike", ...rest, upstreams: moved }, undefined, 2)}\n`;
}

const LOGROTATE = `/var/log/turnpike/*.log {
	weekly
	rotate 8
	missingok
	notifempty
	compress
	delaycompress
	su turnpike turnpike
	postrotate
		systemctl kill --kill-who=main --signal=USR1 turnpike.service 2>/dev/null || true
	endscript
}
`;

const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
	if ! getent passwd turnpike >/dev/null; then
		adduser --system --group --quiet --home /var/lib/turnpike --no-create-home turnpike
	fi
	# The configuration can have secrets. Later changes of these modes are the operator's.
	if [ -z "$2" ]; then
		chown root:turnpike /etc/turnpike
		chmod 0750 /etc/turnpike
	fi
	if [ -d /run/systemd/system ]; then
		systemctl daemon-reload || true
		if [ -n "$2" ]; then systemctl try-restart turnpike.service turnpike-content.service || true; fi
	fi
fi
`;

const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl stop turnpike.service turnpike-content.service || true
fi
`;

const POSTRM = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
if [ "$1" = purge ]; then rm -rf /var/lib/turnpike /var/lib/turnpike-content /var/log/turnpike; fi
`;

function control(architecture: string, kilobytes: number): string {
  return `Package: turnpike
Version: ${VERSION}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.31), adduser
Recommends: chromium-headless-shell | chromium, libsecp256k1-6 | libsecp256k1-5 | libsecp256k1-2 | libsecp256k1-1
Suggests: logrotate
Section: net
Priority: optional
Description: HTTP gateway that sells web content and APIs by the request
 Turnpike is a reverse proxy that puts prices, authentication, rate limits
 and filters on routes. Clients pay with x402. The service turnpike is the
 gateway; the service turnpike-content loads, converts and searches web pages
 with the browser of the system.
`;
}

function documentation(): void {
  const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: turnpike

Files: *
Copyright: Turnpike contributors
License: Expat
 Permission is hereby granted, free of charge, to any person obtaining a copy of this software
 and associated documentation files, to deal in the Software without restriction, under the terms
 of the MIT license, whose text is in the file LICENSE of the source.
`;
  put("usr/share/doc/turnpike/copyright", copyright);
  const entry = `turnpike (${VERSION}) unstable; urgency=medium

  * Release ${manifest.version}.

 -- ${MAINTAINER}  ${new Date(0).toUTCString().replace("GMT", "+0000")}
`;
  put("usr/share/doc/turnpike/changelog.gz", gzipSync(entry, { level: 9 }));
}

function commandLine(): void {
  const commands = commandsOf([PROGRAM]);
  put("usr/share/man/man1/turnpike.1.gz", gzipSync(manPage(commands, "2026"), { level: 9 }));
  put("usr/share/bash-completion/completions/turnpike", bashCompletion(commands));
  put("usr/share/zsh/vendor-completions/_turnpike", zshCompletion(commands));
  put("usr/share/fish/vendor_completions.d/turnpike.fish", fishCompletion(commands));
}

function run(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { cwd: ROOT });
  if (exitCode !== 0) throw new Error(`Cannot run ${command.join(" ")}: ${stderr.toString()}`);
}

const architecture = ARCHITECTURES[process.arch];
if (architecture === undefined) throw new Error(`Cannot build a package for ${process.arch}`);
if (!existsSync(PROGRAM)) run([process.execPath, "scripts/build/program.ts"]);
rmSync(TREE, { recursive: true, force: true });
mkdirSync(join(TREE, "usr/lib/turnpike"), { recursive: true });
mkdirSync(join(TREE, "usr/bin"));
copyFileSync(PROGRAM, join(TREE, "usr/lib/turnpike/turnpike"));
chmodSync(join(TREE, "usr/lib/turnpike/turnpike"), 0o755);
symlinkSync("../lib/turnpike/turnpike", join(TREE, "usr/bin/turnpike"));
for (const unit of ["turnpike.service", "turnpike-content.service"]) {
  put(`lib/systemd/system/${unit}`, await Bun.file(join(ROOT, "packaging/systemd", unit)).text());
}
put("etc/turnpike/turnpike.json", configuration());
put("etc/logrotate.d/turnpike", LOGROTATE);
documentation();
commandLine();
// Stripping would cut off the program's own code, which follows the runtime.
put(
  "usr/share/lintian/overrides/turnpike",
  "turnpike: unstripped-binary-or-object [usr/lib/turnpike/turnpike]\nturnpike: embedded-library *\n",
);
const kilobytes = Math.ceil(statSync(PROGRAM).size / 1024) + 64;
put("DEBIAN/control", control(architecture, kilobytes));
put("DEBIAN/conffiles", "/etc/turnpike/turnpike.json\n/etc/logrotate.d/turnpike\n");
put("DEBIAN/postinst", POSTINST, 0o755);
put("DEBIAN/prerm", PRERM, 0o755);
put("DEBIAN/postrm", POSTRM, 0o755);
for (const older of new Glob("turnpike_*.deb").scanSync({ cwd: DIST, absolute: true })) rmSync(older);
const deb = join(DIST, `turnpike_${VERSION}_${architecture}.deb`);
const level = process.argv.includes("--fast") ? 1 : 6;
run(["dpkg-deb", "--root-owner-group", "-Zgzip", `-z${level}`, "--build", TREE, deb]);
console.log(`${relative(ROOT, deb)}: ${(statSync(deb).size / 1e6).toFixed(0)} MB`);
