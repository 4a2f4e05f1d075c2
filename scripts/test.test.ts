import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../src/lib/testing/patience.ts";

/** Fails when it runs for the first time in a folder. */
const FLAKY = `
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
test("races", () => {
  const isSecond = existsSync("ran");
  writeFileSync("ran", "");
  expect(isSecond).toBeTrue();
});
`;

test.each([
  ["", 0, " 0 fail"],
  ["1", 1, " 1 fail"],
])(
  "a test that passes only at the second try is listed, and TURNPIKE_TEST_NIGHTLY=%p makes that the exit code %d",
  async (nightly, exitCode, summary) => {
    const cwd = mkdtempSync(join(tmpdir(), "turnpike-flaky-"));
    writeFileSync(join(cwd, "flaky.test.ts"), FLAKY);
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "test.ts"), "./flaky.test.ts"], {
      cwd,
      env: { ...process.env, TURNPIKE_TEST_NIGHTLY: nightly },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const printed = await new Response(child.stderr).text();
    expect(await child.exited).toBe(exitCode);
    expect(printed).toContain("(flaky) flaky.test.ts > races");
    expect(printed.trimEnd().endsWith(summary)).toBeTrue();
    rmSync(cwd, { recursive: true });
  },
  patient(30_000),
);
