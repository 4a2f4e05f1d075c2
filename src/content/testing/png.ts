import { inflateSync } from "node:zlib";

export interface DecodedPng {
  readonly width: number;
  readonly height: number;
  /** The colour of a pixel, as "#rrggbb". */
  readonly colour: (x: number, y: number) => string;
  /** Rows of RGB, three bytes a pixel. */
  readonly rgb: Uint8Array;
}

/** Decodes a PNG of eight bits a channel, RGB or RGBA, as browsers write it (PNG §9). */
export function decodePng(bytes: Uint8Array): DecodedPng {
  const png = Buffer.from(bytes);
  if (png.toString("latin1", 1, 4) !== "PNG") throw new Error("Cannot decode the picture: it is not a PNG");
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const size = png[25] === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * size, size);
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rgb.set(rows.subarray(pixel * size, pixel * size + 3), pixel * 3);
  }
  const colour = (x: number, y: number) =>
    `#${Buffer.from(rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)).toString("hex")}`;
  return { width, height, rgb, colour };
}

function unfilter(filtered: Buffer, rowBytes: number, size: number): Uint8Array {
  const rows = new Uint8Array((filtered.length / (rowBytes + 1)) * rowBytes);
  for (let from = 0, to = 0; from < filtered.length; from += rowBytes + 1, to += rowBytes) {
    const filter = filtered[from] ?? 0;
    for (let at = 0; at < rowBytes; at += 1) {
      const left = at < size ? 0 : (rows[to + at - size] ?? 0);
      const up = to === 0 ? 0 : (rows[to + at - rowBytes] ?? 0);
      const corner = at < size || to === 0 ? 0 : (rows[to + at - rowBytes - size] ?? 0);
      let guess = 0;
      if (filter === 1) guess = left;
      else if (filter === 2) guess = up;
      else if (filter === 3) guess = (left + up) >> 1;
      else if (filter === 4) guess = paeth(left, up, corner);
      rows[to + at] = (filtered[from + 1 + at] ?? 0) + guess;
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const byLeft = Math.abs(guess - left);
  const byUp = Math.abs(guess - up);
  const byCorner = Math.abs(guess - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
