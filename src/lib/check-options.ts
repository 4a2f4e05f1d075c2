import { isObject } from "./is-object.ts";

/** A type of options: its name in errors, and its test. */
export interface OptionType {
  readonly name: string;
  readonly has: (value: unknown) => boolean;
}

export const TEXT: OptionType = { name: "a string", has: (value) => typeof value === "string" };
export const CALLBACK: OptionType = { name: "a function", has: (value) => typeof value === "function" };
export const URL_TEXT: OptionType = {
  name: "a string or URL",
  has: (value) => typeof value === "string" || value instanceof URL,
};
export const KEY: OptionType = {
  name: "a string or Uint8Array",
  has: (value) => typeof value === "string" || value instanceof Uint8Array,
};
export const TEXTS: OptionType = {
  name: "a list of strings",
  has: (value) => Array.isArray(value) && value.every(TEXT.has),
};
export const TEXTS_BY_NAME: OptionType = {
  name: "an object of strings",
  has: (value) => isObject(value) && Object.values(value).every(TEXT.has),
};
export const SIGNAL: OptionType = { name: "an AbortSignal", has: (value) => isObject(value) && "aborted" in value };

/** The type of each option of T. */
export type OptionTypes<T> = Readonly<Record<keyof T, OptionType>>;

/**
 * Throws a TypeError for an option that is unknown, because a limit with a wrong name would not hold, or has another type.
 * The error does not show the value: it may be a key. `what` has the options, such as "Turnpike".
 */
export function checkOptions(options: unknown, types: Readonly<Record<string, OptionType>>, what: string): void {
  if (options === undefined) return;
  if (!isObject(options)) throw new TypeError(`Cannot use the options of ${what}: they are not an object`);
  for (const name of Object.keys(options)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined)
      throw new TypeError(
        `Cannot use the option "${name}" of ${what}: it is unknown; known are ${Object.keys(types).join(", ")}`,
      );
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !type.has(value))
      throw new TypeError(`Cannot use the option "${name}" of ${what}: it must be ${type.name}`);
  }
}
