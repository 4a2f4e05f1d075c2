import { expect, test } from "bun:test";
import { cellFormats, formatOf, type NumberFormat, shownNumber } from "./number-formats.ts";
import { type XmlElement } from "./read-xml.ts";

function element(name: string, attributes: Readonly<Record<string, string>>, children: readonly XmlElement[] = []) {
  return { name, attributes, children: [...children] } as XmlElement;
}

const described = ({ kind, decimals, hasSeconds }: NumberFormat): string =>
  `${kind}${kind === "percent" ? ` ${decimals}` : ""}${hasSeconds ? " with seconds" : ""}`;

test("formats have the numbers of the standard, unless the file says otherwise", () => {
  const known: Readonly<Record<string, readonly number[]>> = {
    "percent 0": [9],
    "percent 2": [10],
    date: [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58],
    time: [18, 20, 32, 34],
    "time with seconds": [19, 21, 33, 35, 45, 46, 47],
    "date-time": [22],
    "percent 1": [60],
  };
  const expected = Array.from({ length: 61 }, (_none, id) => {
    return Object.keys(known).find((kind) => known[kind]?.includes(id)) ?? "number";
  });
  const styles = element("x:styleSheet", {}, [
    element("x:numFmts", {}, [element("x:numFmt", { numFmtId: "60", formatCode: "0.0%" })]),
    element(
      "x:cellXfs",
      {},
      expected.map((_kind, id) => element("x:xf", { numFmtId: `${id}` })),
    ),
  ]);
  expect(cellFormats(styles).map(described)).toEqual(expected);
});

test.each([
  ["General", "number"],
  ['"d"0', "number"],
  [String.raw`0\d`, "number"],
  ["_d*d0", "number"],
  ["[Red]0", "number"],
  ["0;yyyy", "number"],
  ["mmm", "date"],
  ["[h]:mm", "time"],
  ["mm:ss", "time with seconds"],
  ["d h:mm", "date-time"],
  ["#%", "percent 0"],
  ["0.000%", "percent 3"],
])("the code %p is that of a %s", (code, kind) => {
  expect(described(formatOf(code))).toBe(kind);
});

test.each([
  ["7", "0", "7"],
  ["0.30000000000000004", "0", "0.3"],
  ["x", "0", "x"],
  [" ", "0%", " "],
  ["2", "0%", "200%"],
  ["0.075", "0.0%", "7.5%"],
  ["-1", "yyyy", "-1"],
  ["0.5", "yyyy", "0.5"],
  ["1", "yyyy", "1900-01-01"],
  ["59", "yyyy", "1900-02-28"],
  ["60", "yyyy", "1900-02-28"],
  ["61", "yyyy", "1900-03-01"],
  ["2958465", "yyyy", "9999-12-31"],
  ["2958466", "yyyy", "2958466"],
  ["45000.75", "yyyy h:mm", "2023-03-15 18:00"],
  ["0.75", "yyyy h:mm", "18:00"],
  ["0", "h:mm", "00:00"],
  ["0.75", "h:mm:ss", "18:00:00"],
  ["1", "h:mm", "24:00"],
  ["1.0451", "h:mm", "25:04"],
  ["1.0451", "h:mm:ss", "25:04:57"],
])("the number %p in the format %p is shown as %p", (value, code, shown) => {
  expect(shownNumber(value, formatOf(code), false)).toBe(shown);
});

test("days are counted from 1904 on if the file says so", () => {
  expect(["1", "59"].map((value) => shownNumber(value, formatOf("yyyy"), true))).toEqual(["1904-01-02", "1904-02-29"]);
});
