import { expect, test } from "bun:test";
import { makePdf } from "../../testing/pdf.ts";
import { pdfContent } from "../pdf.ts";

const PICTURE =
  "<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray /Length 4 >>\nstream\nabcd\nendstream";
const GROUPS = "/OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [6 0 R] /Order [6 0 R 7 0 R] >> >>";

const WORDS = "BT /F1 12 Tf 72 600 Td (Other words) Tj ET";

const form = (box: string, stream = WORDS): string =>
  `<< /Type /XObject /Subtype /Form /BBox ${box} /Length ${stream.length} >>\nstream\n${stream}\nendstream`;

/** The text of a page with this content stream, after a line that is seen. */
async function textOf(stream: string, page = ""): Promise<string> {
  const pdf = makePdf([`BT /F1 12 Tf 72 700 Td (The toll is paid at the gate.) Tj ET ${stream}`], {
    page,
    catalog: GROUPS,
    objects: [
      "<< /Type /OCG /Name (Off) >>",
      "<< /Type /OCG /Name (On) >>",
      PICTURE,
      form("[0 0 50 50]"),
      form("[0 0 500 650]"),
      form(
        "[0 0 500 650] /Group << /S /Transparency >> /Resources << /ExtGState << /Full << /ca 1 >> >> >>",
        `/Full gs ${WORDS}`,
      ),
    ],
    fonts:
      ">> /Properties << /Off 6 0 R /On 7 0 R >> /ExtGState << /Clear << /ca 0 >> /Half << /ca 0.5 >> /Multiply << /BM /Multiply >> >> /XObject << /Im 8 0 R /Fm 9 0 R /Wide 10 0 R /Group 11 0 R ",
  });
  const content = await pdfContent(new Uint8Array(pdf));
  if (typeof content === "string") throw new Error(`The PDF is ${content}`);
  return content.text();
}

test.each([
  ["in an invisible rendering mode", `3 Tr ${WORDS}`],
  ["that only clips", `7 Tr ${WORDS}`],
  ["in an invisible mode over a rectangle", `q 0.9 g 60 590 300 30 re f Q 3 Tr ${WORDS}`],
  ["in an invisible mode beside a picture", `q 100 0 0 100 300 300 cm /Im Do Q 3 Tr ${WORDS}`],
  ["that is white", `1 g ${WORDS}`],
  ["that is almost white", `0.97 0.96 0.98 rg ${WORDS}`],
  ["that is white in another color space", `0 0 0 0 k ${WORDS}`],
  ["that is white beside a dark area", `q 0 g 60 500 300 30 re f Q 1 g ${WORDS}`],
  ["that is white over a light area in a dark one", `0 g 0 0 612 650 re f 1 g 60 590 300 30 re f ${WORDS}`],
  ["in the colour of its area", `0 0 0.5 rg 60 590 300 30 re f 0 0 0.5 rg ${WORDS}`],
  ["below a white area", `${WORDS} 1 g 60 590 300 30 re f`],
  ["below a black bar", `${WORDS} 0 g 60 590 300 30 re f`],
  ["in a transparent group", "/Clear gs /Group Do"],
  ["that is transparent", `/Clear gs ${WORDS}`],
  ["outside of the clipping path", `q 0 0 50 50 re W n ${WORDS} Q`],
  ["outside of the box of a form", "/Fm Do"],
  ["in a layer that is off", `/OC /Off BDC ${WORDS} EMC`],
  ["in a layer in one that is off", `/OC /Off BDC /OC /On BDC ${WORDS} EMC EMC`],
  ["below the page", "BT /F1 12 Tf 72 -30 Td (Other words) Tj ET"],
  ["above the page", "BT /F1 12 Tf 72 800 Td (Other words) Tj ET"],
  ["on the left of the page", "BT /F1 12 Tf -200 600 Td (Other words) Tj ET"],
  ["on the right of the page", "BT /F1 12 Tf 620 600 Td (Other words) Tj ET"],
  ["in letters of one point", "BT /F1 1 Tf 72 600 Td (Other words) Tj ET"],
  ["that is scaled to one point", "q 0.1 0 0 0.1 0 0 cm BT /F1 10 Tf 720 6000 Td (Other words) Tj ET Q"],
  ["in several pieces", "3 Tr BT /F1 12 Tf 72 600 Td [(Oth) 20 (er)] TJ ( words) Tj ET"],
  ["on the next line", "3 Tr BT /F1 12 Tf 14 TL 72 614 Td (Other) Tj (words) ' 0 0 (Other) \" ET"],
  ["after a distance", "3 Tr BT /F1 12 Tf 72 614 TD 0 -14 TD (Other) Tj T* (words) Tj ET"],
  ["in a rotated line", "3 Tr BT /F1 12 Tf 0 1 -1 0 72 300 Tm (Other words) Tj ET"],
])("leaves out text %s", async (_what, stream) => {
  expect(await textOf(stream)).toBe("The toll is paid at the gate.");
});

