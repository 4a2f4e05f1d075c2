import { existsSync } from "node:fs";
import { TEST_CA } from "./certificates.ts";

/** Deno from npm; absent if it has no package for the platform. */
const DENO = new URL("../../node_modules/@deno/linux-x64-glibc/deno", import.meta.url).pathname;

export const hasDeno = existsSync(DENO);

/** A stream that the client opens, and the data that it sends. */
export interface RawStep {
  readonly kind: "uni" | "bidi";
  /** Hexadecimal. */
  readonly hex: string;
  readonly fin: boolean;
  /** The response is never read. */
  readonly unread?: boolean;
}

/** One connection. */
export interface RawPlay {
  readonly steps: readonly RawStep[];
  /** A request, in hexadecimal, that is sent last to check whether the connection works. */
  readonly probe?: string;
  /** The server must close: the client waits only for that. */
  readonly waitForClose?: boolean;
}

export interface RawStream {
  readonly hex: string;
  /** `fin`, `reset 0x…`, `lost` with the connection, or `open`. */
  readonly end: string;
}

export interface RawResult {
  /** The code of the server's CONNECTION_CLOSE. */
  readonly close?: number;
  readonly probed?: RawStream;
  /** The request streams, in the order of the steps. */
  readonly streams: readonly RawStream[];
  readonly failed?: string;
}

/** Runs connections against an HTTP/3 server on 127.0.0.1, one after the other. */
export async function playRaw(port: number, plays: readonly RawPlay[]): Promise<RawResult[]> {
  const script = new URL("raw-quic.mjs", import.meta.url).pathname;
  const subprocess = Bun.spawn([DENO, "run", "--no-config", "--no-lock", "--unstable-net", "--allow-net", script], {
    stdin: new Blob([JSON.stringify({ port, ca: TEST_CA.cert, plays })]),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" },
  });
  const [output, errors] = await Promise.all([
    new Response(subprocess.stdout).text(),
    new Response(subprocess.stderr).text(),
  ]);
  if ((await subprocess.exited) !== 0 || output === "") throw new Error(`Cannot play raw QUIC: ${errors}`);
  // The script writes exactly this form.
  return JSON.parse(output) as RawResult[];
}
