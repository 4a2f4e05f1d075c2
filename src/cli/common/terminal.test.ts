import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { stamped } from "../../lib/text/stamped.ts";
import { patient } from "../../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z a line$/;
const PROGRAM = join(import.meta.dir, "../main.ts");
const RED = "\u001b[31m";
const ANY_ESCAPE = "\u001b";

/** The output of a command on a real terminal. */
async function onTerminal(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { NO_COLOR: _none, ...inherited } = process.env;
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, PROGRAM, ...args], {
    env: { ...inherited, TERM: "xterm-256color", ...environment },
    terminal: { cols: 200, rows: 24, data: (_terminal, bytes) => void (shown += decoder.decode(bytes)) },
  });
  await child.exited;
  child.terminal?.close();
  return shown;
}

async function onPipe(args: readonly string[]) {
  const child = Bun.spawn([process.execPath, PROGRAM, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return `${out}${err}`;
}

test("an error is red on a terminal", async () => {
  expect(await onTerminal(["call", "fly"])).toStartWith(`${RED}turnpike call: No operation "fly".`);
});

test("a message that is not an error is not red on a terminal", async () => {
  expect(await onTerminal(["--version"])).not.toContain(ANY_ESCAPE);
  expect(await onTerminal(["wallet", "--help"])).not.toContain(ANY_ESCAPE);
});

test("a warning and an error have different colours", async () => {
  const file = join(import.meta.dir, "../../gateway/config/testdata/unknown-keys.json");
  const shown = await onTerminal(["check", file]);
  expect(shown).toContain(`\u001b[33m${file}: warning: `);
  expect(shown).not.toContain(RED);
});

const UNCOLORED: readonly (readonly [args: readonly string[], environment: Record<string, string>])[] = [
  [["call", "fly"], { NO_COLOR: "1" }],
  [["call", "fly"], { TERM: "dumb" }],
  [["call", "fly", "--color", "never"], {}],
  [["--color=never", "call", "fly"], {}],
];
for (const [args, environment] of UNCOLORED) {
  test(`${args.join(" ")} with ${JSON.stringify(environment)} has no colour`, async () => {
    const shown = await onTerminal(args, environment);
    expect(shown).toContain('turnpike call: No operation "fly".');
    expect(shown).not.toContain(ANY_ESCAPE);
  });
}

test("--color=always colours a pipe, and wins over NO_COLOR", async () => {
  expect(await onPipe(["call", "fly"])).not.toContain(ANY_ESCAPE);
  expect(await onPipe(["call", "fly", "--color=always"])).toStartWith(RED);
  expect(await onTerminal(["call", "fly", "--color", "always"], { NO_COLOR: "1" })).toStartWith(RED);
});

test("an empty NO_COLOR counts as not set", async () => {
  expect(await onTerminal(["call", "fly"], { NO_COLOR: "" })).toStartWith(RED);
});

test("the user's own arguments cannot steer the terminal, and all their characters are seen, also in a pipe", async () => {
  const args = ["\u001b]0;title\u0007\u001b[2J\u202eecila"];
  for (const shown of [await onTerminal(args, { NO_COLOR: "1" }), await onPipe(args)]) {
    expect(shown).toContain("\\u{1b}]0;title\\u{7}\\u{1b}[2J\\u{202e}ecila");
    expect(shown).not.toContain(ANY_ESCAPE);
  }
});

test("--color after -- is a normal argument", async () => {
  expect(await onPipe(["wallet", "--", "--color=never"])).toContain('"--color=never" is not one of create');
});

test("--color without a valid choice lists the choices", async () => {
  expect(await onPipe(["wallet", "--color"])).toBe(
    'turnpike: --color "" is not one of auto, always, never. Run "turnpike --help" for its usage.\n',
  );
});

test("lines of a service start with the UTC time, except for systemd's journal, which adds its own", () => {
  const before = process.env["JOURNAL_STREAM"];
  delete process.env["JOURNAL_STREAM"];
  expect(stamped("a line")).toMatch(UTC);
  process.env["JOURNAL_STREAM"] = "8:12345";
  expect(stamped("a line")).toBe("a line");
  if (before === undefined) delete process.env["JOURNAL_STREAM"];
  else process.env["JOURNAL_STREAM"] = before;
});
