import { type OnEvent } from "../../telemetry/event.ts";
import { type ControlLink } from "../runtime/filter.ts";
import { type CommandOutcome, type ControlTimings } from "./protocol/control-connection.ts";
import { ControlTransport, type TransportSettings } from "./control-transport.ts";
import { failLater } from "./fail-later.ts";

/** The functions that a `ControlSocket` calls. Tests also set its timeouts. */
export interface ControlSocketOptions extends ControlTimings {
  readonly log: (message: string) => void;
  readonly onEvent: OnEvent;
  /** Called when the socket is configured, accepts commands, or ceases to do so. */
  readonly onChange: () => void;
}

/** The control socket to which this process is connected, across all configurations. */
export class ControlSocket implements ControlLink {
  readonly #options: ControlSocketOptions;
  #transport: ControlTransport | undefined;
  /** Transports of earlier configurations whose last calls are in progress. */
  readonly #retired = new Set<ControlTransport>();
  #isClosed = false;

  constructor(options: ControlSocketOptions) {
    this.#options = options;
  }

  get isConfigured(): boolean {
    return this.#transport !== undefined;
  }

  get isReady(): boolean {
    return this.#transport?.isReady ?? false;
  }

  /** Uses `settings` for later calls; those in progress stay. Undefined: this process has no control socket. */
  use(settings: TransportSettings | undefined): void {
    if (this.#isClosed) return;
    const before = this.#transport;
    if (before !== undefined && before.path === settings?.path) {
      before.use(settings);
      return;
    }
    this.#transport = settings === undefined ? undefined : this.#connect(settings);
    if (before !== undefined) this.#retire(before);
    this.#options.onChange();
  }

  call(bytes: Buffer, done: (outcome: CommandOutcome) => void): () => void {
    return this.#transport?.call(bytes, done) ?? failLater("no control socket is configured", done);
  }

  close(): void {
    this.#isClosed = true;
    for (const transport of [...this.#retired, ...(this.#transport === undefined ? [] : [this.#transport])])
      transport.close();
  }

  #connect(settings: TransportSettings): ControlTransport {
    let wasReady = false;
    return new ControlTransport({
      ...this.#options,
      ...settings,
      onReady: (isReady, error = "") => {
        this.#tell(settings.path, isReady, `${wasReady ? "is lost" : "cannot be used"}: ${error}`);
        wasReady = isReady;
        this.#options.onChange();
      },
    });
  }

  #retire(transport: ControlTransport): void {
    for (const retired of this.#retired) if (retired.isDone) this.#retired.delete(retired);
    transport.retire();
    this.#retired.add(transport);
  }

  #tell(path: string, isReady: boolean, trouble: string): void {
    const what = isReady ? "is connected" : trouble;
    this.#options.onEvent({
      kind: "control",
      message: `the control socket ${JSON.stringify(path)} ${what}`,
      details: { path, connected: isReady },
    });
  }
}
