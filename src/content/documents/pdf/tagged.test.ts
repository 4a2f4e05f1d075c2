import { expect, test } from "bun:test";
import { makePdf, pdfColumn, type PdfText, pdfTexts } from "../../testing/pdf.ts";
import { pdfContent } from "../pdf.ts";

const LABELS = ["Name:", "Boat:", "Port:", "Flag:", "Crew:", "Date:"];
const VALUES = ["Jane Doe", "Sea Otter", "Cardiff", "Wales", "Seven", "May"];

/** A tagged page of labels with fields beside them. `order` has the labels as numbers, and the fields as negative ones. */
async function formOf(order: readonly number[]): Promise<string> {
  const rows = LABELS.map((label, at) => ({ label, value: VALUES[at] ?? "", y: 700 - at * 30 }));
  const text = rows.map(({ label, y }, at) => `/P << /MCID ${at} >> BDC\n${pdfTexts([[72, y, label]])}\nEMC`);
  // Object 6 is the root of the tree, 7 its document, 8 its table of parents. Then come the labels, fields and their elements.
  const [labels, fields, elements] = [9, 9 + rows.length, 9 + rows.length * 2];
  const kids = order.map((one) => `${one >= 0 ? labels + one : elements - one - 1} 0 R`);
  const objects = [
    "<< /Type /StructTreeRoot /K 7 0 R /ParentTree 8 0 R >>",
    `<< /S /Document /P 6 0 R /K [${kids.join(" ")}] >>`,
    `<< /Nums [0 [${rows.map((_row, at) => `${labels + at} 0 R`).join(" ")}] ${rows.map((_row, at) => `${at + 1} ${elements + at} 0 R`).join(" ")}] >>`,
    ...rows.map((_row, at) => `<< /S /P /P 7 0 R /Pg 4 0 R /K ${at} >>`),
    ...rows.map(
      ({ value, y }, at) =>
        `<< /Type /Annot /Subtype /Widget /FT /Tx /T (f${at}) /V (${value}) /StructParent ${at + 1} ` +
        `/Rect [180 ${y - 4} 330 ${y + 12}] >>`,
    ),
    ...rows.map((_row, at) => `<< /S /Form /P 7 0 R /Pg 4 0 R /K << /Type /OBJR /Obj ${fields + at} 0 R >> >>`),
  ];
  const pdf = makePdf([text.join("\n")], {
    objects,
    fields: rows.map((_row, at) => `${fields + at} 0 R`),
    catalog: "/AcroForm << /Fields [] >> /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R",
    page: "/StructParents 0",
  });
  const content = await pdfContent(new Uint8Array(pdf));
  return typeof content === "string" ? content : content.markdown();
}

test("the values of form fields stand beside their labels, in whatever order the structure tree has them", async () => {
  const wanted = LABELS.map((label, at) => `${label} ${VALUES[at]}`);
  expect((await formOf([0, 1, 2, 3, 4, 5, -1, -2, -3, -4, -5, -6])).split("\n\n")).toEqual(wanted);
  expect((await formOf([-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5])).split("\n\n")).toEqual(wanted);
});

test("the structure tree is followed if it has fields beside their labels", async () => {
  const order = LABELS.flatMap((_label, at) => [at, -at - 1]);
  expect((await formOf(order)).split("\n\n")).toEqual(LABELS.flatMap((label, at) => [label, VALUES[at] ?? ""]));
});

/** The Markdown of a tagged page. Each element has a role and its texts. */
async function taggedOf(elements: readonly (readonly [role: string, texts: readonly PdfText[]])[]): Promise<string> {
  const text = elements.map(([, texts], at) => `/Span << /MCID ${at} >> BDC\n${pdfTexts(texts)}\nEMC`);
  const numbers = elements.map((_element, at) => `${9 + at} 0 R`).join(" ");
  const objects = [
    "<< /Type /StructTreeRoot /K 7 0 R /ParentTree 8 0 R >>",
    `<< /S /Document /P 6 0 R /K [${numbers}] >>`,
    `<< /Nums [0 [${numbers}]] >>`,
    ...elements.map(([role], at) => `<< /S /${role} /P 7 0 R /Pg 4 0 R /K ${at} >>`),
  ];
  const catalog = "/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R";
  const content = await pdfContent(
    new Uint8Array(makePdf([text.join("\n")], { objects, catalog, page: "/StructParents 0" })),
  );
  return typeof content === "string" ? content : content.markdown();
}

test("aligned texts without tags of a table are one", async () => {
  const cells = ["Subtotal", "2,470.90", "VAT 20%", "382.18", "Total", "2,853.08"];
  const elements = cells.map((cell, at): [string, PdfText[]] => [
    "NonStruct",
    [[at % 2 === 0 ? 72 : 300, 700 - Math.floor(at / 2) * 14, cell]],
  ]);
  expect(await taggedOf([["H1", [[72, 740, "Invoice", 18]]], ...elements])).toBe(
    "# Invoice\n\n| Subtotal | 2,470.90 |\n| --- | --- |\n| VAT 20% | 382.18 |\n| Total | 2,853.08 |",
  );
});

test("a paragraph in larger letters is not a heading if the tags name headings", async () => {
  const elements: [string, PdfText[]][] = [
    ["H1", [[72, 740, "Stations", 18]]],
    ["P", [[72, 715, "Mondays to Fridays", 12]]],
    ["P", [[72, 700, "Trains go at the hours that the board names, and on feast days later", 9]]],
  ];
  expect(await taggedOf(elements)).toContain("\n\nMondays to Fridays\n\n");
  const untagged = elements.map(([, texts]): [string, PdfText[]] => ["P", texts]);
  expect(await taggedOf(untagged)).toContain("## Mondays to Fridays");
});

test("the lines of an address in one paragraph are kept, and those of a sentence are joined", async () => {
  const address = ["Bill to:", "Marlow Hydraulics GmbH", "Industriestrasse 41", "70565 Stuttgart"];
  const sentence = ["The goods stay ours until", "all of them are paid, and", "are sent after that day."];
  const page = await taggedOf([
    ["P", pdfColumn(72, 740, address)],
    ["P", pdfColumn(72, 680, sentence)],
    ["P", [[72, 600, "Payment is due within thirty days after the date that this invoice names at its head."]]],
  ]);
  expect(page).toStartWith(`${address.join("  \n")}\n\n${sentence.join(" ")}\n\n`);
});
