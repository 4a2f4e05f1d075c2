import { isIPv4, isIPv6 } from "node:net";

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))$/;
const DURATION =
  /^P(?:\d+W|(?=\d|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const LABEL = /^[\da-zA-Z](?:[\da-zA-Z-]{0,61}[\da-zA-Z])?$/;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
/** Characters of a URI (RFC 3986 §2), and whole escapes. */
const URI_CHARACTERS = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-fA-F]{2})*$/;
const SCHEME = /^[a-zA-Z][\da-zA-Z+.-]*:/;

/** Characters of the longest host, mail address or date; a longer text is none. */
const MAX_HOST = 253;
const MAX_MAIL = 320;
const MAX_MOMENT = 64;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= last;
}

function isTime(text: string): boolean {
  if (text.length > MAX_MOMENT) return false;
  const [, hour = "", minute = "", second = "", sign, offsetHour = "0", offsetMinute = "0"] = TIME.exec(text) ?? [];
  if (hour === "" || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return false;
  if (Number(second) < 60) return true;
  // A leap second is the last of a day in UTC.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
  return (Number(hour) * 60 + Number(minute) - offset + 2880) % 1440 === 1439;
}

function isHostname(text: string): boolean {
  return text.length <= MAX_HOST && text.split(".").every((label) => LABEL.test(label));
}

function isEmail(text: string): boolean {
  if (text.length > MAX_MAIL) return false;
  const at = text.lastIndexOf("@");
  if (at < 1) return false;
  const host = text.slice(at + 1);
  const literal = /^\[(?:IPv6:)?([^\]]*)\]$/.exec(host)?.[1];
  if (literal === undefined ? !isHostname(host) : !isIPv4(literal) && !isIPv6(literal)) return false;
  return LOCAL_PART.test(text.slice(0, at)) || /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(text.slice(0, at));
}

function isUriReference(text: string): boolean {
  if (!URI_CHARACTERS.test(text) || text.indexOf("#") !== text.lastIndexOf("#")) return false;
  const path = text.replace(/[?#].*$/, "").replace(SCHEME, "");
  if (/^[^/]*:/.test(path) && !SCHEME.test(text)) return false;
  const authority = path.startsWith("//") ? (path.slice(2).split("/")[0] ?? "") : "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (!/^(?:\[[\da-fA-F:.]+\]|\[v[\da-fA-F]+\.[^[\]]+\]|[^[\]:]*)(?::\d*)?$/.test(host)) return false;
  const rest = path.slice(authority === "" ? 0 : authority.length + 2) + (/[?#].*$/.exec(text)?.[0] ?? "");
  return !/[[\]]/.test(rest) && !authority.slice(0, -host.length).includes("[");
}

/** The values of `format` that are checked, each in time linear in the text; all others say something, and check nothing. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  [
    "date-time",
    (text) =>
      text.length <= MAX_MOMENT && /^.{10}[tT]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  ],
  ["duration", (text) => text.length <= MAX_MOMENT && DURATION.test(text)],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", (text) => isIPv6(text) && !text.includes("%")],
  ["uri", (text) => SCHEME.test(text) && isUriReference(text)],
  ["uri-reference", isUriReference],
  ["uuid", (text) => UUID.test(text)],
  ["json-pointer", (text) => POINTER.test(text)],
] satisfies [string, (text: string) => boolean][]);
