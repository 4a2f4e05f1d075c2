/** The Debian package, installed by apt in a root of Debian, and its service as the unit starts it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json";
import { patient } from "../../../src/lib/testing/patience.ts";
import { Folder, Program, until } from "../../support/program.ts";
import { aptRoot, built, run, whyNot } from "./testing/tools.ts";

setDefaultTimeout(patient(120_000));

const CONFIGURATION = "/etc/turnpike/turnpike.json";
const STATE = "/var/lib/turnpike";

/** The values of a unit's setting, such as `Environment`. */
function settings(unit: string, name: string): string[] {
  return unit.split("\n").flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
}

function debianPackage(): string {
  const version = manifest.version.replace("-", "~");
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return built(`turnpike_${version}_${architecture}.deb`, "scripts/build/debian.ts");
}

const unchecked = whyNot("lintian", "dpkg-deb");

test.skipIf(unchecked !== "")(`lintian finds no error in the Debian package${unchecked}`, () => {
  const { exitCode, stdout } = Bun.spawnSync(["lintian", "--fail-on=error", "--allow-root", debianPackage()]);
  expect([exitCode, stdout.toString()]).toEqual([0, expect.not.stringMatching(/^E:/m)]);
});

const why = whyNot("mmdebstrap", "dpkg-deb", "unshare", "setpriv");

describe.skipIf(why !== "")(`the Debian package${why}`, () => {
  const folder = new Folder();
  const root = folder.file("root");
  const held = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  let site: Bun.Server<undefined>;

  /** A command in the root, which gets a /proc of its own mount namespace. */
  function inside(...command: readonly string[]): string[] {
    const script = 'mount -t proc proc "$0/proc"; exec chroot "$0" "$@"';
    const clean = ["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive"];
    return ["unshare", "--mount", ...clean, "sh", "-c", script, root, ...command];
  }

  function configure(text: string): void {
    const servers = [{ address: "127.0.0.1", port: Number(site.url.port) }];
    const config = {
      state_path: STATE,
      server: { address: "127.0.0.1", port: 0, workers: 1 },
      upstreams: [{ name: "site", servers }],
      routes: [
        { path_prefix: "/", upstream: "site" },
        { path_prefix: "/fixed", fixed_response: { body: text } },
      ],
    };
    writeFileSync(join(root, CONFIGURATION), JSON.stringify(config));
  }

  beforeAll(() => {
    site = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      async fetch() {
        requested.resolve();
        await held.promise;
        return new Response("high water");
      },
    });
    aptRoot(root, "adduser");
    copyFileSync(debianPackage(), join(root, "turnpike.deb"));
    run(inside("apt-get", "install", "--yes", "--no-install-recommends", "/turnpike.deb"));
  });

  afterAll(async () => {
    held.resolve();
    await site?.stop(true);
    folder.remove();
  });

  test("recommends the library of this Debian that checks signatures, and its browser", () => {
    const recommended = run(["dpkg-deb", "--field", join(root, "turnpike.deb"), "Recommends"]).split(/[,|\s]+/);
    expect(recommended).toContain("libsecp256k1-1");
    expect(recommended).toContain("chromium-headless-shell");
  });

  test("says its version", () => {
    expect(run(inside("turnpike", "--version"))).toBe(`turnpike ${manifest.version}\n`);
  });

  test("lets only root and the unit's user read the configuration, which can have secrets", () => {
    const { mode, uid, gid } = statSync(join(root, "etc/turnpike"));
    const group = Number(run(inside("id", "-g", "turnpike")));
    expect([mode & 0o777, uid, gid]).toEqual([0o750, 0, group]);
  });

  test("serves as the unit's user, reloads at SIGHUP, and finishes the request in flight at SIGTERM", async () => {
    const unit = readFileSync(join(root, "lib/systemd/system/turnpike.service"), "utf8");
    const [command = ""] = settings(unit, "ExecStart");
    const [user = ""] = settings(unit, "User");
    const uid = Number(run(inside("id", "-u", user)));
    mkdirSync(join(root, STATE), { mode: 0o700 });
    run(inside("chown", `${user}:${user}`, STATE));
    configure("first");
    const identity = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups", "--no-new-privs"];
    const environment = ["env", ...settings(unit, "Environment"), ...command.split(" ")];
    const [first = "", ...rest] = inside(...identity, "--bounding-set=-all", ...environment);
    const service = new Program(rest, { command: [first] });
    try {
      const [, url = ""] = await service.sees(/listening on (http:\S+)/);
      const fixed = async () => await (await fetch(`${url}/fixed`)).text();
      expect(await fixed()).toBe("first");
      expect(statSync(`/proc/${service.pid}`).uid).toBe(uid);

      configure("second");
      service.kill("SIGHUP");
      await until("the reload", async () => ((await fixed()) === "second" ? true : undefined));

      const slow = fetch(url);
      await requested.promise;
      service.kill("SIGTERM");
      await until("the gateway refuses connections", () =>
        fetch(`${url}/fixed`).then(
          () => undefined,
          () => true,
        ),
      );
      held.resolve();
      expect(await (await slow).text()).toBe("high water");
      expect(await service.exit()).toBe(0);
    } finally {
      await service.stop();
    }
  });

  test("keeps configuration and state when it is removed, and only its user when it is purged", () => {
    run(inside("apt-get", "remove", "--yes", "turnpike"));
    const kept = [CONFIGURATION, STATE, "/usr/bin/turnpike"].map((path) => existsSync(join(root, path)));
    expect(kept).toEqual([true, true, false]);
    run(inside("apt-get", "purge", "--yes", "turnpike"));
    const found = run(inside("find", "/", "-xdev", "-name", "*turnpike*", "-not", "-path", "/proc/*"));
    expect(found.trim().split("\n")).toEqual(["/turnpike.deb"]);
    expect(readFileSync(join(root, "etc/passwd"), "utf8")).toContain("turnpike:");
  });
});
