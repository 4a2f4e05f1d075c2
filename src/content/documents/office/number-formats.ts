import { childOf, elementsOf, type XmlElement } from "./read-xml.ts";

/** The form in which the number of a cell is shown. */
export interface NumberFormat {
  readonly kind: "number" | "percent" | "date" | "time" | "date-time";
  /** Digits after the point of a percentage. */
  readonly decimals: number;
  readonly hasSeconds: boolean;
}

const NUMBER: NumberFormat = { kind: "number", decimals: 0, hasSeconds: false };

/** Formats that files do not spell out (ECMA-376-1 §18.8.30). Those of languages are dates and times too. */
function builtIn(id: number): string {
  if (id === 9) return "0%";
  if (id === 10) return "0.00%";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return "yyyy-mm-dd";
  if (id === 18 || id === 20 || id === 32 || id === 34) return "h:mm";
  if (id === 19 || id === 21 || id === 33 || id === 35 || (id >= 45 && id <= 47)) return "h:mm:ss";
  return id === 22 ? "yyyy-mm-dd h:mm" : "General";
}

/** The format that a code such as `dd/mm/yyyy` or `0.0%` describes. */
export function formatOf(code: string): NumberFormat {
  const shown = code
    .slice(0, 255)
    .split(";", 1)
    .join("")
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .replace(/\[(?!h{1,2}\]|m{1,2}\]|s{1,2}\])[^\]]*\]/gi, "");
  const isDate = /[yd]/i.test(shown) || /mmm/i.test(shown);
  const isTime = /[hs]/i.test(shown);
  const hasSeconds = /s/i.test(shown);
  if (isDate || isTime) return { kind: isDate ? (isTime ? "date-time" : "date") : "time", decimals: 0, hasSeconds };
  if (!shown.includes("%")) return NUMBER;
  return { kind: "percent", decimals: /\.(0+)/.exec(shown)?.[1]?.length ?? 0, hasSeconds: false };
}

/** The formats of the styles of cells, by the numbers of the styles. */
export function cellFormats(styles: XmlElement | undefined): readonly NumberFormat[] {
  const codes = new Map(
    elementsOf(childOf(styles, "x:numFmts"), "x:numFmt").map(({ attributes }) => [
      Number(attributes["numFmtId"]),
      attributes["formatCode"] ?? "",
    ]),
  );
  const formats = new Map<number, NumberFormat>();
  return elementsOf(childOf(styles, "x:cellXfs"), "x:xf").map(({ attributes }) => {
    const id = Number(attributes["numFmtId"] ?? "0");
    return formats.getOrInsertComputed(id, () => formatOf(codes.get(id) ?? builtIn(id)));
  });
}

const DAY_MS = 86_400_000;
/** The day before the first one in the calendar of 1900, which has a 29th of February. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const DAYS_TO_1904 = 1_462;
/** The last day that sheets know: 9999-12-31. @bound */
const MAX_DAYS = 2_958_466;

/** The text of a number in a cell. Dates are in the form of ISO 8601. */
export function shownNumber(value: string, { kind, decimals, hasSeconds }: NumberFormat, is1904: boolean): string {
  // Most numbers are short integers, whose text is already the shortest.
  if (kind === "number" && /^[1-9]\d{0,14}$/.test(value)) return value;
  const number = Number(value);
  if (!Number.isFinite(number) || value.trim() === "") return value;
  if (kind === "percent") return `${(number * 100).toFixed(decimals)}%`;
  if (kind === "number") return Number(number.toPrecision(15)).toString();
  if (number < 0 || number >= MAX_DAYS) return value;
  const days = (is1904 ? number + DAYS_TO_1904 : number) + (number < 60 && !is1904 && number >= 1 ? 1 : 0);
  const iso = new Date(EPOCH_1900 + Math.round((days * DAY_MS) / 1000) * 1000).toISOString();
  const time = iso.slice(11, hasSeconds ? 19 : 16);
  // Programs write a time without a day, and an empty date, as numbers below 1.
  if (number < 1 && kind !== "time") return kind === "date" ? value : time;
  if (kind === "time") return elapsed(number, hasSeconds);
  return kind === "date" ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`;
}

const two = (number: number): string => `${number}`.padStart(2, "0");

/** Hours, which may be more than those of a day. */
function elapsed(days: number, hasSeconds: boolean): string {
  const seconds = Math.round(days * 86_400);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${two(hours)}:${two(minutes)}${hasSeconds ? `:${two(seconds % 60)}` : ""}`;
}
