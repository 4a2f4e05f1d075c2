import { hasCredentials, isAbsoluteUrl } from "../http/url-text.ts";
import { isTimeZone } from "../time/time-zone.ts";
import { isIPv4, isIPv6 } from "node:net";
import { isEmail, isHostname, isIdnEmail, isIdnHostname } from "./formats-host.ts";
import { isIri, isIriReference, isUri, isUriReference, isUriTemplate } from "./formats-uri.ts";

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))$/;
const DURATION =
  /^P(?:\d+W|(?=\d|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Characters of the longest date and time, and of the longest regular expression. A longer text is invalid. */
const MAX_MOMENT = 64;
const MAX_REGEX = 1000;
/** Most names and look-behinds of an expression: parsing time grows with their square (1 ms for 120). */
const MAX_NAMES = 20;

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
  // A leap second is the last second of a day in UTC.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
  return (Number(hour) * 60 + Number(minute) - offset + 2880) % 1440 === 1439;
}

/** RFC 6901. */
function isPointer(text: string): boolean {
  return (text === "" || text.startsWith("/")) && !/~(?![01])/.test(text);
}

function isRelativePointer(text: string): boolean {
  const [upwards] = /^(?:0|[1-9]\d*)/.exec(text) ?? [];
  const rest = text.slice(upwards?.length);
  return upwards !== undefined && (rest === "#" || isPointer(rest));
}

/** Checks a regular expression of ECMA-262 by parsing it. It is never run. */
function isRegex(text: string): boolean {
  if (text.length > MAX_REGEX || text.split("(?<").length > MAX_NAMES + 1) return false;
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}

/** The values of `format` that are checked, each in time linear in the text. All others are only remarks. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  [
    "date-time",
    (text) =>
      text.length <= MAX_MOMENT && /^.{10}[tT]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  ],
  ["duration", (text) => DURATION.test(text)],
  ["email", isEmail],
  ["idn-email", isIdnEmail],
  ["hostname", isHostname],
  ["idn-hostname", isIdnHostname],
  ["ipv4", isIPv4],
  ["ipv6", (text) => isIPv6(text) && !text.includes("%")],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["uri-template", isUriTemplate],
  ["iri", isIri],
  ["iri-reference", isIriReference],
  ["uuid", (text) => UUID.test(text)],
  ["json-pointer", isPointer],
  ["relative-json-pointer", isRelativePointer],
  ["regex", isRegex],
  // Not of the draft: a URL as browsers read it, which may have characters beyond those of a URI, and a name of tzdata.
  ["url", (text) => isAbsoluteUrl(text) && !hasCredentials(text)],
  ["time-zone", isTimeZone],
] satisfies [string, (text: string) => boolean][]);
