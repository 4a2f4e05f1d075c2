/** Bytes that one step reads. @bound */
export const PIECE_BYTES = 64 * 1024;

/** Bytes in pieces that share their memory. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
