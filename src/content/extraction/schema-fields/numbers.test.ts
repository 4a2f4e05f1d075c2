import { describe, expect, test } from "bun:test";
import { isPerUnit, moneyIn, numberIn, numbersIn, plainNumber, rangeIn } from "./numbers.ts";
import { measureIn, unitNamed } from "./units.ts";

test.each<[string, string, (number | undefined)[]]>([
  ["5 or 6", "en", [5, 6]],
  ["1.234", "de", [1234]],
  ["1.234", "en", [1.234]],
  ["1.234", "", [undefined]],
  ["1,234", "en", [1234]],
  ["1,234", "de", [1.234]],
  ["1,234", "", [undefined]],
  ["0.234", "de", [0.234]],
  ["1234.567", "de", [1234.567]],
  ["-5", "en", [-5]],
  ["+5", "en", [5]],
  ["−5", "en", [-5]],
  ["5%", "en", [5]],
  ["1 234,5", "fr", [1234.5]],
  ["1’234’567", "de-CH", [1234567]],
  ["1.5.2020", "de", [undefined]],
  ["1,23.4", "en", [undefined]],
  ["12:30", "en", [12, 30]],
  ["½", "en", []],
  ["1,234,567", "en", [1234567]],
  ["1.234.567", "", [1234567]],
  ["1,23,456", "en", [123456]],
  ["1,23,456.75", "en", [123456.75]],
  ["0.5", "en", [0.5]],
  [".5", "en", [0.5]],
  ["a .125 b", "en", [0.125]],
  ["-.5", "en", [-0.5]],
  ["No.5", "en", [5]],
  ["5.", "en", [5]],
  ["٣٫٥", "ar", [3.5]],
  ["12 345", "en", [12345]],
  ["12 34", "en", [undefined]],
  ["5k", "en", [5000]],
  ["1.2M", "en", [1_200_000]],
  ["1,2M", "de", [1_200_000]],
  ["2.3B views", "en", [2_300_000_000]],
  ["5 bn", "en", [5_000_000_000]],
  ["3 million", "en", [3_000_000]],
  ["3 billion", "en", [3_000_000_000]],
  ["3 billion", "de", [3_000_000_000_000]],
  ["3 billion", "sv", [undefined]],
  ["2 trillion", "en", [2_000_000_000_000]],
  ["5 Tsd.", "de", [5000]],
  ["1,5 Mio.", "de", [1_500_000]],
  ["1,5 Mrd", "de", [1_500_000_000]],
  ["1.500 Mio.", "de", [1_500_000_000]],
  ["2 milliards", "fr", [2_000_000_000]],
  ["5 mil", "es", [5000]],
  ["5 mil", "en", [5]],
  ["3 mil millones", "es", [3_000_000_000]],
  ["1,5 millones", "es", [1_500_000]],
  ["2 mila", "it", [2000]],
  ["3 mln", "it", [3_000_000]],
  ["5 duizend", "nl", [5000]],
  ["2 mld", "nl", [2_000_000_000]],
  ["5 tys.", "pl", [5000]],
  ["3 mi", "pt", [3_000_000]],
  ["4 bi", "pt", [4_000_000_000]],
  ["3万", "ja", [30_000]],
  ["1.2億", "ja", [120_000_000]],
  ["5 THOUSAND", "en", [5000]],
  ["0.07k", "en", [70]],
  ["5 k", "en", [5]],
  ["5m", "en", [5]],
  ["5kg", "en", [5]],
  ["5 Millionaires", "en", [5]],
  ["4k2", "en", [4, 2]],
  [`${"x".repeat(59)}5`, "en", [5]],
  [`${"x".repeat(60)}5`, "en", []],
])("the numbers in %j in %p are %j", (text, locale, numbers) => {
  expect(numbersIn(text, locale)).toEqual(numbers);
  expect(numberIn(text, locale)).toBe(numbers.length === 1 ? (numbers[0] as number) : (undefined as never));
});

