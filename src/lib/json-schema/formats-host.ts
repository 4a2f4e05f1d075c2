import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";

const LABEL = /^[\da-zA-Z](?:[\da-zA-Z-]{0,61}[\da-zA-Z])?$/;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const QUOTED_PART = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
/** ASCII characters that no host name contains, whatever they are mapped to. */
const NO_HOST = /[\0-,/:-@[-`{-\x7f]/;

/** Characters of the longest host name and mail address. A longer text is invalid. */
const MAX_HOST = 253;
const MAX_MAIL = 320;

/** Characters that RFC 5892 allows in labels: letters, digits and marks, with the exceptions of §2.6, §2.7 and §2.9. */
const LETTERS =
  /^[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}\u{6fd}\u{6fe}\u{f0b}\u{3007}\u{b7}\u{375}\u{5f3}\u{5f4}\u{30fb}\u{200c}-\u{200d}-]*$/u;
const NO_LETTERS =
  /[\u{302e}-\u{302f}]|[\u{20d0}-\u{20ff}]|[\u{640}\u{7fa}\u{303b}\u{1100}-\u{11ff}\u{3031}-\u{3035}\u{a960}-\u{a97f}\u{d7b0}-\u{d7ff}]|[\u{1d100}-\u{1d24f}]|(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;
/** Characters that are allowed only beside certain others (RFC 5892, appendix A.3 to A.7). */
const OUT_OF_PLACE = /(?<!l)\u{b7}|\u{b7}(?!l)|\u{375}(?!\p{Script=Greek})|(?<!\p{Script=Hebrew})[\u{5f3}\u{5f4}]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/** True for a valid label in Unicode. Its Punycode, joiners and direction were checked before. */
function isUnicodeLabel(label: string): boolean {
  if (!LETTERS.test(label) || NO_LETTERS.test(label) || OUT_OF_PLACE.test(label)) return false;
  if (/^-|-$|^..--/u.test(label) || (label.includes("\u{30fb}") && !KANA.test(label))) return false;
  return !/[\u{660}-\u{669}]/u.test(label) || !/[\u{6f0}-\u{6f9}]/u.test(label);
}

/** True for a host name in ASCII whose Punycode labels are valid (RFC 1123 §2.1, RFC 5890 §2.3.2.1). */
export function isHostname(text: string): boolean {
  if (text.length > MAX_HOST || !text.split(".").every((label) => LABEL.test(label))) return false;
  return !/(?:^|\.)xn--/i.test(text) || isIdnHostname(text);
}

/** True for a host name in any script: valid by RFC 5891 after UTS 46 has mapped it. */
export function isIdnHostname(text: string): boolean {
  if (text.length > MAX_HOST || NO_HOST.test(text)) return false;
  // With a label of letters at its end, a name is not taken for an IPv4 address.
  const ascii = domainToASCII(`${text}.a`).slice(0, -2);
  if (ascii.length > MAX_HOST || !ascii.split(".").every((label) => LABEL.test(label))) return false;
  return domainToUnicode(`${ascii}.a`)
    .split(".")
    .every((label) => LABEL.test(label) || isUnicodeLabel(label));
}

function isMail(text: string, isHost: (host: string) => boolean): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > MAX_MAIL) return false;
  const host = text.slice(at + 1);
  const [, tag, literal] = /^\[(IPv6:)?([^\]]*)\]$/i.exec(host) ?? [];
  const isAddress = literal === undefined ? isHost : tag === undefined ? isIPv4 : isIPv6;
  const local = text.slice(0, at);
  return isAddress(literal ?? host) && (LOCAL_PART.test(local) || QUOTED_PART.test(local));
}

/** True for a mail address (RFC 5321 §4.1.2). */
export function isEmail(text: string): boolean {
  return isMail(text, isHostname);
}

/** True for a mail address whose parts may be of any script (RFC 6531 §3.3). */
export function isIdnEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  // A character beyond ASCII is allowed where a letter is.
  return isMail(text.slice(0, at).replaceAll(/[^\0-\x7f]/g, "a") + text.slice(at), isIdnHostname);
}
