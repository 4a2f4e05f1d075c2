import { expect, test } from "bun:test";
import { Candidates } from "./candidates.ts";

const candidates = await Candidates.read();

function firstFor(source: string, room: string, count: number): readonly string[] {
  return candidates
    .of(source, room)
    .slice(0, count)
    .map(({ file }) => file);
}

test("tests around a file that start programs come before those of other folders", () => {
  const tests = firstFor("src/gateway/filters/proxy-wasm/host/calls.ts", "src/gateway/filters", 3);
  expect(tests).toContain("src/gateway/filters/proxy-wasm/hostile-modules.test.ts");
});

test("of the tests elsewhere, those with most words of the file's path come first", () => {
  const tests = candidates
    .of("src/gateway/filters/proxy-wasm/stream.ts", "src/gateway/filters")
    .filter(({ file }) => file.startsWith("test/filters/"));
  expect(tests[0]?.file).toStartWith("test/filters/proxy-wasm");
});
