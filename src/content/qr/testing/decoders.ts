import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import jsQR from "jsqr";
import { isInstalled } from "../../../lib/testing/installed.ts";

export interface Picture {
  readonly width: number;
  readonly rgba: Uint8ClampedArray;
}

/** Reads a PNG with one bit for each pixel, as qrPicture writes it. */
export function readPng(png: Uint8Array): Picture {
  const bytes = Buffer.from(png);
  const width = bytes.readUInt32BE(16);
  if (bytes.toString("latin1", 1, 4) !== "PNG" || bytes.readUInt32BE(20) !== width) {
    throw new Error("Cannot read the picture: it is not a square PNG");
  }
  const dataLength = bytes.readUInt32BE(33);
  const rows = inflateSync(bytes.subarray(41, 41 + dataLength));
  const rowBytes = Math.ceil(width / 8) + 1;
  const rgba = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < width; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const white = ((rows[y * rowBytes + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      rgba.fill(white * 255, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return { width, rgba };
}

/** Pixels of white added around the picture: decoders need a quiet zone, which a picture with margin 0 lacks. */
const FRAME = 16;

/** The text that jsQR reads. */
export function readByJsQr({ width, rgba }: Picture): string | undefined {
  const framedWidth = width + 2 * FRAME;
  const framed = new Uint8ClampedArray(framedWidth * framedWidth * 4).fill(255);
  for (let y = 0; y < width; y += 1) {
    framed.set(rgba.subarray(y * width * 4, (y + 1) * width * 4), ((y + FRAME) * framedWidth + FRAME) * 4);
  }
  return jsQR(framed, framedWidth, framedWidth)?.data;
}

export const hasZbar = isInstalled("zbarimg");

/**
 * The texts that zbarimg (Debian: zbar-tools) reads in several PNGs, in their order. The texts must not contain line
 * ends.
 */
export function readByZbar(pngs: readonly Uint8Array[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-qr-"));
  try {
    const files = Array.from(pngs.keys(), (at) => join(folder, `${at}.png`));
    for (const [at, file] of files.entries()) writeFileSync(file, pngs[at] ?? "");
    const options = ["-q", "--raw", "-Sdisable", "-Sqrcode.enable", "-Sbinary=0"];
    return spawnSync("zbarimg", [...options, ...files], { encoding: "utf8" })
      .stdout.split("\n")
      .slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
