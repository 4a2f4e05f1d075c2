import { assemble, I32, op, type Parts, u32 } from "../../module/testing/assembler.ts";
import { OWN_IMPORTS, type OwnExport, type OwnImport } from "../../module/own-signatures.ts";

/** Types and imports for functions for the Turnpike ABI, in the given order. They are functions 0, 1, ... */
export function ownImports(...names: readonly OwnImport[]): Parts {
  const types = names.map((name) => {
    const [parameters = "", result = ""] = OWN_IMPORTS[name].split(" -> ");
    return [parameters.match(/i32/g)?.map(() => I32) ?? [], result === "i32" ? [I32] : []] as const;
  });
  return {
    types: [...types, [[], [I32]]],
    imports: names.map((name, i) => ["env", name, i] as const),
  };
}

export type Hooks = Partial<Record<OwnExport, readonly number[]>>;

/** A filter with these hooks, and with texts in its memory of 64 KiB `pages` from address 0 on. */
export function ownModule(used: readonly OwnImport[], hooks: Hooks, memoryText = "", pages = 1): Uint8Array {
  const bytes = [...Buffer.from(memoryText)];
  return assemble({
    ...ownImports(...used),
    memory: pages,
    functions: Object.entries(hooks).map(([name, code]) => ({ export: name, type: used.length, code })),
    data: [[0, 0x41, 0, 0x0b, ...u32(bytes.length), ...bytes]],
  });
}

/** Code that calls function 0 with constants. */
export function calls(...parameters: readonly number[]): number[] {
  return callsOf(0, ...parameters);
}

/** Code that calls a function with constants. */
export function callsOf(index: number, ...parameters: readonly number[]): number[] {
  return [...parameters.flatMap((value) => op.i32(value)), ...op.call(index)];
}