test.each<[string, string, (readonly [number, string | undefined])[]]>([
  ["$5", "en", [[5, "USD"]]],
  ["$5", "en-CA", [[5, "CAD"]]],
  ["$5", "de", [[5, undefined]]],
  ["5 €", "de", [[5, "EUR"]]],
  ["5,- €", "de", [[5, "EUR"]]],
  ["1.234,56 €", "de", [[1234.56, "EUR"]]],
  ["$1,234.56", "en", [[1234.56, "USD"]]],
  ["EUR 5", "en", [[5, "EUR"]]],
  ["5 RMB", "en", [[5, "CNY"]]],
  ["US$5", "de", [[5, "USD"]]],
  ["5", "en", []],
  ["€", "en", []],
  [
    "$5 $6",
    "en",
    [
      [5, "USD"],
      [6, "USD"],
    ],
  ],
  ["R$ 5", "pt", [[5, "BRL"]]],
  ["5 kr", "sv", [[5, "SEK"]]],
  ["5 krone", "sv", []],
  ["¥5", "ja", [[5, "JPY"]]],
  ["¥5", "zh", [[5, "CNY"]]],
  ["€1.234", "en", [[1234, "EUR"]]],
  ["1'234.50 CHF", "de-CH", [[1234.5, "CHF"]]],
  ["£5k", "en", [[5000, "GBP"]]],
  ["£5m", "en", [[5_000_000, "GBP"]]],
  ["£5m²", "en", [[5, "GBP"]]],
  ["£5 M", "en", [[5, "GBP"]]],
  ["€3 bn", "en", [[3_000_000_000, "EUR"]]],
  ["$1.234M", "en", [[1_234_000, "USD"]]],
  ["$1.2 billion", "en", [[1_200_000_000, "USD"]]],
  ["USD 5 million", "en", [[5_000_000, "USD"]]],
  ["5 Tsd. €", "de", [[5000, "EUR"]]],
  ["1,2 Mio. EUR", "de", [[1_200_000, "EUR"]]],
  ["1,2 M€", "fr", [[1_200_000, "EUR"]]],
  ["45 k€", "fr", [[45_000, "EUR"]]],
  ["5 tys. zł", "pl", [[5000, "PLN"]]],
  ["R$ 3 mi", "pt", [[3_000_000, "BRL"]]],
  ["5 mil €", "es", [[5000, "EUR"]]],
  ["5万円", "ja", [[50_000, "JPY"]]],
  ["1.2 亿元", "zh", [[120_000_000, "CNY"]]],
  [
    "£5k–£9k",
    "en",
    [
      [5000, "GBP"],
      [9000, "GBP"],
    ],
  ],
  [`${"x".repeat(238)}$5`, "en", [[5, "USD"]]],
  [`${"x".repeat(240)}$5`, "en", []],
])("the amounts in %j in %p are %j", (text, locale, amounts) => {
  expect(moneyIn(text, locale).map(({ amount, currency }) => [amount, currency])).toEqual(
    amounts.map((one) => [...one]),
  );
});

test.each<[string, boolean, [number, number] | undefined]>([
  ["5 – 9", false, [5, 9]],
  ["$5 – $9", true, [5, 9]],
  ["5 to 9", false, [5, 9]],
  ["9 – 5", false, undefined],
  ["5 – 5", false, undefined],
  ["5–9 and 3", false, undefined],
  ["from 5 to 9 days", false, [5, 9]],
  ["€1.234 – €2.345", true, [1234, 2345]],
  ["£50k – £60k", true, [50_000, 60_000]],
  ["£50–60k", true, [50_000, 60_000]],
  ["800k – 1.2M", false, [800_000, 1_200_000]],
  ["5", false, undefined],
  [`5 – 9${" ".repeat(235)}`, false, [5, 9]],
  [`5 – 9${" ".repeat(236)}`, false, undefined],
])("the range in %j, of money: %p, is %j", (text, isMoney, range) => {
  expect(rangeIn(text, "en", isMoney)).toEqual(range as [number, number]);
});

test.each([
  ["$5/kg", true],
  ["$5 per kg", true],
  ["5 €/Stück", true],
  ["$5 / 100 g", true],
  ["$5", false],
  ["$5 / month", false],
  ["$5 per kgs", false],
])("%j is for a unit: %p", (text, isSo) => {
  expect(isPerUnit(text)).toBe(isSo);
});

test.each<[string, number | undefined]>([
  [" 1234.5 ", 1234.5],
  ["-3", -3],
  ["1,5", undefined],
  ["1.", undefined],
  ["", undefined],
])("a program's number %j is %j", (text, value) => {
  expect(plainNumber(text)).toBe(value as number);
});

const measured = (text: string, locale = "en") => {
  const unit = unitNamed("cm");
  return unit && measureIn(text, unit, locale);
};

describe("a measure in centimetres", () => {
  test.each<[string, number | undefined]>([
    ["5 cm", 5],
    ["5cm", 5],
    [".5 m", 50],
    ["5 mm", 0.5],
    ["0.1 mm", 0.01],
    ["5 cm (2 in)", 5],
    ["5 cm (50 mm)", 5],
    ["5 cm or 6 cm", undefined],
    ["5 mm or 6 mm", undefined],
    ["5", 5],
    ["about 5 for each", 5],
    ["about five or 5 for each", undefined],
    ["5 or 6", undefined],
    ["5 kg", undefined],
    ["5 and 3 kg", undefined],
    ["€5", undefined],
    ["P5", undefined],
    [`5 cm${" ".repeat(116)}`, 5],
    [`5 cm${" ".repeat(117)}`, undefined],
  ])("of %j is %p", (text, value) => {
    expect(measured(text)).toBe(value as number);
  });
});

test.each<[string, string | undefined]>([
  ["KG", "mass"],
  ["m²", "area"],
  ["min.", "time"],
  ["square feet", "acre"],
  ["furlong", undefined],
])("the unit %p is of %p", (name, dimension) => {
  expect(unitNamed(name)?.dimension).toBe(dimension as string);
});
