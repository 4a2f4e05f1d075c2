import { type Socket } from "bun";

const OK = "+OK\r\n";
/** The script's result for a token that was taken: 500 µs until the bucket is full. */
export const TAKEN = "*2\r\n:1\r\n$3\r\n500\r\n";

/** Speaks as much of RESP as the store's client needs. */
export class ScriptedRedis {
  /** The commands after the handshake, without the script. */
  readonly commands: string[][] = [];
  /** The reply to a command; undefined: none. */
  reply: (command: readonly string[]) => string | undefined = () => TAKEN;
  /** The script cannot be loaded, which makes the store close the connection. */
  isDown = false;
  /** The name of a command without a reply. */
  unanswered = "";
  /** Commands that had no reply for that reason. */
  ignored = 0;
  connections = 0;
  readonly #sockets = new Set<Socket<CommandReader>>();
  readonly #listener = Bun.listen<CommandReader>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        this.connections++;
        socket.data = new CommandReader();
        this.#sockets.add(socket);
      },
      close: (socket) => void this.#sockets.delete(socket),
      data: (socket, bytes) => {
        for (const command of socket.data.read(bytes)) {
          const reply = this.#replyTo(command);
          if (reply !== undefined) socket.write(reply);
        }
      },
    },
  });

  get open(): number {
    return this.#sockets.size;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#listener.port}`;
  }

  #replyTo(command: readonly string[]): string | undefined {
    const [name = "", ...rest] = command;
    if (name === this.unanswered) {
      this.ignored++;
      return undefined;
    }
    if (name === "HELLO") return "%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n";
    if (name === "SCRIPT") return this.isDown ? "-LOADING\r\n" : OK;
    this.commands.push([name, ...rest.slice(1)]);
    return this.reply(command);
  }

  /** Sends bytes on every connection. */
  respondLate(bytes: string): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  stop(): void {
    this.#listener.stop(true);
  }
}

/** Cuts the whole commands off a connection's bytes. */
class CommandReader {
  #text = "";

  *read(bytes: Buffer): Iterable<string[]> {
    this.#text += bytes.toString();
    for (let end = this.#endOfCommand(); end !== -1; end = this.#endOfCommand()) {
      const lines = this.#text.slice(0, end).split("\r\n");
      this.#text = this.#text.slice(end);
      // After the count, each part follows the line with its length. A script has LF alone.
      yield lines.slice(2, -1).filter((_, index) => index % 2 === 0);
    }
  }

  #endOfCommand(): number {
    const count = 1 + 2 * Number(/^\*(\d+)\r\n/.exec(this.#text)?.[1] ?? Number.NaN);
    let end = 0;
    for (let line = 0; line < count; line++) {
      const at = this.#text.indexOf("\r\n", end);
      if (at === -1) return -1;
      end = at + 2;
    }
    return end === 0 ? -1 : end;
  }
}
