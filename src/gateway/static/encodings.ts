/** File name endings of precompressed files, with their content codings. At equal weight the first one is preferred. */
export const ENCODINGS = [
  { suffix: ".zst", coding: "zstd" },
  { suffix: ".br", coding: "br" },
  { suffix: ".gz", coding: "gzip" },
] as const;

/** The name of a supported content coding (RFC 9110 §8.4.1). */
export type Coding = (typeof ENCODINGS)[number]["coding"];

/** RFC 9110 §12.4.2: up to three decimals, at most 1. */
const WEIGHT = /^[\t ]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[\t ]*$/i;

/** The weight of each coding for the client, 0 to 1; undefined if the field does not name it. */
function readWeights(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",")) {
    const [name = "", parameter] = item.split(";");
    const coding = name.trim().toLowerCase();
    const weight = parameter === undefined ? 1 : Number(WEIGHT.exec(parameter)?.[1] ?? 0);
    // RFC 9110 §8.4.1.3: x-gzip is gzip.
    if (coding !== "") weights.set(coding === "x-gzip" ? "gzip" : coding, weight);
  }
  return weights;
}

/**
 * The content coding for the response, from the `available` ones (RFC 9110 §12.5.3); undefined: none. A client that
 * accepts none of them gets the plain bytes, as that section allows, and not a 406.
 */
export function chooseCoding(acceptEncoding: string, available: readonly Coding[]): Coding | undefined {
  if (acceptEncoding === "" || available.length === 0) return undefined;
  const weights = readWeights(acceptEncoding);
  let best: Coding | undefined;
  // Plain bytes are preferred only if the client says so.
  let bestWeight = weights.get("identity") ?? 0;
  for (const { coding } of ENCODINGS) {
    if (!available.includes(coding)) continue;
    const weight = weights.get(coding) ?? weights.get("*") ?? 0;
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === undefined)) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}
