import { type Readable } from "node:stream";

/** Maximum number of bytes of a request head from the browser, or of a response head from a server. @internal */
export const MAX_HEAD_BYTES = 256 * 1024;

const LF = 10;
const CR = 13;

/** A head without its empty line, and the bytes after it. */
export interface Head {
  readonly text: string;
  readonly rest: Buffer;
}

/** The position of the empty line, and that behind it. As in browsers, a line may end in a bare LF. */
export function endOfHead(bytes: Buffer): { text: number; rest: number } | undefined {
  // The byte behind a line end is a character, or the loop is over.
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, end + 2)) {
    if (bytes[end + 1] === LF) return { text: end, rest: end + 2 };
    if (bytes[end + 1] === CR && bytes[end + 2] === LF) return { text: end, rest: end + 3 };
  }
  return undefined;
}

/**
 * Reads up to the empty line, and leaves the socket paused. Fails if the head is too long, or if the socket closes
 * before its end.
 */
export function readHead(socket: Readable): Promise<Head> {
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  const chunks: Buffer[] = [];
  let length = 0;
  // The last two bytes. Only these are searched again: a server can send a head of short lines byte by byte.
  let last: Buffer = Buffer.alloc(0);
  function onData(chunk: Buffer): void {
    const searched = Buffer.concat([last, chunk]);
    const end = endOfHead(searched);
    const before = length - last.length;
    chunks.push(chunk);
    length += chunk.length;
    last = searched.subarray(-2);
    if (end !== undefined) {
      socket.pause();
      finish(undefined);
      const bytes = Buffer.concat(chunks);
      resolve({ text: bytes.toString("latin1", 0, before + end.text), rest: bytes.subarray(before + end.rest) });
    } else if (length > MAX_HEAD_BYTES) finish(new Error("Cannot read a head: it is too long"));
  }
  function onClose(): void {
    finish(new Error("Cannot read a head: the connection ended"));
  }
  function finish(error: Error | undefined): void {
    socket.off("data", onData);
    socket.off("close", onClose);
    if (error !== undefined) reject(error);
  }
  socket.on("data", onData);
  socket.on("close", onClose);
  socket.resume();
  return promise;
}
