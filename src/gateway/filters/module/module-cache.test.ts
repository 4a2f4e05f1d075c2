import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../../lib/caught.ts";
import { cannotLoad, ModuleCache } from "./module-cache.ts";
import { assemble, onRequest, op, u32 } from "./testing/assembler.ts";
import { MEMORY_BYTES } from "./testing/metered.ts";

const MAX_CACHED_MODULES = 32;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-modules-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

function responding(code: number): Uint8Array {
  return onRequest(op.i32(code));
}

test("a module is compiled once, whatever its path, and again when it changes", async () => {
  const cache = new ModuleCache();
  const one = await cache.load(await file("a.wasm", responding(0)), MEMORY_BYTES);
  const same = await cache.load(await file("b.wasm", responding(0)), MEMORY_BYTES);
  expect(same).toBe(one);
  expect(one).toMatchObject({
    abi: { kind: "own" },
    facts: { functions: 1, loops: 0, imports: [], exports: ["on_request () -> i32"] },
  });
  const changed = await cache.load(await file("a.wasm", responding(1)), MEMORY_BYTES);
  expect(changed.hash).not.toBe(one.hash);
  expect(await cache.load(join(folder, "b.wasm"), MEMORY_BYTES * 2)).not.toBe(one);
});

test("the cache keeps only the modules that were used last", async () => {
  const cache = new ModuleCache();
  const first = await cache.load(await file("first.wasm", responding(100)), MEMORY_BYTES);
  for (let i = 0; i < MAX_CACHED_MODULES; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that the order is known
    await cache.load(await file("next.wasm", responding(1000 + i)), MEMORY_BYTES);
  }
  expect(await cache.load(join(folder, "first.wasm"), MEMORY_BYTES)).not.toBe(first);
});

const VERSION = { type: 0, export: "proxy_abi_version_0_2_1", code: [] };
const ALLOCATOR = { type: 2, export: "malloc", code: op.i32(0) };
const PROXY = assemble({ functions: [VERSION, ALLOCATOR] });

test("the exports determine the ABI", async () => {
  const cache = new ModuleCache();
  const { abi } = await cache.load(await file("proxy.wasm", PROXY), MEMORY_BYTES);
  expect(abi).toEqual({ kind: "proxy-wasm", version: "0.2.1" });
});

const own = { export: "on_request", code: op.i32(0) };
const UNLOADABLE: readonly (readonly [what: string, bytes: Uint8Array, reason: string])[] = [
  ["neither ABI", assemble({ functions: [{ code: op.i32(0) }] }), "exports neither on_request nor proxy_abi_version_*"],
  [
    "both ABIs",
    assemble({ functions: [own, { type: 0, export: "proxy_abi_version_0_2_0", code: [] }] }),
    "exports both on_request and proxy_abi_version_0_2_0; a filter has one ABI",
  ],
  [
    "an unknown version",
    assemble({ functions: [{ type: 0, export: "proxy_abi_version_0_3_0", code: [] }] }),
    "exports proxy_abi_version_0_3_0; known versions are 0.1.0, 0.2.0, 0.2.1",
  ],
  ["no allocator", assemble({ functions: [VERSION] }), "exports neither proxy_on_memory_allocate nor malloc"],
  [
    "an allocator that takes nothing",
    assemble({ functions: [VERSION, { ...ALLOCATOR, type: 1 }] }),
    "exports malloc as () -> i32; it must be (i32) -> i32",
  ],
  [
    "a callback that decides nothing",
    assemble({ functions: [VERSION, ALLOCATOR, { type: 0, export: "proxy_on_request_headers", code: [] }] }),
    "exports proxy_on_request_headers as () -> (); it must take i32 and return i32",
  ],
  [
    "an import that proxy-wasm does not have",
    assemble({ imports: [["env", "system", 1]], functions: [VERSION, ALLOCATOR] }),
    'imports "env.system", which the gateway does not have',
  ],
  ["an unknown import", onRequest(op.i32(0), { imports: [["env", "abort", 1]] }), 'imports "env.abort", which'],
  ["another module", onRequest(op.i32(0), { imports: [["wasi", "log", 1]] }), 'imports "wasi.log", which'],
  ["a name of all objects", onRequest(op.i32(0), { imports: [["env", "toString", 1]] }), 'imports "env.toString"'],
  [
    "another signature",
    onRequest(op.i32(0), { imports: [["env", "get_path", 1]] }),
    'imports "env.get_path" as () -> i32; it is (i32, i32) -> i32',
  ],
  [
    "on_request of another type",
    assemble({ functions: [{ ...own, type: 2 }] }),
    "exports on_request as (i32) -> i32; it must be () -> i32",
  ],
  [
    "on_request that is a memory",
    assemble({ memory: 1, exports: [["on_request", 2, 0]] }),
    "exports on_request, which is a memory and must be a function",
  ],
  ["code that is not valid", onRequest([0x6a]), "it is not valid: can't pop empty stack in binary right"],
  ["a memory above the limit", onRequest(op.i32(0), { memory: 1000 }), "it needs 65536000 bytes of memory"],
];

