/** A process that reads files: requests come on its standard input, and responses leave on its standard output. */
import { readSync, writeSync } from "node:fs";
import { messageOf } from "../../lib/caught.ts";
import { type ExtractionMessage, type ExtractionResponse } from "../extraction/tree/extraction.ts";
import { readRequest, responseFrame } from "./frames.ts";
import { outcomeOf } from "./outcome-of.ts";
import { MAX_CPU_S } from "./process-limits.ts";

/** Resident bytes after a file above which another process reads the next one. @bound */
const MAX_KEPT_BYTES = 512 * 1024 * 1024;

/** Exactly this number of bytes. The process ends when there are no more. */
function take(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const read = readSync(0, bytes, at, length - at, null);
    if (read === 0) process.exit(0);
    at += read;
  }
  return bytes;
}

function send(pieces: readonly Uint8Array[]): void {
  for (const piece of pieces) for (let at = 0; at < piece.length; ) at += writeSync(1, piece, at);
}

/** Whether half of the limits is used, so that another process should read the next file. */
function isWorn(): boolean {
  const { user, system } = process.cpuUsage();
  return process.memoryUsage.rss() > MAX_KEPT_BYTES || user + system > (MAX_CPU_S / 2) * 1e6;
}

async function responseTo({ id, job }: ExtractionMessage): Promise<ExtractionResponse> {
  try {
    const outcome = await outcomeOf(job);
    return { id, ok: true, outcome, isLast: isWorn() };
  } catch (error) {
    return { id, ok: false, reason: messageOf(error) };
  }
}

// Libraries must not write between responses.
console.log = console.info = console.warn = console.error;
for (;;) send(responseFrame(await responseTo(readRequest(take))));
