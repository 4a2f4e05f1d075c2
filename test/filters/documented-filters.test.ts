/**
 * The filters of docs/filters.md are the same as in examples/filters/, can be built as the page describes, and work as
 * described.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exampleFilters } from "../../src/gateway/filters/module/testing/example-filters.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { blocksOf, blockWith, readDocument, ROOT } from "../support/documents.ts";
import { COMMAND, Folder } from "../support/program.ts";

// The compilers are slow on a busy machine.
setDefaultTimeout(patient(30_000));

const PAGE = readDocument("docs/filters.md");
const REQUEST = blockWith(PAGE, "text", "GET /articles");
const folder = new Folder();
afterAll(() => folder.remove());

function example(name: string): string {
  return readFileSync(join(ROOT, "examples/filters", name), "utf8");
}

/** The output of `turnpike filter check` for a filter and a request. */
async function check(module: string, request: string, config = ""): Promise<string> {
  const command = [...COMMAND, "filter", "check"];
  const files = ["--request", folder.write("request.txt", request), "--config", folder.write("config.txt", config)];
  const args = [...files, module];
  const child = Bun.spawn([...command, ...args], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return out + err;
}

test("the page shows examples/filters/guard.ts", () => {
  expect(blocksOf(PAGE).map(({ text }) => text)).toContain(example("guard.ts"));
});

test("the first filter prints the output that the page shows", async () => {
  const { guard } = await exampleFilters("guard");
  const shown = blockWith(PAGE, "text", "module   guard.wasm");
  const printed = await check(guard, REQUEST);
  expect(printed.replace(/^module .*?, /, "module   guard.wasm, ")).toBe(shown);
});

test("the first filter lets public paths and requests with a key pass", async () => {
  const { guard } = await exampleFilters("guard");
  expect(await check(guard, "GET /public/x HTTP/1.1\n")).toContain("outcome  allow\n");
  const withKey = await check(guard, "GET /x HTTP/1.1\nX-Api-Key: 0123456789\n");
  expect(withKey).toContain("outcome  modify\nfield    x-key-ends-with: 6789\n");
});

test("the filter of tenants parks with a command", async () => {
  const { tenant } = await exampleFilters("tenant");
  expect(await check(tenant, "GET / HTTP/1.1\nX-Tenant: ann\n")).toContain("outcome  park\ncommand  start ann\n");
  expect(await check(tenant, "GET / HTTP/1.1\n")).toContain("outcome  reject with 400\nbody     no tenant\n");
});

test("the filter of keys lets a request with the key of its configuration pass, without the key", async () => {
  const { "api-key": apiKey } = await exampleFilters("api-key");
  const withKey = await check(apiKey, "GET /a?b=1 HTTP/1.1\nHost: x\nX-Api-Key: sesame\nAccept: */*\n", "sesame");
  expect(withKey).toContain("abi      proxy-wasm 0.2.1\n");
  expect(withKey).toContain(
    "outcome  continue\nrequest  GET /a?b=1\nfield    host: x\nfield    Accept: */*\nresponse 200\n",
  );
  expect(withKey).toContain("content-type: text/plain\nbody     a response\n");
  expect(withKey).toMatch(/^fuel {5}\d+ used by \d+ callbacks, \d+ by one; each has 5000000$/m);
  const without = await check(apiKey, "GET / HTTP/1.1\nHost: x\n", "sesame");
  expect(without).toContain("outcome  respond with 401\nresponse 401\n");
  expect(without).toContain("\nbody     key required\n");
});

test("the filter that changes bodies changes the body of the response", async () => {
  const { "rewrite-body": rewriteBody } = await exampleFilters("rewrite-body");
  expect(await check(rewriteBody, "GET / HTTP/1.1\nHost: x\n")).toContain("\nbody     a response\n");
});

test("the filter that calls an upstream refuses a request if there is no upstream", async () => {
  const { "ask-upstream": askUpstream } = await exampleFilters("ask-upstream");
  const printed = await check(askUpstream, "GET / HTTP/1.1\nHost: x\n", "auth");
  expect(printed).toContain("outcome  respond with 503\n");
  expect(printed).toContain("\nbody     no response from the upstream\n");
});

/** The folder of the Rust compiler's WebAssembly library; undefined if it is not installed. */
function rustTarget(): string | undefined {
  if (Bun.which("rustc") === null) return undefined;
  const target = "wasm32-unknown-unknown";
  const { stdout, success } = Bun.spawnSync(["rustc", "--print", "target-libdir", "--target", target]);
  return success && existsSync(stdout.toString().trim()) ? target : undefined;
}
const target = rustTarget();

test.skipIf(target === undefined)("the filter in Rust is built and rejects a request without the key", async () => {
  const module = folder.file("guard.wasm");
  const flags = ["--target", target ?? "", "--crate-type", "cdylib", "-O", "-C", "strip=symbols", "-o", module];
  const built = Bun.spawnSync(["rustc", ...flags, "examples/filters/guard.rs"], { cwd: ROOT });
  expect([built.success, built.stderr.toString()]).toEqual([true, ""]);
  expect(await check(module, REQUEST)).toContain("outcome  reject with 401\nbody     key required\n");
  expect(await check(module, "GET / HTTP/1.1\nX-Api-Key: open sesame\n")).toContain("outcome  allow\n");
});
