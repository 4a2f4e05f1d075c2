import { type SecureContext } from "node:tls";

/** The object that node:tls passes to Bun in place of its own class. */
export function nativeOf(context: SecureContext): object {
  const native: unknown = Reflect.get(context, "context");
  if (typeof native !== "object" || native === null) {
    throw new Error("Cannot begin TLS: this version of Bun keeps its certificates elsewhere");
  }
  return native;
}
