import { createDeflate, constants, inflate } from "node:zlib";
import { once } from "node:events";
import { promisify } from "node:util";
import { PNG_SIGNATURE, pngChunk } from "../../../lib/text/png.ts";

/** The parts of a picture from top to bottom, each as a PNG that the browser wrote. */
export type Bands = AsyncIterable<Uint8Array>;

interface Png {
  /** The IHDR chunk: width and height, then depth, colour type and more. */
  readonly header: Buffer;
  readonly data: Buffer;
}

const HEADER_BYTES = 13;
const HEIGHT_AT = 4;
const COLOUR_TYPE_AT = 9;
/** Bytes of a pixel by colour type. The browser writes RGB and RGBA, with eight bits for each channel. */
const PIXEL_BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

const FILTER = { none: 0, sub: 1, up: 2, average: 3, paeth: 4 } as const;

/** Compressed bytes that are written as one piece. */
const CHUNK_BYTES = 256 * 1024;

const inflated = promisify(inflate);

/** Joins bands of the same width into one PNG, band by band. Fails if the PNG would have more than `maxBytes`. */
export async function stitch(bands: Bands, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const deflate = createDeflate({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES });
  const packed: Buffer[] = [];
  let length = 0;
  deflate.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxBytes) packed.push(pngChunk("IDAT", chunk));
  });
  let header: Buffer | undefined;
  let height = 0;
  try {
    for await (const band of bands) {
      const png = parse(band);
      const bandHeight = png.header.readUInt32BE(HEIGHT_AT);
      header ??= Buffer.from(png.header);
      if (!sameShape(header, png.header)) throw new Error("Cannot join the bands of a picture: they differ in shape");
      const rows = await inflated(png.data);
      startAfresh(rows, rows.length / bandHeight, pixelBytes(png.header));
      height += bandHeight;
      if (length > maxBytes) break;
      if (!deflate.write(rows)) await once(deflate, "drain");
    }
    deflate.end();
    await once(deflate, "end");
  } finally {
    deflate.destroy();
  }
  if (header === undefined) throw new Error("Cannot join the bands of a picture: there is no band");
  if (length > maxBytes) throw new RangeError(`Cannot join the bands of a picture: it has more than ${maxBytes} bytes`);
  header.writeUInt32BE(height, HEIGHT_AT);
  const parts = [PNG_SIGNATURE, pngChunk("IHDR", header), ...packed, pngChunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat(parts));
}

function parse(bytes: Uint8Array): Png {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Buffer[] = [];
  let header: Buffer | undefined;
  for (let at = PNG_SIGNATURE.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") header = body;
    if (type === "IDAT") data.push(body);
    at += 12 + length;
  }
  if (header?.length !== HEADER_BYTES) throw new Error("Cannot join the bands of a picture: one is not a PNG");
  return { header, data: Buffer.concat(data) };
}

function sameShape(one: Buffer, other: Buffer): boolean {
  return one.readUInt32BE(0) === other.readUInt32BE(0) && one.subarray(8).equals(other.subarray(8));
}

function pixelBytes(header: Buffer): number {
  const bytes = PIXEL_BYTES[header[COLOUR_TYPE_AT] ?? -1];
  if (bytes === undefined) throw new Error("Cannot join the bands of a picture: a PNG of an unknown kind");
  return bytes;
}

/**
 * Rewrites the first row so that it does not refer to the row above (PNG §9), which is no longer empty. With an empty
 * row above, Up is not a filter, and Paeth is Sub.
 */
function startAfresh(rows: Buffer, rowBytes: number, bytesPerPixel: number): void {
  const filter = rows[0];
  if (filter === FILTER.up) rows[0] = FILTER.none;
  else if (filter === FILTER.paeth) rows[0] = FILTER.sub;
  else if (filter === FILTER.average) {
    rows[0] = FILTER.none;
    for (let at = 1 + bytesPerPixel; at < rowBytes; at += 1) {
      rows[at] = ((rows[at] ?? 0) + ((rows[at - bytesPerPixel] ?? 0) >> 1)) & 0xff;
    }
  }
}
