/** Files of the state folder that cannot be read or written. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../support/program.ts";
import { Keeping } from "./testing/keeping.ts";
import { hasPebble, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(20_000));

function shown({ issued }: Keeping): readonly string[] {
  return issued.pairs.map(({ domain }) => domain);
}

describe.skipIf(!hasPebble)("with pebble", () => {
  let httpPort: number;
  let directory: TestDirectory;
  let folder: string;

  beforeAll(async () => {
    httpPort = await freePort();
    directory = await TestDirectory.start({ httpPort, tlsPort: await freePort(), alwaysValid: true });
  });
  afterAll(() => directory.close());
  beforeEach(() => {
    directory.intercept = () => undefined;
    directory.orders.length = 0;
    folder = mkdtempSync(join(tmpdir(), "turnpike-keeping-"));
    return () => rmSync(folder, { recursive: true, force: true });
  });

  function keeping(domains: readonly string[], deps: object = {}): Promise<Keeping> {
    return Keeping.start({ directory, httpPort, folder, acme: { domains }, deps });
  }

  function file(name: string): string {
    return join(folder, "certificates", `${name}.json`);
  }

  /** Leaves certificates for a.test and b.test in the folder. */
  async function fill(): Promise<void> {
    await using one = await keeping(["a.test", "b.test"]);
    await one.says(/got a certificate for b\.test/);
    directory.orders.length = 0;
  }

  const DAMAGED: readonly [what: string, text: string, reason: RegExp][] = [
    ["cut", '{"until":0,"val', /the file ".*certificate-a\.test\.json" is damaged/],
    ["too long", " ".repeat(1024 * 1024 + 1), /the file ".*certificate-a\.test\.json" has more than 1048576 bytes/],
    ["without a certificate", '{"until":0,"value":"{}"}', /the entry "certificate-a\.test" has no certificate/],
  ];
  for (const [what, text, reason] of DAMAGED) {
    test(`a file that is ${what} costs only its domain, is logged, and is replaced`, async () => {
      await fill();
      writeFileSync(file("certificate-a.test"), text);
      await using one = await keeping(["a.test", "b.test"]);
      expect(shown(one)).toContain("b.test");
      expect(await one.says(/Cannot use the stored certificate for a\.test/)).toMatch(reason);
      expect(one.events[0]).toMatchObject({ kind: "certificate", outcome: "failed", details: { domain: "a.test" } });
      await one.says(/got a certificate for a\.test/);
      expect([shown(one), one.orders, directory.orders.length]).toEqual([["a.test", "b.test"], ["issued"], 1]);
      expect(one.lines.filter((line) => line.includes("Cannot use"))).toHaveLength(1);
    });
  }

  test("a folder in a certificate's place costs only its domain, which gets one order", async () => {
    await fill();
    rmSync(file("certificate-a.test"));
    mkdirSync(file("certificate-a.test"));
    await using one = await keeping(["a.test", "b.test"]);
    expect(shown(one)).toEqual(["b.test"]);
    expect(await one.says(/Cannot use the stored certificate for a\.test/)).toMatch(
      /the file ".*certificate-a\.test\.json" cannot be read: it is a folder/,
    );
    await one.says(/Cannot store the certificate for a\.test: .*; the gateway keeps it in memory and tries again/);
    await until("the certificate in memory", () => (shown(one).length === 2 ? true : undefined));
    // Two more rounds of other domains.
    for (const other of ["c.test", "d.test"]) {
      await one.change({ domains: ["a.test", "b.test", other] });
      await one.says(new RegExp(`got a certificate for ${other}`));
    }
    expect([shown(one), directory.orders.length]).toEqual([["a.test", "b.test", "d.test"], 3]);
    rmdirSync(file("certificate-a.test"));
    await one.says(/got a certificate for a\.test/);
    expect([existsSync(file("certificate-a.test")), directory.orders.length]).toEqual([true, 3]);
  });

  test("a certificate whose file becomes unreadable stays in use until it is replaced", async () => {
    await fill();
    await using one = await keeping(["a.test", "b.test"]);
    directory.intercept = () => new Response("", { status: 503 });
    const [before] = one.issued.pairs;
    writeFileSync(file("certificate-a.test"), "");
    await one.change({ domains: ["a.test", "b.test", "c.test"] });
    await one.says(/Cannot get a certificate for c\.test/);
    expect(one.issued.pairs[0]).toEqual(before);
  });

  test("a domain whose attempt cannot be stored does not delay the others, and is ordered when it can be", async () => {
    mkdirSync(file("attempt-a.test"), { recursive: true });
    await using one = await keeping(["a.test", "b.test"]);
    await one.says(/got a certificate for b\.test/);
    expect(await one.says(/Cannot check the certificates: the order for a\.test: /)).toContain("attempt-a.test.json");
    await one.change({ domains: ["a.test", "b.test", "c.test"] });
    await one.says(/got a certificate for c\.test/);
    expect([directory.orders.length, one.lines.filter((line) => line.includes("Cannot check"))]).toEqual([
      2,
      [expect.any(String)],
    ]);
    rmdirSync(file("attempt-a.test"));
    await one.says(/got a certificate for a\.test/);
  });

  test("an account that cannot be read is not replaced, and a damaged one is", async () => {
    await fill();
    const account = [...new Bun.Glob("account-*.json").scanSync(join(folder, "certificates"))][0] ?? "";
    const path = join(folder, "certificates", account);
    renameSync(path, `${path}.kept`);
    mkdirSync(path);
    await using one = await keeping(["a.test", "b.test", "c.test"], { firstPauseMs: 1000 });
    expect(await one.says(/Cannot get a certificate for c\.test/)).toMatch(/the account is not available: the file/);
    expect([shown(one), one.orders]).toEqual([["a.test", "b.test"], ["failed"]]);
    rmdirSync(path);
    writeFileSync(path, "{");
    await one.says(/got a certificate for c\.test/);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ until: 0 });
  });

  test("in a read-only folder nothing is ordered and the reason is logged once, until it can be written", async () => {
    await fill();
    const remount = (mode: string): number | null => spawnSync("mount", ["-o", `remount,bind,${mode}`, folder]).status;
    if (spawnSync("mount", ["--bind", folder, folder]).status !== 0 || remount("ro") !== 0) {
      console.log("No folder is made read-only: mount fails");
      return;
    }
    try {
      await using one = await keeping(["a.test", "b.test", "c.test"]);
      await one.says(/Cannot check the certificates: .*(?:EROFS|read-only)/i);
      const trouble = one.lines.length;
      // Three reads later.
      for (const other of ["d.test", "e.test", "f.test"]) await one.change({ domains: ["a.test", "b.test", other] });
      await until("reads", () => (shown(one).length === 2 ? true : undefined));
      expect([shown(one), directory.orders.length, one.lines.length]).toEqual([["a.test", "b.test"], 0, trouble]);
      expect(one.events.at(-1)).toMatchObject({ kind: "certificate", outcome: "failed" });
      remount("rw");
      await one.says(/got a certificate for f\.test/);
    } finally {
      spawnSync("umount", ["-l", folder]);
    }
  });
});
