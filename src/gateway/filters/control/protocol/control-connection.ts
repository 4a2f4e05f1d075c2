import { connect, type Socket } from "node:net";
import { messageOf } from "../../../../lib/caught.ts";
import { ReplyReader } from "./reply-reader.ts";

/** Commands that wait for the one in progress, on one connection. */
export const MAX_QUEUED = 64;
/** Milliseconds for the connection to open, and again for the first report. */
const GREETING_MS = 5000;
/** Milliseconds before the first attempt to reconnect. Doubles with each attempt, up to the second value. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5000;
/** Milliseconds after which the gateway takes a bare line as the whole reply. */
const BARE_LINE_MS = 500;
/** The first command, and the protocol version that its reply must name: 1. */
const GREETING = "__info__\n";
const VERSION = /(?:^|\s)proto_version=1(?!\S)/;

export type CommandOutcome =
  | { readonly kind: "reply"; readonly bytes: Buffer }
  /** `detail` is for the log. */
  | { readonly kind: "failed"; readonly detail: string }
  /** Too many commands wait for the sandbox, so this one was not sent. */
  | { readonly kind: "full" };

/** A command whose caller waits for the result. */
export interface Command {
  readonly bytes: Buffer;
  readonly done: (outcome: CommandOutcome) => void;
}

/** The control socket of a connection, its timeouts, and the receiver of its state. */
export interface ControlOptions {
  readonly path: string;
  /** Milliseconds that a command can take after it is sent. */
  readonly commandMs: () => number;
  /** Called each time that the connection accepts commands, and each time that it fails, with the reason. */
  readonly onState: (connection: ControlConnection, error: string | undefined) => void;
  /** Times in milliseconds that the protocol fixes, and that tests shorten. */
  readonly greetingMs?: number;
  readonly firstRetryMs?: number;
  readonly bareLineMs?: number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

type Timings = "greetingMs" | "firstRetryMs" | "bareLineMs";
/** Times in milliseconds that the protocol fixes, and that tests shorten. */
export type ControlTimings = Pick<ControlOptions, Timings>;

type State = "connecting" | "greeting" | "ready" | "waiting" | "closed";

/**
 * One connection to the sandbox's control socket (protocol version 1). It sends one command at a time and reads the complete
 * reply before it sends the next one, because a reply does not name its command.
 *
 *   connecting ─ connected ─▶ greeting ─ report ─▶ ready ─ bare line ─▶ greeting
 *       ▲                        │ error             │ error, timeout, end
 *       └──── after a pause ── waiting ◀─────────────┘
 */
export class ControlConnection {
  readonly #options: ControlOptions;
  readonly #clock: () => number;
  readonly #reader = new ReplyReader();
  #state: State = "waiting";
  #socket: Socket | undefined;
  /** The one in progress comes first. Undefined in its place means that its caller has cancelled it. */
  readonly #commands: (Command | undefined)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #bareLineTimer: ReturnType<typeof setTimeout> | undefined;
  #retryMs: number;
  #readyAt = 0;
  #isRetiring = false;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#retryMs = this.#firstRetryMs;
    this.#connect();
  }

