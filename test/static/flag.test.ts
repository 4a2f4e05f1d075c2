/** `--static-root`, in one process and with several workers. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { Folder, Program } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
  for (const name of ["file", "flag"]) {
    mkdirSync(folder.file(name));
    writeFileSync(`${folder.file(name)}/index.html`, name);
  }
});
afterEach(() => folder.remove());

function flagsFor(root: string, workers: number): string[] {
  const server = { address: "127.0.0.1", port: 0, static_root: folder.file("file") };
  const config = folder.write("turnpike.json", { server, access_log: { enabled: false } });
  return ["--config", config, "--workers", String(workers), "--static-root", root];
}

test("the flag overrides the file", async () => {
  const program = new Program(flagsFor(folder.file("flag"), 1));
  try {
    const match = await program.sees(/listening on (http:\/\/\S+)/);
    expect(await (await fetch(`${match[1]}/`)).text()).toBe("flag");
  } finally {
    await program.stop();
  }
});

for (const workers of [1, 2]) {
  test(`a folder that does not exist fails the start, with ${workers} workers`, async () => {
    const program = new Program(flagsFor("/nowhere", workers));
    expect(await program.exit()).toBe(1);
    expect(program.output).toContain('Cannot serve static files from "/nowhere": there is no such directory');
  });
}
