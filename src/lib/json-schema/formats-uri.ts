import { isIPv6 } from "node:net";

/** Characters beyond ASCII in RFC 3987 (`ucschar`, `iprivate`), for use within brackets. */
const BEYOND_ASCII = `\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}${Array.from({ length: 14 }, (_, i) => {
  const plane = (i + 1).toString(16);
  return `\\u{${plane}${plane === "e" ? "1" : "0"}000}-\\u{${plane}fffd}`;
}).join("")}`;
const PRIVATE = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}";

const BROKEN_ESCAPE = /%(?![\dA-Fa-f]{2})/;
/** RFC 3986, appendix B. */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const SCHEME = /^[a-zA-Z][\da-zA-Z+.-]*$/;
const AUTHORITY = /^(?:([^@]*)@)?(\[[^[\]]*\]|[^:@]*)(?::\d*)?$/;
const FUTURE = /^v[\da-fA-F]+\.[\w.~!$&'()*+,;=:-]+$/;

/** References of RFC 3986, or with the characters in `beyond` of RFC 3987. `needsScheme`: not relative. */
function referenceOf(beyond: string, hidden: string, needsScheme: boolean): (text: string) => boolean {
  const of = (more: string): RegExp => new RegExp(`^[\\w.~!$&'()*+,;=%${more}${beyond}-]*$`, "u");
  const [name, user, path, query, fragment] = [of(""), of(":"), of(":@\\/"), of(`:@\\/?${hidden}`), of(":@\\/?")];
  const isHost = (host: string): boolean => {
    const literal = /^\[(.*)\]$/.exec(host)?.[1];
    if (literal === undefined) return name.test(host);
    return (isIPv6(literal) && !literal.includes("%")) || FUTURE.test(literal);
  };
  return (text) => {
    const [, scheme, authority, way = "", asked = "", location = ""] = PARTS.exec(text) ?? [];
    if (scheme === undefined ? needsScheme : !SCHEME.test(scheme)) return false;
    if (scheme === undefined && authority === undefined && /^[^/]*:/.test(way)) return false;
    if (authority !== undefined) {
      const [whole, userinfo = "", host = ""] = AUTHORITY.exec(authority) ?? [];
      if (whole === undefined || !user.test(userinfo) || !isHost(host)) return false;
    }
    return !BROKEN_ESCAPE.test(text) && path.test(way) && query.test(asked) && fragment.test(location);
  };
}

/** A URI of RFC 3986, with its scheme. */
export const isUri = referenceOf("", "", true);
/** A URI of RFC 3986, or a relative reference. */
export const isUriReference = referenceOf("", "", false);
/** An IRI of RFC 3987, with its scheme. */
export const isIri = referenceOf(BEYOND_ASCII, PRIVATE, true);
/** An IRI of RFC 3987, or a relative reference. */
export const isIriReference = referenceOf(BEYOND_ASCII, PRIVATE, false);

/** Literals of RFC 6570 §2.1; erratum 6937 allows `'`. */
const LITERALS = new RegExp(`^[!#$%&'()*+,./\\d:;=?@A-Z[\\]_a-z~${BEYOND_ASCII}${PRIVATE}-]*$`, "u");
/** An expression of RFC 6570 §2.2; its variables follow. */
const EXPRESSION = /^\{[+#./;?&=,!@|]?([^{}]*)\}$/;
const VARIABLE = /^([\w.%]+)(?::[1-9]\d{0,3}|\*)?$/;

/** True for a variable of RFC 6570 §2.3 and §2.4. */
function isVariable(text: string): boolean {
  const name = VARIABLE.exec(text)?.[1];
  return name !== undefined && !/^\.|\.\.|\.$/.test(name) && !BROKEN_ESCAPE.test(name);
}

/** True for a template of RFC 6570. */
export function isUriTemplate(text: string): boolean {
  // Regular expressions with loops over groups are avoided, because they fail on long texts.
  const literals = text.replaceAll(/\{[^{}]*\}/g, (expression) => {
    const variables = EXPRESSION.exec(expression)?.[1] ?? "";
    return variables.split(",").every(isVariable) ? "x" : "{";
  });
  return LITERALS.test(literals) && !BROKEN_ESCAPE.test(literals);
}
