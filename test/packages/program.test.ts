/** The one-file program in an empty folder without Node and npm, and its Debian package. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import manifest from "../../package.json";
import { patient } from "../../src/lib/testing/patience.ts";
import { descendants, Folder, Program } from "../support/program.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

// The build, and unpacking the browser.
setDefaultTimeout(patient(90_000));

const ROOT = join(import.meta.dir, "../..");
const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const PAGE = `<!doctype html><html lang="en"><head><title>Tide tables</title></head><body>
<article><h1>Tide tables</h1><p>${WORDS}</p><p>${WORDS}</p></article></body></html>`;

const folder = new Folder();
const program = folder.file("turnpike");
const ENV = { HOME: folder.path, PATH: "/nonexistent" };
let site: Bun.Server<undefined>;

beforeAll(() => {
  const built = process.env["TURNPIKE_TEST_PROGRAM"] ?? buildProgram();
  copyFileSync(built, program);
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
  });
});

afterAll(async () => {
  await site.stop(true);
  folder.remove();
});

function buildProgram(): string {
  const build = Bun.spawnSync([process.execPath, "scripts/build/program.ts"], { cwd: ROOT });
  if (build.exitCode !== 0) throw new Error(`Cannot build the program: ${build.stderr.toString()}`);
  return join(ROOT, "dist/turnpike");
}

async function run(...args: readonly string[]) {
  const child = Bun.spawn([program, ...args], { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"], env: ENV });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

function start(...args: readonly string[]): Program {
  return new Program(args, { command: ["/usr/bin/env", "-i", `HOME=${folder.path}`, "PATH=/nonexistent", program] });
}

test("it prints its version", async () => {
  expect(await run("--version")).toEqual({ code: 0, out: `turnpike ${manifest.version}\n`, err: "" });
});

test("without a browser, start serves the operations that need none, and reports the missing browser", async () => {
  const started = start("start", "--port", "0", "--admin-port", "0", "--allow-private");
  try {
    const [, gateway = ""] = await started.sees(/^gateway +(http:\S+)$[^]*^try /m);
    expect(started.output).toMatch(/^browser +none; pages that need one fail$/m);
    expect(started.output).toContain("put the folder node_modules that comes with the program beside it");
    const read = await run("call", "read", site.url.href, "--gateway", gateway);
    expect([read.code, read.err]).toEqual([0, expect.stringContaining("paid $0.005 USDC")]);
    expect(read.out).toContain("High water at the harbour");
    const picture = await run("call", "screenshot", site.url.href, "--gateway", gateway);
    expect(picture.code).toBe(1);
    expect(picture.err).toContain("it needs a browser, and this service has no browser");
    expect(picture.err).not.toContain("paid");
    expect(await (await fetch(`${gateway}/health`)).json()).toMatchObject({ status: "ok", browser: null });
  } finally {
    await started.stop();
  }
});

test("the gateway alone serves in several processes, by a configuration of YAML", async () => {
  const config = folder.write("gateway.yaml", "server:\n  port: 0\n  workers: 2\n  static_root: .\n");
  const gateway = start("--config", config);
  try {
    await gateway.sees(/listening on (http:\S+)/);
    expect(descendants(gateway.pid, "/process/workers/worker.").length).toBe(2);
  } finally {
    await gateway.stop();
  }
});

test("start serves a page that its own browser has loaded with all fonts, and the console", async () => {
  for (const name of ["@sparticuz/chromium", "@expo-google-fonts/noto-color-emoji", "@noto-pdf-ts/fonts-cjk"]) {
    const place = folder.file(`node_modules/${name}`);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), place);
  }
  const started = start("start", "--port", "0", "--admin-port", "0", "--allow-private");
  try {
    const [, gateway = ""] = await started.sees(/^gateway +(http:\S+)$[^]*^try /m);
    expect(started.output).toMatch(/^browser +HeadlessChrome/m);
    for (const engine of ["static", "browser"]) {
      const set = ["--set", `engine=${engine}`, "--gateway", gateway];
      const { code, out, err } = await run("call", "read", site.url.href, ...set);
      expect([code, err]).toEqual([0, expect.stringContaining("paid $0.005 USDC")]);
      expect(out).toContain("High water at the harbour");
    }
    expect(await (await fetch(`${gateway}/health`)).json()).toMatchObject({ fonts: { missing: [] } });
    const [, console = ""] = /^console +(http:\S+)$/m.exec(started.output) ?? [];
    expect(await (await fetch(`${console}console.js`)).text()).toContain("turnpike");
  } finally {
    await started.stop();
  }
});

/** Prints the messages of a service to systemd; the runtime has no datagram socket of this kind. */
const RECEIVER = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True: print(s.recv(256).decode(), flush=True)`;

const hasDpkg = isInstalled("dpkg-deb");
const python = "/usr/bin/python3";

test.skipIf(!hasDpkg)(
  "the Debian package has a service that is ready when it listens, and reloads by SIGHUP",
  async () => {
    // The image and `apt install` take all packages in dist.
    writeFileSync(join(ROOT, "dist/turnpike_0.0.1_amd64.deb"), "the package of an older version");
    const build = Bun.spawnSync([process.execPath, "scripts/build/debian.ts", "--fast"], { cwd: ROOT });
    expect([build.exitCode, build.stderr.toString()]).toEqual([0, ""]);
    const tree = folder.file("deb");
    expect(Bun.spawnSync(["dpkg-deb", "-x", debianPackage(), tree]).exitCode).toBe(0);
    const socket = folder.file("notify");
    const receiver = new Program(["-c", RECEIVER, socket], { command: [python] });
    await receiver.sees(/bound/);
    const config = JSON.parse(await Bun.file(join(tree, "etc/turnpike/turnpike.json")).text());
    const file = folder.write("service.json", {
      ...config,
      state_path: folder.path,
      server: { ...config.server, port: 0 },
    });
    const installed = join(tree, "usr/bin/turnpike");
    const service = new Program(["--config", file], {
      command: ["/usr/bin/env", "-i", `NOTIFY_SOCKET=${socket}`, "PATH=/nonexistent", installed],
    });
    try {
      await service.sees(/listening on/);
      await receiver.sees(/READY=1/);
      service.kill("SIGHUP");
      await service.sees(/reloaded/);
      service.kill("SIGTERM");
      await receiver.sees(/STOPPING=1/);
      expect(await service.exit()).toBe(0);
    } finally {
      await service.stop();
      await receiver.stop();
    }
  },
);

function debianPackage(): string {
  const found = [...new Glob("turnpike_*.deb").scanSync({ cwd: join(ROOT, "dist"), absolute: true })];
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

test.skipIf(!isInstalled("systemd-analyze"))("the unit of the gateway has an exposure below 2.0", () => {
  const unit = "packaging/systemd/turnpike.service";
  const { stdout } = Bun.spawnSync(["systemd-analyze", "security", "--offline=true", "--no-pager", unit], {
    cwd: ROOT,
  });
  const [, score] = /Overall exposure level for turnpike\.service: ([\d.]+)/.exec(stdout.toString()) ?? [];
  expect(Number(score)).toBeLessThan(2);
});
