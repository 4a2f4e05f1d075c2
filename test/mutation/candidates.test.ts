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

test("a test around a file that opens it in a browser is among its tests", () => {
  const tests = firstFor("src/payments/browser/page/markdown.ts", "src/payments", 9);
  expect(tests).toContain("src/payments/browser/page/goods.test.ts");
});

test("of the tests elsewhere, those with most words of the file's path come first", () => {
  const tests = candidates
    .of("src/gateway/filters/proxy-wasm/stream.ts", "src/gateway/filters")
    .filter(({ file }) => file.startsWith("test/filters/"));
  expect(tests[0]?.file).toStartWith("test/filters/proxy-wasm");
});

test("of a file that runs in a thread, the line that starts the thread is known", () => {
  const starters = candidates.startersOf("src/gateway/filters/module/metering/meter.ts");
  expect(starters.map(({ file }) => file)).toContain("src/gateway/filters/module/module-cache.ts");
});
