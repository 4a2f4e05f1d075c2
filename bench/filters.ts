/** The cost of WebAssembly filters in CPU time: of a request, of the metering, and of reading a module. */
import { parseArgs } from "node:util";
import { FUEL_EXPORT, meter } from "../src/gateway/filters/module/meter.ts";
import { compileModule, type FilterModule } from "../src/gateway/filters/module/module-cache.ts";
import { prepare } from "../src/gateway/filters/module/prepare.ts";
import { readShape } from "../src/gateway/filters/module/read-shape.ts";
import { compileAssemblyScript } from "../src/gateway/filters/module/testing/assembly-script.ts";
import { corpus } from "../src/gateway/filters/module/testing/corpus.ts";
import { measureChain } from "./filters/chain.ts";
import { measureHostile } from "./filters/hostile.ts";
import { compare } from "./support/comparison.ts";
import { readRounds } from "./support/options.ts";
import { measureHostLoops, measureLoops } from "./filters/loops.ts";
import { parkedMemory, requestNanoseconds } from "./filters/own-filter.ts";
import { measureParked, measureStreams } from "./filters/proxy-wasm.ts";
import { OwnInstance } from "../src/gateway/filters/own-abi/own-instance.ts";
import { NO_BODY, type RequestView } from "../src/gateway/filters/own-abi/views.ts";

const MEMORY_BYTES = 32 * 1024 * 1024;
const FUEL = 5_000_000;

const REQUEST: RequestView = {
  method: "GET",
  path: "/articles/2026/11/a-title-of-some-length?utm_source=feed",
  fields:
    "Host: www.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\nAccept: text/html\r\n" +
    "Accept-Language: en-US,en;q=0.9\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nX-Api-Key: 0123456789abcdef\r\n" +
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\nReferer: https://www.example.com/\r\n",
  bodyLength: 0,
  body: NO_BODY,
};

const ALLOW = `export function on_request(): i32 { return 0; }`;
const TWO_READS = `
@external("env", "get_header") declare function get_header(name: usize, length: i32, out: usize, capacity: i32): i32;
const KEY = memory.data<u8>([0x78, 0x2d, 0x61, 0x70, 0x69, 0x2d, 0x6b, 0x65, 0x79]);
const HOST = memory.data<u8>([0x68, 0x6f, 0x73, 0x74]);
const OUT = memory.data(256);
export function on_request(): i32 {
  return get_header(KEY, 9, OUT, 128) == 16 && get_header(HOST, 4, OUT + 128, 128) > 0 ? 0 : 1;
}`;

const TWO_READS_AND_RESPONSE = `${TWO_READS}
export function on_response(): i32 { return 1; }`;
const PARKS = `
@external("env", "host_call") declare function host_call(command: usize, length: i32): i32;
const COMMAND = memory.data<u8>([0x62, 0x6f, 0x6f, 0x74]);
export function on_request(): i32 { host_call(COMMAND, 4); return 3; }
export function on_resume(): i32 { return 0; }`;
/** Requests that are parked at the same time. */
const PARKED = 2000;

/** Programs with loops that metering slows down; each takes a number of rounds. */
const LOOPS = `
export function fnv(n: i32): i32 { let h: u32 = 2166136261; for (let i = 0; i < n; i++) { h ^= u32(i) & 0xff; h *= 16777619; } return h; }
export function lcg(n: i32): i32 { let x: i64 = 42; for (let i = 0; i < n; i++) x = x * 6364136223846793005 + 1; return i32(x >> 33); }
export function scan(n: i32): i32 { let i = 0; let left = n; while (left > 0) { if (load<u8>(i & 0xffff) == 1) i += 2; i++; left--; } return i; }
export function fib(n: i32): i32 { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
export function matrix(n: i32): f64 { let s: f64 = 0; for (let i = 0; i < n; i++) s += load<f64>((i & 1023) << 3) * load<f64>((i & 511) << 3); return s; }`;
const ROUNDS: Readonly<Record<string, number>> = { fnv: 5e6, lcg: 5e6, scan: 5e6, fib: 27, matrix: 5e6 };
const PLAIN_FLAGS = ["--runtime", "stub", "--initialMemory", "2"];

function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The median of several measurements. */
function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}

async function filterOf(source: string): Promise<FilterModule> {
  return await compileModule("", prepare(await compileAssemblyScript(source, ["--runtime", "stub"]), MEMORY_BYTES));
}

async function requests(count: number, rounds: number): Promise<void> {
  for (const [name, source] of [
    ["a filter that allows at once", ALLOW],
    ["two header reads", TWO_READS],
  ] as const) {
    const instance = new OwnInstance(await filterOf(source), { fuel: FUEL, log: () => {} });
    const run = () => {
      for (let i = 0; i < count; i++) {
        if (instance.onRequest(REQUEST).kind !== "allow") throw new Error(`Cannot measure ${name}: it does not allow`);
        instance.release();
      }
    };
    run();
    const times = Array.from({ length: rounds }, () => (cpuMs(run) * 1e6) / count);
    console.log(`${name.padEnd(32)} ${times.map((ns) => ns.toFixed(0).padStart(5)).join(" ")} ns of CPU a request`);
  }
  const module = await filterOf(TWO_READS);
  const made = cpuMs(() => {
    for (let i = 0; i < 200; i++) void new OwnInstance(module, { fuel: FUEL, log: () => {} });
  });
  console.log(`${"an instance".padEnd(32)} ${((made * 1000) / 200).toFixed(0).padStart(5)} us of CPU`);
}

