import { type QuicStream, type StreamWriter } from "node:quic";

/** The name of a method of full writers. */
export const FRAMED: unique symbol = Symbol.for("Stream.drainableProtocol");

/**
 * A writer that is full until the engine has framed everything. `FRAMED` then gives a promise, which sometimes resolves
 * too early; else null. The writer accepts nothing until the promise resolves.
 */
export type FramingWriter = StreamWriter & { readonly [FRAMED]: () => Promise<unknown> | null };

/**
 * Opens a stream's writer, again if it is full. Its end has to wait until everything is framed if trailers follow: the
 * engine sometimes frames them as data of the body if they follow data that waits (test/http3/trailers.test.ts).
 */
export function openWriter(quic: QuicStream): FramingWriter {
  // This also makes room in a full writer.
  quic.highWaterMark = 1;
  // The types do not have the symbol; Node's documentation of stream writers does.
  return quic.writer as FramingWriter;
}
