/** Endless loops, by the work in each round: the CPU time of a worker for 5,000,000 units of fuel. */
import { MAX_FUEL } from "../../src/gateway/filters/module/reading/limits.ts";
import { FUEL_EXPORT, meter } from "../../src/gateway/filters/module/metering/meter.ts";
import { compileModule } from "../../src/gateway/filters/module/module-cache.ts";
import { prepare } from "../../src/gateway/filters/module/prepare.ts";
import { readShape } from "../../src/gateway/filters/module/reading/read-shape.ts";
import { compileAssemblyScript } from "../../src/gateway/filters/module/testing/assembly-script.ts";
import { OwnInstance } from "../../src/gateway/filters/own-abi/own-instance.ts";
import { type RequestView } from "../../src/gateway/filters/own-abi/views.ts";

const FUEL = 5_000_000;
const MEMORY_BYTES = 64 * 1024 * 1024;

/** Fills 60 MiB with one cycle through all its cache lines in random order, by Sattolo's algorithm. */
const CHASE = `
const LINES: u32 = 983040;
export function fillMemory(): void {
  memory.grow(980);
  for (let i: u32 = 0; i < LINES; i++) store<u32>((i << 6), i << 6);
  let seed: u32 = 12345;
  for (let i: u32 = LINES - 1; i > 0; i--) {
    seed = seed * 1664525 + 1013904223;
    const j = u32((u64(seed) * u64(i)) >> 32);
    const a = load<u32>(i << 6); const b = load<u32>(j << 6);
    store<u32>(i << 6, b); store<u32>(j << 6, a);
  }
}`;

const LOOPS: Readonly<Record<string, string>> = {
  "empty loop": `export function run(): void { for (;;) {} }`,
  multiplications: `export function run(): void { let x: u64 = 42; for (;;) { x = x * 6364136223846793005 + 1; if (x == 0) return; } }`,
  divisions: `export function run(): void { let x: u64 = 0xffffffffffffffff; let y: u64 = 3; for (;;) { y = (x / (y | 1)) ^ (x % (y | 3)); x -= y & 1; if (x == 0) return; } }`,
  "square roots": `export function run(): void { let x: f64 = 1e300; for (;;) { x = Math.sqrt(x) * 1e150; if (x == 0) return; } }`,
  "subnormal numbers": `export function run(): void { let x: f64 = 5e-324; for (;;) { x = x * 1.0000001 + 5e-324; if (x > 1) return; } }`,
  "loads, each from where the last one says": `${CHASE} export function run(): void { let p: usize = 0; for (;;) p = load<u32>(p); }`,
  "the same, 16 in a round": `${CHASE} export function run(): void { let p: usize = 0; for (;;) { ${"p = load<u32>(p);".repeat(16)} } }`,
  "the same, each across two lines": `${CHASE} export function run(): void { let p: usize = 0; for (;;) { ${"p = load<u32>(p); p = load<u32>(p) + usize(load<u64>(p + 60) & 0);".repeat(4)} } }`,
  "stores all over the memory": `export function run(): void { memory.grow(980); let s: u32 = 1; for (;;) { s = s * 1664525 + 1013904223; store<u64>((s >>> 6) & 0x3bfffc0, s); } }`,
  "stores across two pages": `export function run(): void { memory.grow(980); let s: u32 = 1; for (;;) { s = s * 1664525 + 1013904223; store<u64>(((s >>> 6) & 0x3bff000) | 0xffc, s); } }`,
  "filling 1 MiB": `export function run(): void { memory.grow(980); for (;;) memory.fill(0, 1, 1 << 20); }`,
  "filling 60 MiB": `export function run(): void { memory.grow(980); for (;;) memory.fill(0, 1, 60 << 20); }`,
  "copying 30 MiB": `export function run(): void { memory.grow(980); for (;;) memory.copy(0, 30 << 20, 30 << 20); }`,
  "copying 1 byte": `export function run(): void { for (;;) memory.copy(0, 7, 1); }`,
  recursion: `export function run(): void { for (;;) deep(1000); } function deep(n: i32): i32 { return n == 0 ? 0 : deep(n - 1) + 1; }`,
  "calls by a table": `type F = (x: i32) => i32; export function run(): void { const list: StaticArray<F> = [(x: i32): i32 => x + 1, (x: i32): i32 => x ^ 5, (x: i32): i32 => x - 3]; let x = 1; for (;;) x = list[x % 3 & 1](x); }`,
  "growing by nothing": `export function run(): void { for (;;) memory.grow(0); }`,
};

