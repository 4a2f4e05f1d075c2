import { HpackDecoder, staticItems } from "../decoder.ts";

export type Pair = readonly [name: string, value: string];

const statics = staticItems<Pair>((name, value) => [name, value]);

export function pairDecoder(maxTableSize?: number): HpackDecoder<Pair> {
  return new HpackDecoder<Pair>((name, value) => [name, value], statics, maxTableSize);
}

export interface DecodedBlock {
  readonly error: string;
  readonly fields: readonly Pair[];
  readonly sizes: readonly number[];
}

export function decodeBlock(decoder: HpackDecoder<Pair>, block: Uint8Array): DecodedBlock {
  const fields: Pair[] = [];
  const sizes: number[] = [];
  // Bytes around the block show that nothing beyond its bounds is read.
  const padded = Buffer.concat([Buffer.from([0xff, 0xff]), block, Buffer.from([0x00, 0x82])]);
  const error = decoder.decode(padded, 2, 2 + block.length, {
    field(item, size) {
      fields.push(item);
      sizes.push(size);
    },
  });
  return { error, fields, sizes };
}
