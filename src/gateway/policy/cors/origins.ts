/** True for allowed origins. The text is an origin as browsers write it. */
export type OriginMatch = (origin: string) => boolean;

/** The labels for the star of `https://*.example.com`, without characters that would end the host. */
const LABELS = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** Maximum characters of a host (RFC 1035 §2.3.4). */
const MAX_LABELS_LENGTH = 253;

interface Wildcard {
  readonly start: string;
  /** `.example.com`, and the port. */
  readonly end: string;
}

/** Compiles origins. `*` matches every value, and `null` matches opaque origins. */
export function createOriginMatch(origins: readonly string[]): OriginMatch {
  if (origins.includes("*")) return () => true;
  const exact = new Set(origins.filter((origin) => !origin.includes("*")));
  const wildcards: Wildcard[] = origins
    .filter((origin) => origin.includes("*"))
    .map((origin) => {
      const star = origin.indexOf("*");
      return { start: origin.slice(0, star), end: origin.slice(star + 1) };
    });
  return (origin) => exact.has(origin) || wildcards.some((wildcard) => isBelow(origin, wildcard));
}

function isBelow(origin: string, { start, end }: Wildcard): boolean {
  const length = origin.length - start.length - end.length;
  if (length <= 0 || length > MAX_LABELS_LENGTH || !origin.startsWith(start) || !origin.endsWith(end)) return false;
  return LABELS.test(origin.slice(start.length, origin.length - end.length));
}
