/** Ranges of a value that are read. A value with more is ignored as malformed. */
const MAX_RANGES = 32;
const RANGE = /^([a-z]+|\*)\/([A-Za-z0-9-]+|\*)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * Whether a value of Accept-Payment asks for a method and intent: the most specific range that fits decides. True if
 * there is no such field, or if it is malformed.
 */
export function acceptsPayment(value: string | undefined, method: string, intent: string): boolean {
  if (value === undefined) return true;
  const parts = value.split(",", MAX_RANGES + 1).map((part) => RANGE.exec(part.trim()));
  if (parts.length > MAX_RANGES) return true;
  let [best, quality] = [-1, 0];
  for (const part of parts) {
    if (part === null) return true;
    const [, ofMethod, ofIntent, q = "1"] = part;
    if ((ofMethod !== "*" && ofMethod !== method) || (ofIntent !== "*" && ofIntent !== intent)) continue;
    const precision = (ofMethod === "*" ? 0 : 2) + (ofIntent === "*" ? 0 : 1);
    if (precision > best) [best, quality] = [precision, Number(q)];
  }
  return quality > 0;
}
