/** The width and height of a picture in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Entries of the first directory of a TIFF file that are examined. @bound */
const MAX_TAGS = 100;

/**
 * The size that the header of a PNG, JPEG, GIF, BMP, WebP or TIFF picture states, without decoding it. Undefined for
 * other bytes.
 */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (file.length < 30) return undefined;
  const head = file.toString("latin1", 0, 16);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
  if (/^GIF8[79]a/.test(head)) return { width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
  if (head.startsWith("BM")) return { width: file.readUInt32LE(18), height: Math.abs(file.readInt32LE(22)) };
  if (head.startsWith("\xff\xd8\xff")) return jpegSize(file);
  if (/^RIFF[^]{4}WEBP/.test(head)) return webpSize(file);
  return /^(?:II\*\0|MM\0\*)/.test(head) ? tiffSize(file, head.startsWith("II")) : undefined;
}

/** The size in the header of the frame (ITU-T T.81 §B.2.2). */
function jpegSize(file: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 < file.length; ) {
    const marker = file[at + 1] ?? 0;
    if (file[at] !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + file.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(file: Buffer): PictureSize | undefined {
  const kind = file.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: 1 + file.readUIntLE(24, 3), height: 1 + file.readUIntLE(27, 3) };
  if (kind === "VP8 ") return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = file.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** The tags ImageWidth and ImageLength of the first directory (TIFF 6.0 §8). */
function tiffSize(file: Buffer, isLittle: boolean): PictureSize | undefined {
  const short = (at: number): number => (isLittle ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const long = (at: number): number => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  const start = long(4);
  if (start + 2 > file.length) return undefined;
  const found = new Map<number, number>();
  for (let tag = 0; tag < Math.min(short(start), MAX_TAGS); tag += 1) {
    const at = start + 2 + tag * 12;
    if (at + 12 > file.length) return undefined;
    found.set(short(at), short(at + 2) === 3 ? short(at + 8) : long(at + 8));
  }
  const [width, height] = [found.get(256), found.get(257)];
  return width === undefined || height === undefined ? undefined : { width, height };
}