/** Loops over a function of the gateway, on a request with the maximum head and body. */
const HOST_LOOPS: Readonly<Record<string, string>> = {
  get_method: "get_method()",
  header_count: "header_count()",
  "get_header, of a field that is absent": "get_header(0, 9, OUT, 128)",
  "get_header, of all of a long value": "get_header(NAME, 3, OUT, 65536)",
  "get_path, 8 KiB": "get_path(OUT, 65536)",
  "read_body, 64 KiB": "read_body(0, OUT, 65536)",
  "read_body, nothing": "read_body(0, OUT, 0)",
  set_response_header: "set_response_header(NAME, 3, OUT, 16)",
  "set_response_header, 4 KiB": "set_response_header(NAME, 3, OUT, 4000)",
  "respond, 4 KiB": "respond(200, OUT, 4096)",
  log: "log(OUT, 1024)",
  "host_call, 4 KiB": "host_call(OUT, 4096)",
  "set_upstream, 256 bytes": "set_upstream(NAME, 256)",
};
const IMPORTS = Object.entries({
  get_method: "(): i32",
  header_count: "(): i32",
  get_header: "(name: usize, length: i32, out: usize, capacity: i32): i32",
  get_path: "(out: usize, capacity: i32): i32",
  read_body: "(offset: i32, out: usize, capacity: i32): i32",
  set_response_header: "(name: usize, length: i32, value: usize, vlen: i32): void",
  respond: "(status: i32, body: usize, length: i32): void",
  log: "(text: usize, length: i32): void",
  host_call: "(command: usize, length: i32): i32",
  set_upstream: "(name: usize, length: i32): i32",
})
  .map(([name, type]) => `@external("env", "${name}") declare function ${name}${type};`)
  .join("\n");

const REQUEST: RequestView = {
  method: "GET",
  path: `/${"a".repeat(8000)}`,
  fields:
    Array.from({ length: 127 }, (_, i) => `x-${i}: ${"v".repeat(240)}\r\n`).join("") + `abc: ${"w".repeat(1000)}\r\n`,
  bodyLength: 65_536,
  body: new Uint8Array(65_536),
};

/** CPU milliseconds of a loop in a new instance, until its fuel is used up. */
function timeOf(module: WebAssembly.Module): number {
  const { exports } = new WebAssembly.Instance(module);
  // The metering exports the counter; the programs above export the functions.
  const fuel = exports[FUEL_EXPORT] as unknown as { value: number };
  const { fillMemory, run } = exports as Record<string, () => void>;
  fuel.value = MAX_FUEL;
  fillMemory?.();
  fuel.value = FUEL;
  const before = process.cpuUsage();
  try {
    run?.();
  } catch {
    // The fuel is used up.
  }
  const { user, system } = process.cpuUsage(before);
  if (fuel.value >= 0) throw new Error("Cannot measure a loop: it ended by itself");
  return (user + system) / 1000;
}

/** Prints the cost of each loop until its fuel is used up. */
export async function measureLoops(rounds: number): Promise<void> {
  for (const [name, source] of Object.entries(LOOPS)) {
    const file = await compileAssemblyScript(source, ["--runtime", "stub"]);
    const module = new WebAssembly.Module(meter(readShape(file), MEMORY_BYTES).bytes);
    const times = Array.from({ length: rounds }, () => timeOf(module));
    console.log(`${name.padEnd(42)} ${times.map((ms) => ms.toFixed(0).padStart(5)).join(" ")} ms of CPU`);
  }
}

/** Prints the cost of a loop over each function of the gateway until its fuel is used up. */
export async function measureHostLoops(rounds: number): Promise<void> {
  for (const [name, call] of Object.entries(HOST_LOOPS)) {
    const source = `${IMPORTS}
      const OUT = memory.data(65536); const NAME = memory.data<u8>([0x61, 0x62, 0x63]);
      export function on_request(): i32 { for (;;) ${call}; return 0; }`;
    const module = await compileModule(
      "",
      prepare(await compileAssemblyScript(source, ["--runtime", "stub"]), MEMORY_BYTES),
    );
    const times = Array.from({ length: rounds }, () => {
      const instance = new OwnInstance(module, { fuel: FUEL, log: () => {} });
      const before = process.cpuUsage();
      const outcome = instance.onRequest(REQUEST);
      const { user, system } = process.cpuUsage(before);
      if (outcome.kind !== "failed" || outcome.cause !== "fuel") throw new Error(`Cannot measure ${name}: it ended`);
      return (user + system) / 1000;
    });
    console.log(`${name.padEnd(42)} ${times.map((ms) => ms.toFixed(0).padStart(5)).join(" ")} ms of CPU`);
  }
}
