/** The container image, started by crun: read-only, without capabilities, as its own user. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import manifest from "../../../package.json";
import { patient } from "../../../src/lib/testing/patience.ts";
import { ROOT } from "../../support/documents.ts";
import { descendants, Folder, Program, until } from "../../support/program.ts";
import { built, run, whyNot } from "./testing/tools.ts";

setDefaultTimeout(patient(240_000));

const MAX_IMAGE_BYTES = 700_000_000;
const USER = 10_001;
const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const PAGE = `<!doctype html><html lang="en"><head><title>Tide tables</title></head><body>
<article><h1>Tide tables</h1><p>${WORDS}</p><p>${WORDS}</p></article></body></html>`;
/** crun refuses machines with both versions of cgroups, so it gets a mount namespace if there is one. */
const CRUN = "umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec crun --cgroup-manager=disabled";

const bundleSchema = z.looseObject({
  process: z.looseObject({ user: z.object({ uid: z.number() }), args: z.array(z.string()), env: z.array(z.string()) }),
  root: z.looseObject({ path: z.string() }),
  linux: z.looseObject({ namespaces: z.array(z.object({ type: z.string() })) }),
  mounts: z.array(z.looseObject({ destination: z.string(), type: z.string() })),
});
const imageSchema = z.object({
  config: z.object({
    Healthcheck: z.object({ Test: z.tuple([z.literal("CMD"), z.string()]) }),
    StopSignal: z.string(),
  }),
});

