import { type Section } from "./sections.ts";
import { type FunctionType, type Limits } from "./value-types.ts";

export const EXTERNAL = ["function", "table", "memory", "global", "tag"] as const;
export type ExternalKind = (typeof EXTERNAL)[number];

/** A function that the host must provide. */
export interface ImportedFunction {
  readonly module: string;
  readonly name: string;
  readonly type: FunctionType;
}

/** An export of a module. `index` is in the index space of its kind. */
export interface Export {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly index: number;
}

export interface Table {
  /** The bytes of its element type in the file. */
  readonly type: readonly [start: number, end: number];
  readonly limits: Limits;
  /** The bytes of the expression that fills it; undefined if its entries begin as null. */
  readonly initial: readonly [start: number, end: number] | undefined;
}

/** The declarations of a module: everything except its code. */
export interface ModuleShape {
  readonly bytes: Uint8Array;
  readonly sections: ReadonlyMap<number, Section>;
  readonly types: readonly FunctionType[];
  readonly imports: readonly ImportedFunction[];
  /** The type index of every function; the imported functions come first. */
  readonly functions: readonly number[];
  readonly tables: readonly Table[];
  readonly memory: Limits | undefined;
  readonly globalCount: number;
  readonly exports: readonly Export[];
}
