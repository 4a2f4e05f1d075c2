import { deflateSync } from "node:zlib";
import { correction, generate, mode } from "lean-qr";
import { PNG_SIGNATURE, pngChunk } from "../../lib/text/png.ts";

/** The reason why a QR code cannot be made: the data fits no version, or the picture is smaller than its modules. */
export type QrFailure = { readonly tooLong: true } | { readonly smallest: number };

/**
 * A black-and-white PNG of exactly `size` pixels on a side. Each module is a whole number of pixels, as many as fit,
 * and the remaining pixels are spread around the code. `margin` is in modules.
 */
export function qrPicture(data: string, size: number, margin: number): Uint8Array<ArrayBuffer> | QrFailure {
  // Level M corrects 15 % of damage. Level L corrects 7 %, but holds more data, or the same data in fewer modules.
  const strong = modulesOf(data, "M");
  const fits = strong !== undefined && strong.length + 2 * margin <= size;
  const modules = fits ? strong : modulesOf(data, "L");
  if (modules === undefined) return { tooLong: true };
  const smallest = modules.length + 2 * margin;
  if (size < smallest) return { smallest };
  const scale = Math.floor(size / smallest);
  const start = Math.floor((size - modules.length * scale) / 2);
  return png(modules, size, scale, start);
}

/** The code's modules, with true for dark ones; undefined if the data is too long for the level. */
function modulesOf(data: string, level: "L" | "M"): readonly (readonly boolean[])[] | undefined {
  const ecc = correction[level];
  try {
    const code = generate(segmentsOf(data), { minCorrectionLevel: ecc, maxCorrectionLevel: ecc });
    const places = Array.from({ length: code.size }, (_, at) => at);
    return places.map((y) => places.map((x) => code.get(x, y)));
  } catch {
    return undefined;
  }
}

/** The Extended Channel Interpretation for UTF-8 (AIM ITS/04-023). */
const UTF_8 = 26;

/**
 * By the standard, bytes without a declared encoding are ISO 8859-1. Decoders guess the encoding, and misread short
 * texts.
 */
function segmentsOf(data: string): Parameters<typeof generate>[0] {
  if (/^\d+$/.test(data)) return mode.numeric(data);
  if (/^[0-9A-Z $%*+\-./:]+$/.test(data)) return mode.alphaNumeric(data);
  const bytes = mode.bytes(new TextEncoder().encode(data));
  // oxlint-disable-next-line eslint/no-control-regex -- the range of ASCII
  return /^[\x00-\x7f]+$/.test(data) ? bytes : mode.multi(mode.eci(UTF_8), bytes);
}

function png(
  modules: readonly (readonly boolean[])[],
  size: number,
  scale: number,
  start: number,
): Uint8Array<ArrayBuffer> {
  const rowBytes = Math.ceil(size / 8) + 1;
  // One bit for each pixel, 1 is white. Each row begins with its filter type, 0.
  const pixels = Buffer.alloc(rowBytes * size, 0xff);
  for (let y = 0; y < size; y += 1) pixels[y * rowBytes] = 0;
  for (const [row, line] of modules.entries()) {
    const top = (start + row * scale) * rowBytes;
    drawRow(pixels, top, line, { scale, start });
    for (let copy = 1; copy < scale; copy += 1) pixels.copyWithin(top + copy * rowBytes, top, top + rowBytes);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Bit depth 1, greyscale, deflate, no interlace.
  header.set([1, 0, 0, 0, 0], 8);
  const data = pngChunk("IDAT", deflateSync(pixels));
  return Uint8Array.from(
    Buffer.concat([PNG_SIGNATURE, pngChunk("IHDR", header), data, pngChunk("IEND", Buffer.alloc(0))]),
  );
}

function drawRow(
  pixels: Buffer,
  rowStart: number,
  line: readonly boolean[],
  { scale, start }: { readonly scale: number; readonly start: number },
): void {
  for (const [column, dark] of line.entries()) {
    if (!dark) continue;
    const from = start + column * scale;
    for (let x = from; x < from + scale; x += 1) {
      const at = rowStart + 1 + (x >> 3);
      pixels[at] = (pixels[at] ?? 0) & ~(0x80 >> (x & 7));
    }
  }
}
