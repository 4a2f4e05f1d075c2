/** RFC 9110 §12.4.2: at most 1, with up to three decimals. */
const WEIGHT = /^[\t ]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[\t ]*$/i;

/**
 * The coding of `offered` that the client prefers, and the first among equals (RFC 9110 §12.5.3). Undefined: the
 * response is not compressed. A client that accepts none of the codings gets uncompressed bytes too, and not a 406.
 */
export function negotiateCoding<Coding extends string>(
  acceptEncoding: string,
  offered: readonly Coding[],
): Coding | undefined {
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
  // Uncompressed bytes are preferred only if the client explicitly prefers them.
  return (weights.get("identity") ?? 0) > bestWeight ? undefined : best;
}
