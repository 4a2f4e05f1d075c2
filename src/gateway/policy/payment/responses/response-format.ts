import type * as Zod from "zod";
import { type Fields } from "../../../../lib/http/fields.ts";
import { type ResponseHead } from "../../../exchange/exchange.ts";

/** The parts of a response that are stored in addition to its body. */
export interface ResponseRecord {
  readonly key: string;
  /** Unix milliseconds. */
  readonly until: number;
  readonly head: ResponseHead;
  readonly trailers: Fields;
}

/** The record that follows a body, with the checks that show that the body is complete. */
export interface Tail {
  readonly record: ResponseRecord;
  readonly bodySize: number;
  /** CRC-32. */
  readonly bodySum: number;
}

const MAGIC = "tp-paid1";
/** Bytes of the footer: magic, the record's length and checksum, the body's length and checksum. */
export const FOOTER_BYTES = 32;
/** Bytes of one record. Heads and trailers have much lower limits of their own. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Loaded when a stored response is read. Each gateway loads this module, and zod takes longer than all others (bench start). */
const zod = (): typeof Zod => require("zod");

let recordSchema: ReturnType<typeof makeRecordSchema> | undefined;

function makeRecordSchema() {
  const z = zod();
  return z.strictObject({
    key: z.string(),
    until: z.number(),
    head: z.strictObject({
      status: z.int().min(200).max(599),
      reason: z.string(),
      fields: z.string(),
      bodyLength: z.int().min(-1),
      grpcStatus: z.int().optional(),
    }),
    trailers: z.string(),
  });
}

/**
 * The data that follow a body in the file, so that a body of unknown length can be written first:
 *
 *   body │ record, as JSON │ magic │ record's length, sum │ body's length (double), sum │ 4 spare
 */
export function encodeTail({ record, bodySize, bodySum }: Tail): Buffer {
  const { status, reason, fields, bodyLength, grpcStatus } = record.head;
  const head = { status, reason, fields, bodyLength, ...(grpcStatus === undefined ? {} : { grpcStatus }) };
  const json = Buffer.from(JSON.stringify({ ...record, head }));
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.write(MAGIC, "latin1");
  footer.writeUInt32LE(json.length, 8);
  footer.writeUInt32LE(Bun.hash.crc32(json), 12);
  footer.writeDoubleLE(bodySize, 16);
  footer.writeUInt32LE(bodySum, 24);
  return Buffer.concat([json, footer]);
}

/** Bytes of record and footer, by the footer of a file of `total` bytes; undefined if it is not valid. */
export function tailLength(footer: Buffer, total: number): number | undefined {
  if (footer.length !== FOOTER_BYTES || footer.toString("latin1", 0, 8) !== MAGIC) return undefined;
  const recordLength = footer.readUInt32LE(8);
  const length = recordLength + FOOTER_BYTES;
  return recordLength <= MAX_RECORD_BYTES && footer.readDoubleLE(16) + length === total ? length : undefined;
}

/** Reads a tail of the length that `tailLength` returned; undefined if it was changed after it was written. */
export function decodeTail(tail: Buffer): Tail | undefined {
  const json = tail.subarray(0, -FOOTER_BYTES);
  const footer = tail.subarray(-FOOTER_BYTES);
  if (Bun.hash.crc32(json) !== footer.readUInt32LE(12)) return undefined;
  recordSchema ??= makeRecordSchema();
  const { key, until, head, trailers } = recordSchema.parse(JSON.parse(json.toString()));
  const { grpcStatus, ...plain } = head;
  return {
    record: { key, until, head: grpcStatus === undefined ? plain : { ...plain, grpcStatus }, trailers },
    bodySize: footer.readDoubleLE(16),
    bodySum: footer.readUInt32LE(24),
  };
}

/** Body and record in one piece. */
export function wholeOf(pieces: readonly Uint8Array[], record: ResponseRecord): Buffer {
  let bodySum = 0;
  let bodySize = 0;
  for (const piece of pieces) {
    bodySum = Bun.hash.crc32(piece, bodySum);
    bodySize += piece.length;
  }
  return Buffer.concat([...pieces, encodeTail({ record, bodySize, bodySum })]);
}

/** Reads what `wholeOf` wrote. Undefined if it was changed since. */
export function readWhole(whole: Buffer): { readonly record: ResponseRecord; readonly body: Buffer } | undefined {
  const length = tailLength(whole.subarray(-FOOTER_BYTES), whole.length);
  const tail = length === undefined ? undefined : decodeTail(whole.subarray(-length));
  if (length === undefined || tail === undefined) return undefined;
  const body = whole.subarray(0, -length);
  return Bun.hash.crc32(body) === tail.bodySum ? { record: tail.record, body } : undefined;
}
