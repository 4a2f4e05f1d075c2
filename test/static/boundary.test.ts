/** Only files below the root are served: no dotfiles, no files outside, no special files. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { startGateway } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { Site, until } from "./site.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const isRoot = process.getuid?.() === 0;

let site: Site;
let socket: Server;

beforeAll(async () => {
  site = new Site();
  const { root, folder } = site;
  site.write("public.txt", "public");
  site.write("sub/inner.txt", "inner");
  site.write(".env", "secret");
  site.write(".well-known/security.txt", "contact");
  site.write(".git/config", "secret");
  site.write("sub/.htpasswd", "secret");
  site.write("..txt", "secret");
  writeFileSync(join(folder, "outside.txt"), "secret");
  mkdirSync(join(folder, "root-beside"));
  writeFileSync(join(folder, "root-beside/file.txt"), "secret");
  symlinkSync("public.txt", join(root, "link.txt"));
  symlinkSync(join(root, "sub"), join(root, "linked-sub"));
  symlinkSync("../outside.txt", join(root, "out.txt"));
  symlinkSync("/etc/passwd", join(root, "passwd"));
  symlinkSync("..", join(root, "up"));
  symlinkSync(join(folder, "root-beside"), join(root, "beside"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("/dev/zero", join(root, "zero"));
  symlinkSync("/proc/self/environ", join(root, "environ"));
  symlinkSync(".env", join(root, "env-link"));
  linkSync(join(root, "public.txt"), join(root, "hard.txt"));
  expect(Bun.spawnSync(["mkfifo", join(root, "fifo")]).exitCode).toBe(0);
  socket = createServer();
  await new Promise<void>((resolve) => socket.listen(join(root, "socket"), resolve));
  mkdirSync(join(root, "folder-index/index.html"), { recursive: true });
  await site.start();
});
afterAll(async () => {
  socket.close();
  await site.stop();
});

describe("is served", () => {
  test.each([
    ["/public.txt", "public"],
    ["/sub/../public.txt", "public"],
    ["/../../public.txt", "public"],
    ["/link.txt", "public"],
    ["/hard.txt", "public"],
    ["/linked-sub/inner.txt", "inner"],
  ])("%s", async (path, body) => {
    const response = await site.ask(path);
    expect([statusOf(response), response.body]).toEqual([200, body]);
  });
});

describe("is not there", () => {
  test.each([
    "/.env",
    "/%2eenv",
    "/.git/config",
    "/.git",
    "/sub/.htpasswd",
    "/.well-known/security.txt",
    "/..txt",
    "/out.txt",
    "/passwd",
    "/up/outside.txt",
    "/up/root/public.txt/../../outside.txt",
    "/beside/file.txt",
    "/beside/",
    "/loop",
    "/zero",
    "/environ",
    "/fifo",
    "/socket",
    "/folder-index/",
    "/../outside.txt",
    "/%2e%2e/outside.txt",
    "/sub/../../outside.txt",
    "-beside/file.txt",
    "/public.txt%0a",
    "/%E2%80%AE",
  ])("%s", async (path) => {
    const response = await site.ask(path);
    expect([path, statusOf(response) === 404 || statusOf(response) === 400]).toEqual([path, true]);
    expect(response.body).not.toContain("secret");
    expect(response.body).not.toContain(site.folder);
  });

  test.each(["/..%2foutside.txt", "/%2e%2e%2foutside.txt", "/..\\outside.txt", "/public.txt%00.html"])(
    "%s, which is refused as a path",
    async (path) => expect(statusOf(await site.ask(path))).toBe(400),
  );

  test("a path whose name is too long or that is too deep", async () => {
    for (const path of ["x".repeat(300), "x/".repeat(2500)]) expect(statusOf(await site.ask(`/${path}`))).toBe(404);
  });

  test("an escaped percent sign is decoded once", async () => {
    expect(statusOf(await site.ask("/%252e%252e/outside.txt"))).toBe(404);
  });

  test.skipIf(isRoot)("a file that this user may not read (root may read all)", async () => {
    chmodSync(site.write("locked.txt", "secret"), 0o000);
    expect(statusOf(await site.ask("/locked.txt"))).toBe(404);
  });
});

test("a link to a dotfile is served by its own name, as mounted volumes have them", async () => {
  expect(statusOf(await site.ask("/env-link"))).toBe(200);
});

test("if the root is a link, a changed link takes effect within a second, as deployments do it", async () => {
  const current = join(site.folder, "current");
  for (const release of ["one", "two"]) {
    mkdirSync(join(site.folder, release));
    writeFileSync(join(site.folder, release, "index.html"), release);
  }
  symlinkSync("one", current);
  const gateway = await startGateway({ server: { static_root: current }, access_log: { enabled: false } });
  try {
    const body = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${gateway.port}/`)).text();
    expect(await body()).toBe("one");
    symlinkSync("two", `${current}.new`);
    renameSync(`${current}.new`, current);
    await until("the new release is served", async () => (await body()) === "two");
  } finally {
    await gateway.stop();
  }
});

/** The result of a start with this root. */
async function startWith(root: string): Promise<string> {
  try {
    const gateway = await startGateway({ server: { static_root: root } });
    await gateway.stop();
    return "started";
  } catch (error) {
    return String(error);
  }
}

describe("a root that cannot be served stops the start with a clear error", () => {
  test("a root that does not exist", async () => {
    expect(await startWith("/nowhere/at/all")).toContain(
      'Cannot serve static files from "/nowhere/at/all": there is no such directory',
    );
  });

  test("a root that is a file", async () => {
    const file = join(site.root, "public.txt");
    expect(await startWith(file)).toContain(`Cannot serve static files from "${file}": it is not a directory`);
  });

  test.skipIf(isRoot)("a root that this user may not read (root may read all)", async () => {
    const locked = join(site.folder, "locked");
    mkdirSync(locked, { mode: 0o000 });
    expect(await startWith(locked)).toContain("this user may not read it");
    chmodSync(locked, 0o700);
    rmSync(locked, { recursive: true });
  });
});
