import { type Section } from "./sections.ts";
import { type FunctionType, type Limits } from "./value-types.ts";

/** What kind of thing an import or export is. */
export const EXTERNAL = ["function", "table", "memory", "global", "tag"] as const;
export type ExternalKind = (typeof EXTERNAL)[number];

/** A function that the host must bring. */
export interface ImportedFunction {
  readonly module: string;
  readonly name: string;
  readonly type: FunctionType;
}

export interface Export {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly index: number;
}

export interface Table {
  /** The bytes of its element type in the file. */
  readonly type: readonly [start: number, end: number];
  readonly limits: Limits;
  /** The bytes of the expression that fills it; undefined where it begins with null. */
  readonly initial: readonly [start: number, end: number] | undefined;
}

/** What a module declares: everything but its code. */
export interface ModuleShape {
  readonly bytes: Uint8Array;
  readonly sections: ReadonlyMap<number, Section>;
  readonly types: readonly FunctionType[];
  readonly imports: readonly ImportedFunction[];
  /** The number of the type of every function, the imported ones first. */
  readonly functions: readonly number[];
  readonly tables: readonly Table[];
  readonly memory: Limits | undefined;
  readonly globalCount: number;
  readonly exports: readonly Export[];
}
