import { unescapedBytes } from "../../lib/http/percent.ts";

/** Names of parameters that are always secrets, in lower case. */
const SECRET =
  /^(?:.*(?:token|secret|password|passwd|signature|credential|(?:api|access|secret|private|auth|subscription)[-_.+ ]?key)|awsaccesskeyid|sig|auth|key|jwt|code|pass|pwd|otp|session|sessionid|x-amz-.*)$/;

/** Every one of those names contains one of these words. */
const SIGNS = "token|secret|pass|pwd|otp|signature|credential|key|sig|auth|jwt|code|session|x-amz-";

/** Characters that end a parameter for some readers, or that begin the query of a URL in a value, in any spelling. */
const INNER = /[;?#]|%(?:3[bBfF]|2[36])/;

const USERINFO = /^([a-z][a-z0-9+\-.]*:)?\/\/[^/?#]*@/i;

/** The normalised name: without escapes, in lower case. */
function plain(name: string): string {
  return unescapedBytes(name).toLowerCase();
}

/**
 * Redacts queries for log lines and traces. The values of secret parameters become REDACTED. A parameter is secret by
 * the configuration or by its name. Percent-encoded and capital spellings are found, and so are parameters behind `;`
 * and in URLs that are values.
 */
export class HiddenParameters {
  readonly #names: ReadonlySet<string>;
  /**
   * Only a query that matches can hold a secret. Without this check, a look at each name takes nine times as long (430
   * ns instead of 49 ns for two parameters).
   */
  readonly #suspect: RegExp;

  /** `names`: parameters that hold keys, by the configuration. Empty names are ignored. */
  constructor(names: Iterable<string>) {
    const known = [...names].filter((name) => name !== "");
    this.#names = new Set(known.map((name) => plain(Buffer.from(name).toString("latin1"))));
    const escaped = [...this.#names].map((name) => name.replaceAll(/[^a-z0-9_]/g, "[^]"));
    this.#suspect = new RegExp([`%|${SIGNS}`, ...escaped].join("|"), "i");
  }

  /** Redacts a query, with or without its `?`. */
  query(query: string): string {
    if (!this.#suspect.test(query) || !query.includes("=")) return query;
    const start = query.startsWith("?") ? "?" : "";
    const parts = query.slice(start.length).split("&");
    return start + parts.map((part) => this.#shown(part)).join("&");
  }

  /**
   * Redacts a URL as in Referer: it removes user and password, and redacts the query and the fragment as `query` does.
   */
  url(url: string): string {
    const bare = url.includes("@") ? url.replace(USERINFO, "$1//") : url;
    if (!bare.includes("=")) return bare;
    const hash = bare.indexOf("#");
    const whole = hash === -1 ? bare : bare.slice(0, hash);
    const question = whole.indexOf("?");
    const shown = question === -1 ? whole : whole.slice(0, question) + this.query(whole.slice(question));
    return hash === -1 ? shown : `${shown}#${this.query(bare.slice(hash + 1))}`;
  }

  #shown(part: string): string {
    const at = part.indexOf("=");
    if (at !== -1 && this.#isSecret(part.slice(0, at))) return `${part.slice(0, at)}=REDACTED`;
    if (!INNER.test(part)) return part;
    let end = 0;
    for (const piece of part.split(INNER)) {
      const equals = piece.search(/=|%3d/i);
      // The rest of the part is redacted too, because other readers take it as part of the value.
      if (equals !== -1 && this.#isSecret(piece.slice(0, equals))) return `${part.slice(0, end + equals)}=REDACTED`;
      end += piece.length;
      end += part.charAt(end) === "%" ? 3 : 1;
    }
    return part;
  }

  /** Forms name members of objects in brackets: `user[password]`, `token[]`. */
  #isSecret(name: string): boolean {
    const known = plain(name);
    if (this.#names.has(known) || SECRET.test(known)) return true;
    return /[[.]/.test(known) && known.split(/[[\].]/).some((word) => SECRET.test(word));
  }
}
