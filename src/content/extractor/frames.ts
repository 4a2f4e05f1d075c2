import { type ExtractionJob, type ExtractionMessage, type ExtractionResponse } from "../extraction/tree/extraction.ts";

/**
 * Messages to a process that reads files, and its responses. A pipe passes 60 MB in a third of a second, and Bun's own
 * messages in two and a half.
 *
 *   request:   length of the JSON (4 bytes) | length of the file (4 bytes) | JSON | file
 *   response:  length of the JSON (4 bytes) | JSON
 */
const REQUEST_HEAD = 8;
const RESPONSE_HEAD = 4;
/** Bytes of a response. A process that sends more is ended. @bound */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;

/** The parts of a request. The body of its source is the file. */
export function requestFrame(id: number, job: ExtractionJob): readonly Uint8Array[] {
  const { body, ...source } = job.source;
  const file = typeof body === "string" ? Buffer.from(body, "latin1") : body;
  const json = Buffer.from(JSON.stringify({ id, job: { ...job, source } }));
  const head = Buffer.alloc(REQUEST_HEAD);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(file.length, 4);
  return [head, json, file];
}

/** Reads a request. `take` returns exactly this number of bytes. */
export function readRequest(take: (length: number) => Buffer<ArrayBuffer>): ExtractionMessage {
  const head = take(REQUEST_HEAD);
  // The other end of the pipe writes requests only.
  const message = JSON.parse(take(head.readUInt32LE(0)).toString()) as ExtractionMessage;
  const body = take(head.readUInt32LE(4));
  return { id: message.id, job: { ...message.job, source: { ...message.job.source, body } } };
}

/** The parts of a response. */
export function responseFrame(response: ExtractionResponse): readonly Uint8Array[] {
  const json = Buffer.from(JSON.stringify(response));
  const head = Buffer.alloc(RESPONSE_HEAD);
  head.writeUInt32LE(json.length);
  return [head, json];
}

/** Collects the pieces of responses. */
export class ResponseFrames {
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** The response that is complete with this piece. Throws if it is not a response. */
  add(piece: Uint8Array): ExtractionResponse | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < RESPONSE_HEAD) return undefined;
    if (this.#pieces.length > 1 && (this.#pieces[0]?.length ?? 0) < RESPONSE_HEAD)
      this.#pieces = [Buffer.concat(this.#pieces)];
    const [first = piece] = this.#pieces;
    const end = RESPONSE_HEAD + Buffer.from(first.buffer, first.byteOffset, RESPONSE_HEAD).readUInt32LE();
    if (end > MAX_RESPONSE_BYTES) throw new Error("Cannot read a response: it is too long");
    if (this.#length < end) return undefined;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    // Processes run code of this program, and the boundary catches what is not JSON.
    return JSON.parse(all.toString("utf8", RESPONSE_HEAD, end)) as ExtractionResponse;
  }
}
