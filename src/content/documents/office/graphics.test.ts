import { expect, test } from "bun:test";
import { chartPart, points } from "../testing/chart-part.ts";
import { makeDocx, relationships } from "../testing/make-zip.ts";
import { failureOf, readBytes } from "../testing/read-bytes.ts";

const CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart";

/** A document with a paragraph that shows the chart, and what follows it. */
function withChart(chart: string, after = ""): Uint8Array {
  const drawing = `<w:p><w:r><w:t>before</w:t><w:drawing><wp:inline><a:graphic><a:graphicData><c:chart xmlns:c="${CHART}" r:id="c1"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  return makeDocx(`${drawing}${after}`, {
    "word/_rels/document.xml.rels": relationships({ c1: ["chart", "charts/chart1.xml"] }),
    "word/charts/chart1.xml": chart,
  });
}

test("a chart is a table of the values that the file keeps, after its paragraph", async () => {
  const chart = chartPart("Tolls", [
    { name: "Cars", labels: ["East", "West"], values: [1.5, 2] },
    { name: "Share", labels: ["East", "West"], values: [0.25, 0.5], format: "0%" },
  ]);
  expect((await readBytes(withChart(chart, "<w:p><w:r><w:t>after</w:t></w:r></w:p>"))).markdown()).toBe(
    "before\n\nTolls\n\n|  | Cars | Share |\n| --- | --- | --- |\n| East | 1.5 | 25% |\n| West | 2 | 50% |\n\nafter",
  );
});

test("series with labels of their own have rows of their own, and outer labels come first", async () => {
  const apart = chartPart("", [
    { name: "a", labels: ["1", "2"], values: [5, 6] },
    { name: "b", labels: ["1", "3"], values: [7, 8] },
  ]);
  expect((await readBytes(withChart(apart))).markdown()).toBe(
    "before\n\n|  | a | b |\n| --- | --- | --- |\n| 1 | 5 | 7 |\n| 2 | 6 |  |\n| 3 |  | 8 |",
  );
  const one = `<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(["Q1", "Q2"])}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>`;
  const plain = chartPart("", [{ name: "a", labels: [], values: [5, 6] }], one);
  expect((await readBytes(withChart(plain))).markdown()).toContain("| Q1 | 5 |\n| Q2 | 6 |");
  const levels = `<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(["Q1", "Q2"])}</c:lvl><c:lvl>${points(["2026"])}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>`;
  const nested = chartPart("", [{ name: "a", labels: [], values: [5, 6] }], levels);
  expect((await readBytes(withChart(nested))).markdown()).toContain("| 2026 Q1 | 5 |\n| 2026 Q2 | 6 |");
});

test("a chart with too many points is refused, and one shown again and again is cut", async () => {
  const values = Array.from({ length: 200_000 }, (_none, at) => at);
  expect(await failureOf(withChart(chartPart("", [{ name: "a", labels: [], values }])))).toBe(
    "it has a part that is too large",
  );
  const labels = Array.from({ length: 1_000 }, (_none, at) => `${at} ${"x".repeat(1_000)}`);
  const again = `<w:p><w:r><w:drawing><c:chart xmlns:c="${CHART}" r:id="c1"/></w:drawing></w:r></w:p>`.repeat(100);
  const chart = chartPart("", [{ name: "a", labels, values: labels.map((_label, at) => at) }]);
  const { isPartial, text } = await readBytes(withChart(chart, again));
  expect(isPartial).toBe(true);
  expect(text().length).toBeLessThan(7_000_000);
});
