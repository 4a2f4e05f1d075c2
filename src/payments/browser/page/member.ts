/** The property of an unknown value; undefined without it. A getter of a wallet's object could throw anything. */
export function member(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