test("leaves out text outside of the crop box", async () => {
  expect(await textOf(WORDS, "/CropBox [0 650 612 792]")).toBe("The toll is paid at the gate.");
});

test.each([
  ["after a mode that ended", `q 3 Tr Q ${WORDS}`],
  ["that is invisible over a picture", `q 500 0 0 500 50 200 cm /Im Do Q 3 Tr ${WORDS}`],
  ["that is invisible below a picture", `3 Tr ${WORDS} q 500 0 0 500 50 200 cm /Im Do Q`],
  ["that is invisible over drawn letters", `70 598 m 75 620 80 620 90 598 c 120 620 140 598 150 598 c f 3 Tr ${WORDS}`],
  ["that is white with an outline", `1 g 2 Tr ${WORDS}`],
  ["that is white on a dark area", `0 0 0.5 rg 60 590 300 30 re f 1 g ${WORDS}`],
  ["that is white on a picture", `q 500 0 0 500 50 200 cm /Im Do Q 1 g ${WORDS}`],
  ["that is gray", `0.6 g ${WORDS}`],
  ["that has a white shadow", `1 g ${WORDS} 0 g ${WORDS}`],
  ["that is half transparent", `/Half gs ${WORDS}`],
  ["in the clipping path", `q 0 0 500 650 re W n ${WORDS} Q`],
  ["of which a part is in the clipping path", `q 0 590 80 30 re W n ${WORDS} Q`],
  ["in the box of a form", "/Wide Do"],
  ["after the clipping path ended", `q 0 0 50 50 re W n Q ${WORDS}`],
  ["in a layer that is on", `/OC /On BDC ${WORDS} EMC`],
  ["below an area in a layer that is off", `${WORDS} /OC /Off BDC 60 590 300 30 re f EMC`],
  ["below an area that mixes its colour", `${WORDS} /Multiply gs 1 1 0 rg 60 590 300 30 re f`],
  ["below an area that is half transparent", `${WORDS} /Half gs 60 590 300 30 re f`],
  ["below an area outside of the clipping path", `${WORDS} 0 0 50 50 re W n 60 590 300 30 re f`],
  [
    "below an area in a clipping path of another shape",
    `${WORDS} 60 590 m 300 590 l 300 400 l 70 400 l h W n 60 590 300 30 re f`,
  ],
  ["below another shape", `${WORDS} 60 590 m 300 590 l 300 620 l 290 630 l 60 620 l h f`],
  ["that is black on an area of the same colour that is half transparent", `q /Half gs 60 590 300 30 re f Q ${WORDS}`],
  ["that is black in a black frame", `60 590 300 30 re 62 592 296 26 re f* ${WORDS}`],
  ["in a group that is seen", "/Group Do"],
  ["after a layer that is off", `/OC /Off BDC EMC ${WORDS}`],
  ["in a mark that is no layer", `/Span << /Lang (en) >> BDC ${WORDS} EMC`],
  ["at the edge of the page", "BT /F1 12 Tf 72 1 Td (Other words) Tj ET"],
])("reads text %s", async (_what, stream) => {
  expect(await textOf(stream)).toContain("Other words");
});

test("reads the visible part of a line", async () => {
  const line = "BT /F1 12 Tf 72 600 Td (Seen words ) Tj 3 Tr (and others) Tj 0 Tr ( at the end) Tj ET";
  expect(await textOf(line)).toMatch(/gate\.\s+Seen words at the end$/);
});

test("reads white text behind 10,000 white texts on a page with 2,000 areas, which would take too long to compare", async () => {
  const areas = Array.from({ length: 2_000 }, (_, at) => `${at % 50} 0 1 1 re f`).join(" ");
  const many = "(x) Tj 0 0 Td ".repeat(10_000);
  const text = await textOf(`0 g ${areas} 1 g BT /F1 12 Tf 72 600 Td ${many} 0 -40 Td (Other words) Tj ET`);
  expect(text).toBe("The toll is paid at the gate.\n\nOther words");
});
