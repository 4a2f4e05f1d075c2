import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { compileAssemblyScript, compileProxyWasm } from "./assembly-script.ts";

/** A module for tests of the walker. */
export interface CorpusModule {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Exports that take an i32, return a number and need no imports. */
  readonly functions: readonly string[];
}

/** Programs that compile to different code with and without optimisation. */
const PROGRAMS: Readonly<Record<string, readonly [source: string, functions: readonly string[]]>> = {
  arithmetic: [
    `export function fib(n: i32): i32 { return n < 2 ? n : n > 20 ? 1 : fib(n - 1) + fib(n - 2); }
     export function lcg(n: i32): i32 { let x: i64 = 42; for (let i = 0; i < n; i++) x = x * 6364136223846793005 + 1; return i32(x >> 33); }
     export function divide(n: i32): f64 { let sum: f64 = 0; for (let i = 1; i <= n; i++) sum += Math.sqrt(f64(i)) / f64(i); return sum; }
     export function digits(n: i32): i32 { let c = 0; do { c++; n /= 10; } while (n > 0); return c; }`,
    ["fib", "lcg", "divide", "digits"],
  ],
  collections: [
    `export function words(n: i32): i32 { const map = new Map<string, i32>(); for (let i = 0; i < n; i++) { const k = (i % 17).toString(); map.set(k, (map.has(k) ? map.get(k) : 0) + i); } let s = 0; const v = map.values(); for (let i = 0; i < v.length; i++) s ^= v[i]; return s; }
     export function sorted(n: i32): i32 { const a = new Array<i32>(); for (let i = 0; i < n; i++) a.push((i * 7919) % 1009); a.sort((x, y) => x - y); let h = 17; for (let i = 0; i < n; i++) h = h * 31 + a[i]; return h; }
     export function text(n: i32): i32 { let s = ""; for (let i = 0; i < n % 200; i++) s += String.fromCharCode(97 + i % 26); return s.toUpperCase().indexOf("XYZ") + s.length; }`,
    ["words", "sorted", "text"],
  ],
  dispatch: [
    `abstract class Shape { abstract area(): i32; }
     class Square extends Shape { constructor(public a: i32) { super(); } area(): i32 { return this.a * this.a; } }
     class Bar extends Shape { constructor(public a: i32) { super(); } area(): i32 { return this.a * 2; } }
     export function areas(n: i32): i32 { let s = 0; for (let i = 0; i < n; i++) { const shape: Shape = i % 2 ? new Square(i) : new Bar(i); s += shape.area(); } return s; }
     export function choose(n: i32): i32 { let s = 0; for (let i = 0; i < n; i++) switch (i % 7) { case 0: s += 3; break; case 1: s ^= i; break; case 2: continue; case 3: s = s << 1; default: s -= 1; } return s; }`,
    ["areas", "choose"],
  ],
  vectors: [
    `export function lanes(n: i32): i32 { let v = i32x4.splat(1); for (let i = 0; i < n; i++) v = i32x4.add(i32x4.mul(v, i32x4.splat(3)), i32x4.splat(i)); return i32x4.extract_lane(v, 2); }`,
    ["lanes"],
  ],
  memory: [
    `export function fill(n: i32): i32 { const p = heap.alloc(70000); memory.fill(p, u8(n), 70000); memory.copy(p + 3, p, 60000); let s = 0; for (let i = 0; i < 70000; i += 97) s = s * 31 + load<u8>(p + i); heap.free(p); return s; }
     export function size(n: i32): i32 { return memory.size() + memory.grow(n % 3); }`,
    ["fill", "size"],
  ],
  allocations: [
    `export function allocate(n: i32): i32 { const a = new Uint8Array(n); a[n - 1] = 7; return a[n - 1]; }`,
    [],
  ],
};

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  arithmetic: ["--runtime", "stub"],
  vectors: ["--runtime", "stub", "--enable", "simd"],
  collections: ["--runtime", "incremental"],
};

/** Modules of npm packages that are embedded in a script. */
const IN_SCRIPTS: Readonly<Record<string, string>> = {
  quickjs: "@tootallnate/quickjs-emscripten/dist/generated/emscripten-module.WASM_RELEASE_SYNC.js",
  mine: "ox/tempo/internal/mine.wasm.js",
};

/** Modules from several compilers: from AssemblyScript, built here, and from packages that include them. */
export async function corpus(): Promise<CorpusModule[]> {
  const built = Object.entries(PROGRAMS).map(async ([name, [source, functions]]) => ({
    name,
    bytes: await compileAssemblyScript(source, FLAGS[name] ?? []),
    functions,
  }));
  const found = Object.entries(IN_SCRIPTS).map(async ([name, path]) => ({
    name,
    bytes: await inScript(path),
    functions: [],
  }));
  return await Promise.all([...built, ...found, onSdk()]);
}

/** A filter on the SDK of proxy-wasm. */
async function onSdk(): Promise<CorpusModule> {
  const source = await readFile(new URL("../../../../../examples/filters/add-header.ts", import.meta.url), "utf8");
  return { name: "add-header", bytes: await compileProxyWasm(source), functions: [] };
}

/** A module in base64 in a file of node_modules. */
async function inScript(path: string): Promise<Uint8Array> {
  const root =
    createRequire(import.meta.url)
      .resolve("typescript/package.json")
      .split("/typescript/package.json")[0] ?? "";
  for (const folder of ["", "/_esm"]) {
    const file = `${root}/${path.replace(/^ox/, `ox${folder}`)}`;
    const script = await readFile(file, "latin1").catch(() => "");
    const base64 = /AGFzbQ[A-Za-z0-9+/=]{40,}/.exec(script)?.[0];
    if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, "base64"));
  }
  throw new Error(`Cannot find a module in ${path}`);
}
