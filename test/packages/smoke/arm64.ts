/** The program for arm64 in an emulator, with a C library from Debian. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json";
import { patient } from "../../../src/lib/testing/patience.ts";
import { Folder, Program } from "../../support/program.ts";
import { built, rootWith, run, whyNot } from "./testing/tools.ts";

setDefaultTimeout(patient(120_000));

const folder = new Folder();
let site: Bun.Server<undefined>;

beforeAll(() => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("high water"),
  });
});

afterAll(async () => {
  await site.stop(true);
  folder.remove();
});

const armWhy = whyNot("mmdebstrap", "qemu-aarch64-static");

describe.skipIf(armWhy !== "")(`the program for arm64, emulated${armWhy}`, () => {
  let command: readonly string[];

  beforeAll(() => {
    const program = built("turnpike-linux-arm64", "scripts/build/program.ts", "linux-arm64");
    const root = folder.file("arm64");
    rootWith(program, root, "--architectures=arm64");
    command = ["qemu-aarch64-static", "-L", root, join(root, "turnpike")];
  });

  test("says its version", () => {
    expect(run([...command, "--version"])).toBe(`turnpike ${manifest.version}\n`);
  });

  test("passes a request on, and stops at SIGTERM", async () => {
    const servers = [{ address: "127.0.0.1", port: Number(site.url.port) }];
    const config = {
      server: { address: "127.0.0.1", port: 0, workers: 1 },
      upstreams: [{ name: "site", servers }],
      routes: [{ path_prefix: "/", upstream: "site" }],
    };
    const file = folder.file("arm64.json");
    writeFileSync(file, JSON.stringify(config));
    const program = new Program(["--config", file], { command });
    try {
      const [, url = ""] = await program.sees(/listening on (http:\S+)/);
      expect(await (await fetch(url)).text()).toBe("high water");
      program.kill("SIGTERM");
      expect(await program.exit()).toBe(0);
    } finally {
      await program.stop();
    }
  });
});
