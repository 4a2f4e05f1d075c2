import { eventDate } from "../time/event-clock.ts";

const DAYS = "Sun|Mon|Tue|Wed|Thu|Fri|Sat";
const LONG_DAYS = "Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday";
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = MONTHS.join("|");
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;

/** The forms that recipients must read (RFC 9110 §5.6.7), of any letter case (RFC 9111 §4.2). */
const FORMS = [
  new RegExp(String.raw`^(?:${DAYS}), (?<day>\d\d) (?<month>${MONTH}) (?<year>\d{4}) ${TIME} GMT$`, "i"),
  new RegExp(String.raw`^(?:${LONG_DAYS}), (?<day>\d\d)-(?<month>${MONTH})-(?<year>\d\d) ${TIME} GMT$`, "i"),
  new RegExp(String.raw`^(?:${DAYS}) (?<month>${MONTH}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`, "i"),
];

/** An HTTP-date as IMF-fixdate; `at` is Unix milliseconds, whose fraction of a second is dropped. */
export function httpDate(at: number): string {
  return new Date(at).toUTCString();
}

/** The Unix milliseconds of an HTTP-date, if it is one. `now` decides the century of a two-digit year. */
export function parseHttpDate(text: string, now: number = Date.now()): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const month = MONTHS.indexOf((parts["month"] ?? "").toLowerCase());
    const [day, hour, minute, second] = [parts["day"], parts["hour"], parts["minute"], parts["second"]].map(Number);
    if (day === undefined || hour === undefined || minute === undefined || second === undefined) return undefined;
    const year = fullYear(parts["year"] ?? "", now);
    // Second 60 is a leap second, which Unix time counts as the next second.
    if (hour > 23 || minute > 59 || second > 60) return undefined;
    const at = Date.UTC(year, month, day, hour, minute, second);
    const isRealDay = new Date(Date.UTC(year, month, day)).getUTCDate() === day;
    return isRealDay ? at : undefined;
  }
  return undefined;
}

/** RFC 9110 §5.6.7: a two-digit year more than 50 years ahead is the most recent past one with those digits. */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const present = new Date(now).getUTCFullYear();
  const year = present - (present % 100) + Number(digits);
  return year > present + 50 ? year - 100 : year;
}

let lineSecond = -1;
let line = "";

/** The `Date` field line of now, formatted once a second: that takes longer than reading a small head. */
export function dateLine(): string {
  const second = Math.floor(eventDate() / 1000);
  if (second !== lineSecond) {
    lineSecond = second;
    line = `Date: ${httpDate(second * 1000)}\r\n`;
  }
  return line;
}