test.each(UNLOADABLE)("%s does not load, and the error says which file and why", async (_what, bytes, reason) => {
  const path = await file("bad.wasm", bytes);
  const said = await new ModuleCache().load(path, MEMORY_BYTES).catch(messageOf);
  expect(said).toStartWith(`Cannot load the filter "${path}": `);
  expect(said).toContain(reason);
});

test.each([
  ["ENOENT", "there is no such file"],
  ["EACCES", "the file may not be read"],
  ["EIO", "the message of the system"],
])("a file that cannot be read for %s is reported as: %s", (code, reason) => {
  const error = cannotLoad("/a.wasm", Object.assign(new Error("the message of the system"), { code }));
  expect(error.message).toBe(`Cannot load the filter "/a.wasm": ${reason}`);
});

test("a file that is absent, a folder, or too large does not load", async () => {
  const cache = new ModuleCache();
  const load = (path: string) => cache.load(path, MEMORY_BYTES).catch(messageOf);
  expect(await load(join(folder, "none.wasm"))).toEndWith("there is no such file");
  expect(await load(folder)).toEndWith(": it is not a regular file");
  const large = await file("large.wasm", new Uint8Array(16 * 1024 * 1024 + 1));
  expect(await load(large)).toEndWith(": it has 16777217 bytes; at most 16777216 are allowed");
});

/** A large module: functions in the form that compilers generate, with frequent loops. */
function megabytes(count: number): Uint8Array {
  const part = [
    ...op.loop,
    ...op.get(0),
    ...op.i32(1),
    ...op.i32Sub,
    ...op.tee(0),
    ...op.i32Load,
    ...op.brIf(0),
    ...op.end,
  ];
  const code = [...Array.from({ length: 200 }, () => part).flat(), ...op.i32(0)];
  const functions = Array.from({ length: Math.ceil((count * 1_000_000) / code.length) }, (_, i) => ({
    ...(i === 0 ? { export: "on_request" } : {}),
    locals: [[1, 0x7f]] as const,
    code: [...u32(0), ...code].slice(1),
  }));
  return assemble({ memory: 1, functions });
}

/** CPU time of this thread so far, in milliseconds. Other work on the machine does not count. */
function threadCpuMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
}

/**
 * Milliseconds that one turn of the event loop can take. Without a separate thread, the module takes 60 ms and more.
 */
const MOST_TURN_MS = 30;

test.skipIf(process.platform !== "linux")("the event loop goes on while 2.8 MB are read and compiled", async () => {
  const path = await file("large.wasm", megabytes(2.8));
  let last = threadCpuMs();
  let longest = 0;
  const count = setInterval(() => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  const { facts } = await new ModuleCache().load(path, MEMORY_BYTES);
  clearInterval(count);
  expect(facts.size).toBeGreaterThan(2_800_000);
  expect(longest).toBeLessThan(MOST_TURN_MS);
});