/** The same in the request path. */
async function requestPath(count: number, rounds: number): Promise<void> {
  for (const [name, source] of [
    ["a filter that allows at once", ALLOW],
    ["two header reads", TWO_READS],
    ["two header reads and a response", TWO_READS_AND_RESPONSE],
  ] as const) {
    const times = requestNanoseconds(await filterOf(source), count, rounds);
    console.log(`${name.padEnd(32)} ${times.map((ns) => ns.toFixed(0).padStart(5)).join(" ")} ns of CPU a request`);
  }
  const { kib, ms } = await parkedMemory(await filterOf(PARKS), PARKED);
  console.log(
    `${`${PARKED} parked requests`.padEnd(32)} ${kib.toFixed(0).padStart(5)} KiB each, ${ms.toFixed(0)} ms of CPU to park`,
  );
}

type Program = (rounds: number) => number;

async function metering(rounds: number): Promise<void> {
  const file = await compileAssemblyScript(LOOPS, PLAIN_FLAGS);
  const plain = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(file))).exports;
  const metered = new WebAssembly.Instance(new WebAssembly.Module(meter(readShape(file), MEMORY_BYTES).bytes)).exports;
  const fuel = metered[FUEL_EXPORT] as unknown as { value: number };
  for (const [name, n] of Object.entries(ROUNDS)) {
    // The programs above export these names.
    const [one, other] = [plain[name] as Program, metered[name] as Program];
    const times: { plain: number[]; metered: number[] } = { plain: [], metered: [] };
    let used = 0;
    for (let i = 0; i < rounds * 2; i++) {
      fuel.value = 2_147_483_647;
      const a = cpuMs(() => one(n));
      const b = cpuMs(() => other(n));
      used = 2_147_483_647 - fuel.value;
      // The engine optimises the program during the first half, which is left out.
      if (i >= rounds) times.plain.push(a);
      if (i >= rounds) times.metered.push(b);
    }
    const [a, b] = [median(times.plain), median(times.metered)];
    const more = `${b >= a ? "+" : ""}${(((b - a) / a) * 100).toFixed(0)} %`;
    console.log(
      `${name.padEnd(32)} plain ${a.toFixed(1).padStart(6)} ms, metered ${b.toFixed(1).padStart(6)} ms, ${more.padStart(6)}; ${used} fuel`,
    );
  }
}

async function walker(rounds: number): Promise<void> {
  for (const { name, bytes } of await corpus()) {
    const times = Array.from({ length: rounds + 1 }, () =>
      cpuMs(() => void meter(readShape(bytes), 256 * 1024 * 1024)),
    );
    const { bytes: out, loops } = meter(readShape(bytes), 256 * 1024 * 1024);
    const size = `${String(bytes.length).padStart(7)} bytes, ${String(loops).padStart(4)} loops`;
    const grown = `${(((out.length - bytes.length) / bytes.length) * 100).toFixed(0)} % larger`;
    const [first = 0, ...others] = times;
    console.log(
      `${name.padEnd(16)} ${size}, ${grown}; first ${first.toFixed(1)} ms, then ${median(others).toFixed(1)} ms of CPU`,
    );
  }
}

/** `npm run bench -- filters [--count N] [--rounds N] [--seconds N] [--chain]`: with `--chain` only the real chain. */
export async function runFiltersBench(args: readonly string[]): Promise<number> {
  const options = {
    count: { type: "string", default: "300000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    chain: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const rounds = Number(values.rounds);
  if (!values.chain) {
    console.log("Requests, through one instance for the Turnpike ABI:");
    await requests(Number(values.count), rounds);
    console.log("\nRequests, through a filter with its pool, view and figures:");
    await requestPath(Number(values.count), rounds);
    console.log("\nStreams, through one instance of proxy-wasm:");
    await measureStreams(Math.ceil(Number(values.count) / 10), rounds);
    await measureParked();
    console.log("\nThe same program plain and metered:");
    await metering(rounds);
    console.log("\n5,000,000 units of fuel in a loop, until it has none left:");
    await measureLoops(rounds);
    console.log("\nThe same over functions of the gateway:");
    await measureHostLoops(rounds);
    console.log("\nA request to a filter that means harm, with 5,000,000 units of fuel:");
    await measureHostile(rounds);
    console.log("\nReading, checking and metering a module:");
    await walker(rounds);
    console.log("");
  }
  return await compare(
    {
      name: "filters",
      usage: "usage: npm run bench -- filters [--count N] [--rounds N] [--seconds N] [--chain]",
      tools: [["wrk", "wrk"]],
      read: () => readRounds(values),
      async measure(children, inRounds) {
        console.log("Requests through a gateway, beside those of a route without filters:");
        await measureChain(children, inRounds, { allow: ALLOW, reads: TWO_READS });
      },
    },
    args,
  );
}
