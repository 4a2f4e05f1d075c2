import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { makePdf, pdfLines } from "../../testing/pdf.ts";

/** The pages of a PDF document as pictures, by `pdftoppm`: PNG, or gray bytes after their header (PGM). */
export function drawn(pdf: Uint8Array, dpi: number, kind: "png" | "pgm"): Uint8Array<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-scan-"));
  try {
    const path = join(folder, "page.pdf");
    writeFileSync(path, pdf);
    const form = kind === "png" ? ["-png"] : [];
    const { exitCode } = Bun.spawnSync([
      "pdftoppm",
      "-gray",
      "-r",
      `${dpi}`,
      "-singlefile",
      ...form,
      path,
      join(folder, "out"),
    ]);
    if (exitCode !== 0) throw new Error("Cannot draw a page: pdftoppm failed");
    return new Uint8Array(readFileSync(join(folder, `out.${kind}`)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A page with lines of text. */
export function printed(lines: readonly string[]): Buffer {
  return makePdf([pdfLines(lines.map((line, at) => [line, at === 0 ? 20 : 24]))]);
}

/** A PDF document whose pages are pictures of printed pages. */
export function scanned(pages: readonly (readonly string[])[], dpi = 200): Buffer {
  const streams = pages.map((lines) => {
    const picture = Buffer.from(drawn(printed(lines), dpi, "pgm"));
    const [header = "", width = "", height = ""] =
      /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(picture.toString("latin1", 0, 50)) ?? [];
    const data = deflateSync(picture.subarray(header.length)).toString("hex");
    return `q 612 0 0 792 0 0 cm BI /W ${width} /H ${height} /CS /G /BPC 8 /F [/AHx /Fl] ID\n${data}>\nEI Q`;
  });
  return makePdf(streams);
}
