import { type Coding } from "./codings.ts";

/** RFC 9110 §12.4.2: up to three decimals, at most 1. */
const WEIGHT = /^[\t ]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[\t ]*$/i;

/**
 * The coding that a client likes best of `offered`, the first among equals (RFC 9110 §12.5.3); undefined: plain bytes, which
 * a client gets as well that accepts nothing that we have, rather than a 406.
 */
export function negotiate(acceptEncoding: string, offered: readonly Coding[]): Coding | undefined {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",")) {
    const [name = "", parameter, ...more] = item.split(";");
    const coding = name.trim().toLowerCase();
    if (coding === "") continue;
    const isWeighed = parameter !== undefined && more.length === 0;
    const weight = parameter === undefined ? 1 : Number((isWeighed && WEIGHT.exec(parameter)?.[1]) || 0);
    // RFC 9110 §8.4.1.3: x-gzip is gzip.
    weights.set(coding === "x-gzip" ? "gzip" : coding, weight);
  }
  let best: Coding | undefined;
  let bestWeight = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get("*") ?? 0;
    if (weight <= bestWeight) continue;
    best = coding;
    bestWeight = weight;
  }
  // Plain bytes are preferred only where the client says so.
  return (weights.get("identity") ?? 0) > bestWeight ? undefined : best;
}
