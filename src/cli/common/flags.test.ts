import { expect, test } from "bun:test";
import { flagsText, flagTable, parseFlags, readFlags } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

const FLAGS = flagTable({
  "config FILE": "the configuration",
  "H, header NAME:VALUE...": "a field of the request:\n-H A:b",
  "port N": { default: "8080", text: "the port" },
  quiet: "print nothing",
});

test("a usage text has a line for each flag of the table, except those without a text", () => {
  expect(flagsText(FLAGS)).toBe(
    [
      "  --config FILE             the configuration",
      "  -H, --header NAME:VALUE   a field of the request:",
      "                            -H A:b",
      "  --port N                  the port",
      "  --quiet                   print nothing",
    ].join("\n"),
  );
});

test("a long explanation goes on in the next line, under its beginning", () => {
  const text = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");
  const [first = "", second = "", ...more] = flagsText({ long: { type: "boolean", text } }).split("\n");
  expect([first.startsWith("  --long   word0 word1 "), second.startsWith("           word")]).toEqual([true, true]);
  expect([first, second, ...more].every((line) => line.length <= 140)).toBe(true);
  expect([first.slice(11), second.trim(), ...more.map((line) => line.trim())].join(" ")).toBe(text);
});

test("the same table reads a command line, with defaults and lists", () => {
  const { values, positionals } = parseFlags(["-H", "A:b", "x", "--header", "C:d", "--quiet"], FLAGS);
  expect({ ...values }).toEqual({ header: ["A:b", "C:d"], quiet: true, port: "8080" });
  expect(positionals).toEqual(["x"]);
});

test("an unknown flag is an error that names the nearest one, and so is an argument where there may be none", () => {
  expect(() => readFlags(["--confg", "x"], FLAGS)).toThrow(
    new UsageError("Unknown option '--confg'; did you mean --config?"),
  );
  expect(() => readFlags(["x"], FLAGS)).toThrow(new UsageError('Unexpected argument "x"'));
});