  get #firstRetryMs(): number {
    return this.#options.firstRetryMs ?? FIRST_RETRY_MS;
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** The number of commands without a reply. Undefined if the connection accepts no commands. */
  get load(): number | undefined {
    if (this.#isRetiring || this.#state === "waiting" || this.#state === "closed") return undefined;
    return this.#commands.length <= MAX_QUEUED ? this.#commands.length : undefined;
  }

  /** Accepts a command. Call it only if `load` is a number. The returned function cancels the command. */
  take(command: Command): () => void {
    this.#commands.push(command);
    if (this.#commands.length === 1 && this.#state === "ready") this.#send();
    return () => this.#forget(command);
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Accepts no more commands, and closes when all accepted ones have a reply. */
  retire(): void {
    this.#isRetiring = true;
    this.#closeIfDone();
  }

  /** Closes the connection. All waiting commands fail. */
  close(): void {
    if (this.#state === "closed") return;
    this.#drop("the gateway has closed the control socket");
    this.#state = "closed";
  }

  #forget(command: Command): void {
    const at = this.#commands.indexOf(command);
    if (at === -1) return;
    // The reply to a command that was sent still arrives, and must not be taken for the next one's.
    if (at === 0 && this.#state === "ready") this.#commands[0] = undefined;
    else this.#commands.splice(at, 1);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#isRetiring && this.#commands.every((command) => command === undefined)) this.close();
  }

  #connect(): void {
    const { path, greetingMs = GREETING_MS } = this.#options;
    this.#state = "connecting";
    const socket = connect({ path });
    this.#socket = socket;
    this.#within(greetingMs, "it did not respond in time");
    const isCurrent = (): boolean => this.#socket === socket;
    socket.on("connect", () => {
      if (isCurrent()) this.#greet();
    });
    socket.on("data", (chunk: Buffer) => {
      if (isCurrent()) this.#read(chunk);
    });
    socket.on("error", (error) => {
      if (isCurrent()) this.#fail(messageOf(error));
    });
    socket.on("close", () => {
      if (isCurrent()) this.#fail("it has ended the connection");
    });
  }

  #greet(): void {
    this.#state = "greeting";
    this.#reader.reset();
    this.#within(this.#options.greetingMs ?? GREETING_MS, "its report did not arrive in time");
    this.#socket?.write(GREETING);
  }

  #read(chunk: Buffer): void {
    clearTimeout(this.#bareLineTimer);
    const isIdle = this.#state === "ready" && this.#commands.length === 0;
    if (isIdle) this.#fail("it has sent bytes that were not requested");
    else this.#readReply(chunk);
  }

  #readReply(chunk: Buffer): void {
    const end = this.#reader.read(chunk);
    if (this.#reader.isBroken) this.#fail("its reply has no valid exit code");
    else if (this.#reader.isDone && end < chunk.length) this.#fail("it has sent more than its reply");
    else if (this.#state === "greeting") this.#readReport();
    else if (this.#reader.isDone) this.#end({ kind: "reply", bytes: this.#reader.bytes });
    else if (this.#reader.isBareLine) this.#awaitTrailer();
  }

  #readReport(): void {
    const { text } = this.#reader;
    if (text.startsWith("ERR ")) this.#fail("it did not report its version");
    else if (this.#reader.isDone && !VERSION.test(text)) this.#fail("it does not speak version 1 of the protocol");
    else if (this.#reader.isDone) this.#begin();
  }

  #begin(): void {
    this.#state = "ready";
    this.#readyAt = this.#clock();
    clearTimeout(this.#timer);
    this.#options.onState(this, undefined);
    this.#send();
  }

  #awaitTrailer(): void {
    const { bareLineMs = BARE_LINE_MS } = this.#options;
    this.#bareLineTimer = setTimeout(() => {
      const detail = `the sandbox has replied in a bare line: ${JSON.stringify(this.#reader.text.trimEnd())}`;
      const command = this.#commands.shift();
      // The rest of its reply would be taken for the next one's. The report that now follows shows that the reply has
      // ended.
      this.#greet();
      this.#closeIfDone();
      command?.done({ kind: "failed", detail });
    }, bareLineMs);
  }

  #end(outcome: CommandOutcome): void {
    const command = this.#commands.shift();
    clearTimeout(this.#timer);
    this.#retryMs = this.#firstRetryMs;
    this.#send();
    this.#closeIfDone();
    command?.done(outcome);
  }

  #send(): void {
    const [command] = this.#commands;
    if (command === undefined) return;
    this.#reader.reset();
    this.#within(this.#options.commandMs(), "a command got no reply in time");
    this.#socket?.write(Buffer.concat([command.bytes, Buffer.from("\n")]));
  }

  #within(ms: number, otherwise: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(otherwise), ms);
  }

  #fail(why: string): void {
    // A socket that accepts and then closes connections, over and over, is tried at longer and longer intervals.
    const wasSteady = this.#state === "ready" && this.#clock() - this.#readyAt >= LONGEST_RETRY_MS;
    if (wasSteady) this.#retryMs = this.#firstRetryMs;
    this.#state = "waiting";
    this.#options.onState(this, why);
    this.#drop(`the control socket failed: ${why}`);
    // The callers can have closed the connection, and a retired connection has nothing left to do.
    this.#closeIfDone();
    if (this.isClosed) return;
    this.#timer = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  /** Closes the socket, and fails the waiting commands. */
  #drop(detail: string): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#bareLineTimer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    for (const command of this.#commands.splice(0)) command?.done({ kind: "failed", detail });
  }
}
