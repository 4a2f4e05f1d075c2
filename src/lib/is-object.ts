/** A JSON object whose members are not checked yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for a JSON value that is an object: neither null nor an array. */
export function isObject(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object that is not inherited, as `constructor` is. Undefined for a value that is not an object. */
export function ownMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
