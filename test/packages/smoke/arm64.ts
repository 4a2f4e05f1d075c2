/** The programs for arm64 in an emulator, with the GNU C library and with musl. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json";
import { patient } from "../../../src/lib/testing/patience.ts";
import { Folder, Program } from "../../support/program.ts";
import { muslRoot, PROCESSORS } from "./testing/musl.ts";
import { built, rootWith, run, whyNot } from "./testing/tools.ts";

setDefaultTimeout(patient(180_000));

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const PAGE = `<!doctype html><html lang="en"><head><title>Tide tables</title></head><body>
<article><h1>Tide tables</h1><p>${WORDS}</p><p>${WORDS}</p></article></body></html>`;
const PRICE = {
  price: "$0.005",
  asset: "USDC",
  network: "eip155:84532",
  pay_to: "0x000000000000000000000000000000000000dEaD",
};

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

const LIBRARIES = [
  ["the GNU C library", "linux-arm64", whyNot("qemu-aarch64-static", "mmdebstrap")],
  ["musl", "linux-arm64-musl", whyNot("qemu-aarch64-static", PROCESSORS.arm64.gcc, "nm", "mmdebstrap")],
] as const;

for (const [library, target, why] of LIBRARIES) {
  describe.skipIf(why !== "")(`the program for arm64 with ${library}, emulated${why}`, () => {
    let command: readonly string[];
    const programs: Program[] = [];

    beforeAll(() => {
      const program = built(`turnpike-${target}`, "scripts/build/program.ts", target);
      const root = folder.file(target);
      if (library === "musl") muslRoot(program, root, PROCESSORS.arm64);
      else rootWith(program, root, "--architectures=arm64");
      command = ["qemu-aarch64-static", "-L", root, join(root, "turnpike")];
    });

    function start(...args: readonly string[]): Program {
      const program = new Program(args, { command, env: { HOME: folder.file(`home-${target}`) } });
      programs.push(program);
      return program;
    }

    afterEach(async () => {
      await Promise.all(programs.splice(0).map((program) => program.stop()));
    });

    /** The emulator runs one process each, so the content service is not a child of the gateway. */
    async function startGateway(): Promise<{ readonly gateway: Program; readonly url: string }> {
      const socket = folder.file(`${target}.sock`);
      const content = start("content", "--socket", socket, "--allow-private");
      await content.sees(/content\S* /);
      const file = folder.file(`${target}.json`);
      const config = {
        server: { address: "127.0.0.1", port: 0, workers: 1 },
        x402: { enabled: true, test_mode: true },
        upstreams: [
          { name: "site", servers: [{ address: "127.0.0.1", port: Number(site.url.port) }] },
          { name: "content", servers: [{ unix: socket }] },
        ],
        routes: [
          { path_prefix: "/", upstream: "site" },
          { path_prefix: "/read", upstream: "content", x402: PRICE },
        ],
      };
      writeFileSync(file, JSON.stringify(config));
      const gateway = start("--config", file);
      const [, url = ""] = await gateway.sees(/listening on (http:\S+)/);
      return { gateway, url };
    }

    test("says its version", () => {
      expect(run([...command, "--version"])).toBe(`turnpike ${manifest.version}\n`);
    });

    test("passes a request on, sells a read, and stops at SIGTERM", async () => {
      const { gateway, url } = await startGateway();
      expect(await (await fetch(url)).text()).toBe(PAGE);
      const read = start("call", "read", site.url.href, "--gateway", url);
      expect(await read.exit()).toBe(0);
      expect(read.output).toContain("paid $0.005 USDC");
      expect(read.output).toContain("High water at the harbour");
      gateway.kill("SIGTERM");
      expect(await gateway.exit()).toBe(0);
    });
  });
}
