import { createHash } from "node:crypto";
import { percentDecoded } from "../../../lib/http/percent.ts";

/** Bytes of a name before its extension. File systems allow 255 with it. A longer name ends in a hash. */
const MAX_NAME_BYTES = 180;
/** Hexadecimal digits of a hash in a name. */
const HASH_DIGITS = 12;

/**
 * The names that a page's file may have, the best first: `example.com_guide_tides`, then with a hash of the address. They
 * have letters, digits, dots, hyphens and underscores only, and do not begin with a dot.
 */
export function pageNames(url: string): readonly [plain: string, unique: string] {
  const plain = plainName(url);
  const short = cutBytes(plain, MAX_NAME_BYTES);
  const unique = `${short}-${createHash("sha256").update(url).digest("hex").slice(0, HASH_DIGITS)}`;
  return [short === plain ? plain : unique, unique];
}

function plainName(url: string): string {
  const { host = "", pathname = "", search = "" } = URL.parse(url) ?? {};
  const name = `${host}${percentDecoded(pathname.replace(/\/$/, "") + search)}`
    .normalize("NFC")
    .replaceAll("/", "_")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  return name === "" ? "page" : name;
}

function cutBytes(text: string, most: number): string {
  let cut = "";
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    cut += character;
  }
  return cut;
}
