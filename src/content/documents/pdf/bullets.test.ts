import { expect, test } from "bun:test";
import { makePdf, pdfTexts } from "../../testing/pdf.ts";
import { pdfContent } from "../pdf.ts";
import { bulletRuns } from "./bullets.ts";
import { type Run } from "./shapes.ts";

async function markdownOfStream(stream: string): Promise<string> {
  const content = await pdfContent(new Uint8Array(makePdf([stream])));
  return typeof content === "string" ? content : content.markdown();
}

/** A filled circle of four curves around a place. */
function circle(x: number, y: number, radius: number): string {
  const [r, k] = [radius, radius * 0.5523];
  const curves = [
    [x + r, y + k, x + k, y + r, x, y + r],
    [x - k, y + r, x - r, y + k, x - r, y],
    [x - r, y - k, x - k, y - r, x, y - r],
    [x + k, y - r, x + r, y - k, x + r, y],
  ];
  return `${x + r} ${y} m ${curves.map((curve) => `${curve.join(" ")} c`).join(" ")} f`;
}

const ITEMS = pdfTexts([
  [72, 740, "Before you begin, have these at hand:"],
  [90, 720, "Tools"],
  [108, 707, "a screwdriver"],
  [108, 694, "a lamp"],
  [90, 681, "Two cables of the same length, with ferrules at"],
  [90, 668, "both of their ends"],
]);

test("drawn circles and squares before lines are the bullets of items", async () => {
  const squares = [707, 694].map((y) => `98 ${y + 1.5} 4 4 re f`);
  const drawn = [circle(81, 723, 2), ...squares, circle(81, 684, 2)];
  expect(await markdownOfStream([ITEMS, ...drawn].join("\n"))).toBe(
    "Before you begin, have these at hand:\n\n- Tools\n  - a screwdriver\n  - a lamp\n" +
      "- Two cables of the same length, with ferrules at both of their ends",
  );
});

test("drawn shapes that are large, far away or between words are not read as bullets", async () => {
  const line = pdfTexts([
    [90, 720, "Tools of the trade"],
    [190, 720, "of a smith"],
  ]);
  const drawn = [circle(80, 723, 3.9), circle(50, 723, 2), circle(185, 723, 2), circle(81, 732, 2)];
  for (const shape of drawn) expect(await markdownOfStream(`${line}\n${shape}`)).not.toContain("- Tools");
  expect(await markdownOfStream(`${line}\n${circle(81, 723, 2)}`)).toContain("- Tools");
});

test("a page that draws more than 1,000 dots has no bullets", async () => {
  const dots = Array.from({ length: 1_000 }, (_, at) => `${300 + (at % 50) * 5} ${100 + at / 5} 2 2 re f`);
  expect(await markdownOfStream([ITEMS, circle(81, 723, 2), ...dots.slice(1)].join("\n"))).toContain("- Tools");
  expect(await markdownOfStream([ITEMS, circle(81, 723, 2), ...dots].join("\n"))).not.toContain("- Tools");
});

test.each<
  [x: number, y: number, width: number, isBullet: boolean, left: readonly [x: number, width: number] | undefined]
>([
  [80, 96, 4, true, undefined],
  [80, 93, 4, false, undefined],
  [80, 93.1, 4, true, undefined],
  [80, 98.9, 4, true, undefined],
  [80, 99, 4, false, undefined],
  [80, 96, 6, true, undefined],
  [80, 96, 6.1, false, undefined],
  [84.5, 96, 4, true, undefined],
  [84.6, 96, 4, false, undefined],
  [61, 96, 4, true, undefined],
  [60.9, 96, 4, false, undefined],
  [80, 96, 4, true, [60, 10]],
  [80, 96, 4, false, [60, 11]],
  [80, 96, 4, false, [80, 2]],
])("a dot at %d, %d of width %d before a text at 90, 100: %p", (x, y, width, ...[isBullet, left]) => {
  const text = { text: "a", x: 90, y: 100, width: 20, size: 10, isBold: true, isMono: true, href: "h" } as Run;
  const others = left === undefined ? [] : [{ ...text, x: left[0], width: left[1] }];
  const plain = { ...text, text: "\u2022", isBold: false, isMono: false, href: "" };
  const found = bulletRuns([{ x, y, width }], [{ ...text, x: 130 }, text, ...others]);
  expect(found).toEqual(isBullet ? [{ ...plain, x, width }] : []);
});
