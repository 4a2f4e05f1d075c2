import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../lib/testing/patience.ts";
import { OPERATIONS } from "../content/operations/operations.ts";
import { COMMAND } from "../../test/support/program.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const MAIN = join(import.meta.dir, "main.ts");
const MAX_COLUMNS = 140;

async function help(...args: string[]): Promise<string> {
  const command = [...COMMAND, ...args, "--help"];
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect([code, err], args.join(" ")).toEqual([0, ""]);
  return out;
}

/** The flags that a help explains before its first titled section, and that its synopsis does not have. */
function forgotten(text: string): string[] {
  const [synopsis = "", ...rest] = text.split("\n\n");
  const titled = rest.findIndex((part) => /^[a-z ]+:\n/.test(part));
  const own = rest.slice(0, titled === -1 ? undefined : titled).join("\n");
  return [...own.matchAll(/^ {2}(?:(-\w), )?--(?:no-)?([a-z-]+)/gm)].flatMap(([, short = "--", name = ""]) =>
    new RegExp(`${short === "--" ? "" : `[[]${short} |`}--(?:no-)?${name}\\b`).test(synopsis) ? [] : [name],
  );
}

test("the help lists every command, whose own help names every flag in its synopsis, and whose lines fit", async () => {
  const commands = [...(await help()).matchAll(/^ {2}([a-z][a-z-]*) +\S/gm)].map(([, name = ""]) => name);
  const source = readFileSync(MAIN, "utf8");
  expect(commands.toSorted()).toEqual(
    [...source.matchAll(/^ {2}"?([a-z-]+)"?: async/gm)].map(([, name = ""]) => name).toSorted(),
  );
  for (let i = 0; i < commands.length; i += 4) {
    await Promise.all(
      commands.slice(i, i + 4).map(async (name) => {
        const text = await help(name);
        const long = text.split("\n").filter((line) => line.length > MAX_COLUMNS);
        expect({ name, forgotten: forgotten(text), long }).toEqual({ name, forgotten: [], long: [] });
      }),
    );
  }
});

test("the help of mcp and call names every operation", async () => {
  const paid = OPERATIONS.filter(({ body }) => body !== undefined).map(({ name }) => name);
  const text = await help("mcp");
  expect(paid.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});
