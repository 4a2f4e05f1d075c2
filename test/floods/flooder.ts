/** A client that sends as much as the server accepts, until the server stops it. */
import { connect, type Socket } from "node:net";
import { readFileSync } from "node:fs";
import { GOAWAY } from "../support/http2-frames.ts";
import { patient } from "../../src/lib/testing/patience.ts";

export interface FloodResult {
  readonly sentBytes: number;
  /** The server ended the connection; false: it accepted everything. */
  readonly stopped: boolean;
  /** The code of its GOAWAY; -1 without one. */
  readonly code: number;
}

export interface FloodOptions {
  /** Bytes after which the flooder gives up. */
  readonly most: number;
  /** False: it does not read the server's data, so that responses accumulate. */
  readonly reads?: boolean;
  /** Milliseconds that it waits for the server to read more, or to end the connection after everything was sent. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = patient(5_000);

function goawayIn(bytes: Buffer): number {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (bytes.readUInt8(at + 3) === GOAWAY && at + 17 <= bytes.length) return bytes.readUInt32BE(at + 13);
    at += 9 + length;
  }
  return -1;
}

/** Pieces that are written before the next turn of the event loop. */
const PIECES_A_TURN = 16;

/** Sends `first`, then the results of `next`, one after the other, while the connection is open. */
export function flood(
  port: number,
  first: Buffer,
  next: (index: number) => Buffer,
  options: FloodOptions,
): Promise<FloodResult> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: "127.0.0.1" });
    const received: Buffer[] = [];
    let sentBytes = first.length;
    let index = 0;
    const state = { over: false };
    const finish = (stopped: boolean): void => {
      if (state.over) return;
      state.over = true;
      clearTimeout(timer);
      socket.destroy();
      resolve({ sentBytes, stopped, code: goawayIn(Buffer.concat(received)) });
    };
    const giveUp = (): void => finish(false);
    let timer = setTimeout(giveUp, PATIENCE_MS);
    const pump = (): void => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, options.patienceMs ?? PATIENCE_MS);
      for (let turn = 0; !state.over && sentBytes < options.most; turn++) {
        // With a fast server this loop would write without a pause, and never read the server's last frames before a
        // reset.
        if (turn === PIECES_A_TURN) {
          setImmediate(pump);
          return;
        }
        const piece = next(index++);
        sentBytes += piece.length;
        if (!socket.write(piece)) return;
      }
    };
    socket.on("connect", () => {
      socket.write(first);
      pump();
    });
    socket.on("drain", pump);
    socket.on("data", (chunk) => received.push(chunk));
    if (options.reads === false) socket.pause();
    socket.on("end", () => finish(true));
    socket.on("error", () => finish(true));
    socket.on("close", () => finish(true));
  });
}

/** CPU seconds of a process so far. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  // utime and stime, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
