import { trimOws } from "../../../lib/http/fields.ts";

interface Pattern {
  /** The type in lower case. Empty: every type. */
  readonly type: string;
  /** The whole subtype. Undefined: every subtype that ends in `suffix`. */
  readonly subtype: string | undefined;
  readonly suffix: string;
}

/** Matches Content-Type values with `text/html`, `text/*`, `application/*+json`. Parameters are ignored. */
export function createMediaTypeMatch(patterns: readonly string[]): (contentType: string) => boolean {
  const compiled = patterns.map(patternOf);
  return function matches(contentType) {
    const semicolon = contentType.indexOf(";");
    const name = trimOws(semicolon === -1 ? contentType : contentType.slice(0, semicolon)).toLowerCase();
    const slash = name.indexOf("/");
    if (slash <= 0) return false;
    const type = name.slice(0, slash);
    const subtype = name.slice(slash + 1);
    return compiled.some(
      (pattern) =>
        (pattern.type === "" || pattern.type === type) &&
        (pattern.subtype === undefined ? subtype.endsWith(pattern.suffix) : pattern.subtype === subtype),
    );
  };
}

function patternOf(text: string): Pattern {
  const [type = "", subtype = ""] = text.toLowerCase().split("/");
  const isOpen = subtype.startsWith("*");
  return {
    type: type === "*" ? "" : type,
    subtype: isOpen ? undefined : subtype,
    suffix: isOpen ? subtype.slice(1) : "",
  };
}
