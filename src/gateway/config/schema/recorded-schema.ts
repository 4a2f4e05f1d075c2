/**
 * The part of zod that the configuration's schema uses, as a record of the calls. A valid value is read by `light-reader.ts`.
 * Zod makes the schema from the same calls when something else is needed: the issues of a value, or the JSON Schema. Loading zod and
 * making the schema takes a third of the CPU time of a start (bench start).
 */
import type * as Zod from "zod";
import { lightReader, Readable, type Reader, UNREAD } from "../formats/light-reader.ts";

export type { output, ZodRawShape, ZodType } from "zod";

type Library = typeof Zod;

const library = (): Library => require("zod");

/** A call of zod, on an earlier schema or on the library. */
export class RecordedSchema extends Readable {
  readonly #method: string;
  readonly #args: readonly unknown[];
  readonly #on: RecordedSchema | undefined;
  #reader: Reader | undefined;
  #made: Zod.ZodType | undefined;

  constructor(method: string, args: readonly unknown[], on?: RecordedSchema) {
    super();
    this.#method = method;
    this.#args = args;
    this.#on = on;
  }

  get reader(): Reader {
    this.#reader ??= lightReader(this.#method, this.#args, this.#on?.reader);
    return this.#reader;
  }

  get made(): Zod.ZodType {
    if (this.#made === undefined) {
      const target: object = this.#on?.made ?? library();
      const method: unknown = Reflect.get(target, this.#method);
      if (typeof method !== "function") throw new TypeError(`zod has no ${this.#method}`);
      // Each recorded method gives a schema.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      this.#made = Reflect.apply(method, target, this.#args.map(withMade)) as Zod.ZodType;
    }
    return this.#made;
  }

  get shape(): unknown {
    return this.#on === undefined ? this.#args[0] : this.#on.shape;
  }

  safeParse(value: unknown): Zod.ZodSafeParseResult<unknown> {
    const data = this.reader.read(value);
    return data === UNREAD ? this.made.safeParse(value) : { success: true, data };
  }

  /** Like `safeParse`, for an object. A valid one inherits its defaults from an object that all results share. */
  safeParseInheriting(value: unknown): Zod.ZodSafeParseResult<unknown> {
    const data = this.reader.readInheriting?.(value) ?? UNREAD;
    return data === UNREAD ? this.made.safeParse(value) : { success: true, data };
  }

  parse(value: unknown): unknown {
    const data = this.reader.read(value);
    return data === UNREAD ? this.made.parse(value) : data;
  }
}

/** The methods of zod's schemas that the configuration's schema uses. Each gives another schema. */
const METHODS = [
  "describe",
  "meta",
  "default",
  "prefault",
  "exactOptional",
  "or",
  "min",
  "max",
  "regex",
  "refine",
  "superRefine",
  "overwrite",
  "toLowerCase",
];

for (const method of METHODS) {
  Object.defineProperty(RecordedSchema.prototype, method, {
    value(this: RecordedSchema, ...args: unknown[]) {
      return new RecordedSchema(method, args, this);
    },
  });
}

/** An argument with zod's schemas in place of the recorded ones. */
function withMade(arg: unknown): unknown {
  if (arg instanceof RecordedSchema) return arg.made;
  if (Array.isArray(arg)) return arg.map(withMade);
  if (typeof arg !== "object" || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
  return Object.fromEntries(Object.entries(arg).map(([key, member]) => [key, withMade(member)]));
}

/** A function of zod with its own type, which records the call. */
function recorded<Name extends keyof Library>(name: Name): Library[Name] {
  // The recorded schema has the methods that the configuration's schema uses. Loading it fails if it uses another.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return ((...args: unknown[]) => new RecordedSchema(name, args)) as unknown as Library[Name];
}

/** zod's functions of the same names, which record the call and build the schema on first use. */
export const string = recorded("string");
export const int = recorded("int");
export const number = recorded("number");
export const boolean = recorded("boolean");
export const oneOf = recorded("enum");
export const literal = recorded("literal");
export const array = recorded("array");
export const strictObject = recorded("strictObject");
export const union = recorded("union");
export const discriminatedUnion = recorded("discriminatedUnion");
export const record = recorded("record");
export const json = recorded("json");

/** Zod's own schema for a recorded one. */
export function madeByZod(schema: unknown): Zod.ZodType {
  if (schema instanceof RecordedSchema) return schema.made;
  throw new TypeError("expected a recorded schema");
}