function tmpfs(destination: string, ...options: readonly string[]) {
  return { destination, type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", ...options] };
}

const why = whyNot("mmdebstrap", "buildah", "skopeo", "umoci", "crun", "unshare");

describe.skipIf(why !== "")(`the container image${why}`, () => {
  const folder = new Folder();
  const id = `turnpike-test-${process.pid}`;
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let image: z.output<typeof imageSchema>;
  let site: Bun.Server<undefined>;
  let container: Program;
  let gateway = "";

  function crun(...args: readonly string[]) {
    const script = `${CRUN} --root ${folder.file("crun")} "$@"`;
    return Bun.spawnSync(["unshare", "--mount", "sh", "-c", script, "crun", ...args], { stderr: "pipe" });
  }

  async function call(...args: readonly string[]) {
    const command = [process.execPath, join(ROOT, "src/cli/main.ts"), "call", ...args, "--gateway", gateway];
    const child = Bun.spawn(command, {
      cwd: folder.path,
      env: { ...process.env, TURNPIKE_HOME: folder.file("wallet") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { out, err, code };
  }

  beforeAll(async () => {
    const name = `turnpike-${manifest.version}-${process.arch === "x64" ? "amd64" : process.arch}.image.tar`;
    const archive = built(name, "scripts/build/image.ts");
    console.log(`container image: ${(statSync(archive).size / 1e6).toFixed(0)} MB`);
    expect(statSync(archive).size).toBeLessThan(MAX_IMAGE_BYTES);
    image = imageSchema.parse(JSON.parse(run(["skopeo", "inspect", "--config", "--raw", `docker-archive:${archive}`])));
    run([
      "skopeo",
      "copy",
      "--quiet",
      "--dest-compress=false",
      `docker-archive:${archive}`,
      `oci:${folder.file("oci")}:it`,
    ]);
    run(["umoci", "unpack", "--image", `${folder.file("oci")}:it`, folder.file("bundle")]);
    site = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      async fetch({ url }) {
        if (url.endsWith("/slow")) {
          asked.resolve();
          await held.promise;
        }
        return new Response(PAGE, { headers: { "content-type": "text/html" } });
      },
    });
    const file = folder.file("bundle/config.json");
    const config = bundleSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    expect([config.process.user.uid, config.process.args]).toEqual([USER, ["turnpike", "start"]]);
    const none = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };
    const args = [...config.process.args, "--port", "0", "--admin-port", "0", "--allow-private"];
    const stricter = {
      ...config,
      process: { ...config.process, args, terminal: false, capabilities: none, noNewPrivileges: true },
      root: { ...config.root, readonly: true },
      // The network is the machine's, because test mode sells only on loopback addresses.
      linux: {
        ...config.linux,
        resources: {},
        namespaces: config.linux.namespaces.filter(({ type }) => type !== "network"),
      },
      mounts: [
        ...config.mounts.filter(({ destination, type }) => type !== "cgroup" && destination !== "/sys"),
        tmpfs("/tmp", "mode=1777"),
        tmpfs("/var/lib/turnpike", "mode=0700", `uid=${USER}`, `gid=${USER}`),
      ],
    };
    writeFileSync(file, JSON.stringify(stricter));
    mkdirSync(folder.file("crun"));
    const script = `${CRUN} --root "$0" run --bundle "$1" "$2"`;
    container = new Program([folder.file("crun"), folder.file("bundle"), id], {
      command: ["unshare", "--mount", "sh", "-c", script],
    });
    [, gateway = ""] = await container.sees(/^gateway +(http:\S+)$[^]*^try /m);
  });

  afterAll(async () => {
    held.resolve();
    crun("delete", "--force", id);
    await container?.stop();
    await site?.stop(true);
    folder.remove();
  });

  test("has the licences of its packages, and no name of the machine that built it", () => {
    const root = folder.file("bundle/rootfs");
    expect(readFileSync(join(root, "usr/share/doc/turnpike/copyright"), "utf8")).toContain("License: Expat");
    const sizes = ["usr/share/doc/libc6/copyright", "etc/hostname", "etc/resolv.conf"];
    expect(sizes.map((path) => statSync(join(root, path)).size)).toEqual([expect.any(Number), 0, 0]);
  });

  test("runs as a user that is not root, on a root file system that cannot be written", () => {
    const [process_ = 0] = descendants(container.pid, "turnpike start");
    const status = readFileSync(`/proc/${process_}/status`, "utf8");
    expect(status).toContain(`Uid:\t${USER}\t${USER}\t${USER}\t${USER}`);
    expect(status).toContain("CapEff:\t0000000000000000");
    const writes = crun("exec", "--user", "0:0", id, "sh", "-c", "touch /etc/x || touch /usr/lib/turnpike/x");
    expect(writes.exitCode).not.toBe(0);
    expect(writes.stderr.toString()).toContain("Read-only file system");
  });

  test("sells a page that its browser loads, whose sandbox works or is reported as missing", async () => {
    const [, sandbox] = await container.sees(
      /^browser +HeadlessChrome \S+ \(installed, (sandboxed|without its sandbox)\)$/m,
    );
    expect(container.output.includes("runs without its sandbox")).toBe(sandbox !== "sandboxed");
    const read = await call("read", site.url.href, "--set", "engine=browser");
    expect([read.code, read.err]).toEqual([0, expect.stringContaining("paid $0.005 USDC")]);
    expect(read.out).toContain("High water at the harbour");
    const shot = await call("screenshot", site.url.href, "--out", "page.png");
    expect([shot.code, shot.err]).toEqual([0, expect.stringContaining("paid")]);
    expect(readFileSync(folder.file("page.png")).subarray(1, 4).toString()).toBe("PNG");
    expect(await (await fetch(`${gateway}/health`)).json()).toMatchObject({ fonts: { missing: [] } });
  });

  test("checks signatures by the library of Debian", () => {
    const maps = descendants(container.pid, "turnpike").map((pid) => readFileSync(`/proc/${pid}/maps`, "utf8"));
    expect(maps.join("")).toContain("/libsecp256k1.so.");
  });

  test("is healthy while its gateway is ready, by its own health check", () => {
    const [, command] = image.config.Healthcheck.Test;
    const healthOf = (port: string) => crun("exec", "--env", `TURNPIKE_HEALTH_PORT=${port}`, id, command).exitCode;
    expect([healthOf(new URL(gateway).port), healthOf("1")]).toEqual([0, 1]);
  });

  test("finishes the paid request in flight at its stop signal, and exits with 0", async () => {
    const slow = call("read", `${site.url.href}slow`, "--set", "engine=static");
    await asked.promise;
    expect(crun("kill", id, image.config.StopSignal).exitCode).toBe(0);
    await until("the gateway refuses connections", () =>
      fetch(`${gateway}/.ready`).then(
        () => undefined,
        () => true,
      ),
    );
    held.resolve();
    const { code, out, err } = await slow;
    expect([code, err]).toEqual([0, expect.stringContaining("paid $0.005 USDC")]);
    expect(out).toContain("High water at the harbour");
    expect(await container.exit()).toBe(0);
  });
});
