/** The one-file program in a root that contains only the C library. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../../../src/lib/testing/patience.ts";
import { Folder, Program } from "../../support/program.ts";
import { muslRoot, PROCESSORS } from "./testing/musl.ts";
import { built, rootWith, whyNot } from "./testing/tools.ts";

setDefaultTimeout(patient(120_000));

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const PAGE = `<!doctype html><html lang="en"><head><title>Tide tables</title></head><body>
<article><h1>Tide tables</h1><p>${WORDS}</p><p>${WORDS}</p></article></body></html>`;

const folder = new Folder();
let site: Bun.Server<undefined>;

beforeAll(() => {
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

const IS_X64 = process.arch === "x64";
const muslWhy = IS_X64 ? whyNot("mmdebstrap", "unshare", PROCESSORS.x64.gcc, "nm") : ", skipped: not on x86-64";

test.skipIf(muslWhy !== "")(
  `a root with nothing but musl and libstdc++ sells a read by the one file${muslWhy}`,
  async () => {
    const root = folder.file("musl");
    muslRoot(built("turnpike-linux-x64-musl", "scripts/build/program.ts", "linux-x64-musl"), root, PROCESSORS.x64);
    await sellsRead(root);
  },
);

const why = whyNot("mmdebstrap", "unshare");

test.skipIf(why !== "")(`a root with nothing but the C library sells a read by the one file${why}`, async () => {
  const root = folder.file("root");
  rootWith(built("turnpike", "scripts/build/program.ts"), root);
  await sellsRead(root);
});

/** Starts the program in the root, and pays for a read. */
async function sellsRead(root: string): Promise<void> {
  mkdirSync(join(root, "proc"), { recursive: true });
  const inRoot = 'mount -t proc proc "$0/proc"; exec chroot "$0" /turnpike "$@"';
  const command = [
    "unshare",
    "--mount",
    "/usr/bin/env",
    "-i",
    "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/tmp",
    "sh",
    "-c",
  ];
  const started = performance.now();
  const program = new Program(["start", "--port", "0", "--admin-port", "0", "--allow-private"], {
    command: [...command, inRoot, root],
  });
  try {
    const [, gateway = ""] = await program.sees(/^gateway +(http:\S+)$[^]*^try /m);
    const args = ["call", "read", site.url.href, "--gateway", gateway];
    const child = Bun.spawn([...command, inRoot, root, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    console.log(`one file: a paid read ${Math.round(performance.now() - started)} ms after the start`);
    expect([code, err]).toEqual([0, expect.stringContaining("paid $0.005 USDC")]);
    expect(out).toContain("High water at the harbour");
  } finally {
    await program.stop();
  }
}
