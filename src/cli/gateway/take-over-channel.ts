/**
 * The connection between a gateway and the one that replaces it. The new gateway listens on a name that only one process
 * can have, and sends SIGUSR2; the old one connects. The kernel closes the connection when a process ends, however it
 * ends.
 *
 *   new ── SIGUSR2 ──▶ old     It connects.
 *   new ── ports ────▶ old     Its addresses.
 *   new ◀── reply ──── old     A refusal, or its admin port.
 *   new ── take ─────▶ old     The new one accepts connections. The old one releases its ports.
 *   new ── served ───▶ old     The new one serves all that was released.
 *   new ── bye ──────▶ old     The new one ends as its operator wants.
 */
import { codeOf } from "../../lib/caught.ts";
import { peerCredentials } from "../../lib/net/peer-credentials.ts";
import { StartError } from "../common/start-error.ts";

/** Milliseconds that the old gateway has to reply; after that, the new one gives up. @bound */
const REPLY_MS = 10_000;
/** Characters of a line that one gateway sends to the other. A longer one closes the connection. */
const MAX_LINE = 65_536;

/** The reply of an old gateway to one that wants its ports. `adminPort` is null if it has no admin interface. */
export type Reply = { readonly adminPort: number | null } | { readonly refusal: string };
type Word = "take" | "served" | "bye";

export interface Successor {
  /** Resolves when it serves all that this gateway has released. */
  readonly served: Promise<void>;
  /** Resolves when it has ended without its operator's will. */
  readonly lost: Promise<void>;
}

/** An abstract name: it needs no folder, and the kernel frees it when the process ends. */
function nameFor(pid: number): string {
  return `\0turnpike-take-over-${pid}`;
}

/** Splits the received bytes into lines, and calls `onLine` with the JSON value of each. */
function linesTo(onLine: (value: unknown) => void): (chunk: Buffer) => boolean {
  let rest = "";
  return (chunk) => {
    rest += chunk.toString();
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(JSON.parse(line));
    return rest.length <= MAX_LINE;
  };
}

function send(socket: Bun.Socket<unknown> | undefined, value: unknown): void {
  socket?.write(`${JSON.stringify(value)}\n`);
}

/** The new gateway's side: the right to replace the gateway of one process, which no other process has meanwhile. */
export class Claim {
  readonly #pid: number;
  readonly #reply = Promise.withResolvers<Reply | undefined>();
  #listener: Bun.UnixSocketListener<unknown> | undefined;
  #old: Bun.Socket<unknown> | undefined;

  private constructor(pid: number) {
    this.#pid = pid;
  }

  /** Throws StartError if another process has the right. `ports` are those that the new gateway listens on. */
  static open(pid: number, ports: readonly string[]): Claim {
    const claim = new Claim(pid);
    try {
      claim.#listen(ports);
    } catch (error) {
      const why = codeOf(error) === "EADDRINUSE" ? "another process takes over from it already" : codeOf(error);
      throw refused(pid, why ?? "the system refuses a socket");
    }
    return claim;
  }

  /**
   * Asks the old gateway. Resolves with the port of its admin interface; undefined without one, and if the old gateway has ended meanwhile.
   * Rejects with StartError if it refuses or does not reply.
   */
  async ask(): Promise<number | undefined> {
    try {
      process.kill(this.#pid, "SIGUSR2");
    } catch {
      // It has ended meanwhile: its ports are free.
      return undefined;
    }
    const late = setTimeout(
      () => this.#reply.resolve({ refusal: `it does not respond within ${REPLY_MS / 1000} s` }),
      REPLY_MS,
    );
    const reply = await this.#reply.promise;
    clearTimeout(late);
    if (reply === undefined) return undefined;
    if ("refusal" in reply) throw refused(this.#pid, reply.refusal);
    return reply.adminPort ?? undefined;
  }

  say(word: Word): void {
    send(this.#old, word);
  }

  close(): void {
    this.say("bye");
    this.#old?.end();
    this.#listener?.stop();
  }

  #listen(ports: readonly string[]): void {
    const onLine = linesTo((value) => this.#reply.resolve(value as Reply)); // Sent by `replyToTakeOvers`.
    this.#listener = Bun.listen({
      unix: nameFor(this.#pid),
      socket: {
        open: (socket) => {
          // Any process of this machine can connect.
          if (this.#old !== undefined || peerCredentials(socket)?.pid !== this.#pid) {
            socket.terminate();
            return;
          }
          this.#old = socket;
          send(socket, ports);
        },
        data: (socket, chunk) => {
          if (socket === this.#old && !onLine(chunk)) socket.terminate();
        },
        close: (socket) => {
          if (socket === this.#old) this.#reply.resolve(undefined);
        },
      },
    });
    this.#listener.unref();
  }
}

function refused(pid: number, why: string): StartError {
  return new StartError(`Cannot take over from process ${pid}: ${why}`);
}

/** The old gateway's side: connects to the process that sent SIGUSR2, responds to it, and begins when that process says so. */
export async function replyToTakeOver(
  reply: (ports: readonly string[]) => Reply,
  begin: (successor: Successor) => void,
): Promise<void> {
  const [served, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let ports: readonly string[] | undefined;
  let hasEnded = false;
  const heard = (socket: Bun.Socket<unknown>, value: unknown): void => {
    if (ports === undefined) {
      ports = value as readonly string[]; // Sent by `Claim`.
      send(socket, reply(ports));
    } else if (value === "take") begin({ served: served.promise, lost: lost.promise });
    else if (value === "served") served.resolve();
    else hasEnded = true;
  };
  let onChunk: ReturnType<typeof linesTo> | undefined;
  await Bun.connect({
    unix: nameFor(process.pid),
    socket: {
      open(socket) {
        if (peerCredentials(socket)?.uid === process.getuid?.()) onChunk = linesTo((value) => heard(socket, value));
        else socket.terminate();
      },
      data(socket, chunk) {
        if (onChunk?.(chunk) === false) socket.terminate();
      },
      close() {
        if (!hasEnded) lost.resolve();
      },
    },
  });
}
