/** Writes and reads the parts of DER (ITU-T X.690) that certificates and certificate requests need. */

/** Tags of universal types, and of the types that a structure numbers itself. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** [0] to [3], constructed. */
  context: 0xa0,
} as const;

/** An element: tag, length and content. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  if (length > 0xffff) throw new Error(`Cannot write DER: ${length} bytes are too many`);
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** A SEQUENCE (X.690 §8.9) of encoded parts. */
export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, ...parts);
}

export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
}

/** The consecutive elements in `bytes`; undefined if they are not DER. */
export function readElements(bytes: Buffer): readonly DerElement[] | undefined {
  const found: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0xff;
    const extra = first < 0x80 ? 0 : first & 0x7f;
    // A length of more than 3 bytes is refused: no certificate has 16 MiB.
    if (first === 0x80 || extra > 3 || at + 2 + extra > bytes.length) return undefined;
    const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra);
    const from = at + 2 + extra;
    if (from + length > bytes.length) return undefined;
    found.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}
