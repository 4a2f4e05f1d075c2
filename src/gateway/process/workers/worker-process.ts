import { type Subprocess } from "bun";
import { messageOf } from "../../../lib/caught.ts";
import { childEnvironment } from "../../../lib/process/child-environment.ts";
import { ControlClient } from "../../filters/control/control-client.ts";
import { type ControlSocket } from "../../filters/control/control-socket.ts";
import { TenantQuestions } from "../gateway/tenant-questions.ts";
import { partsOf, ToldConfig } from "./config-delta.ts";
import { type FromWorker, type Served, type Told, type ToWorker } from "./messages.ts";
import { Pulse } from "./pulse.ts";

/** The system gives no process now. A later attempt may succeed; the existing workers serve meanwhile. */
export class NoRoomError extends Error {}

/** A message that is not a reply. */
type Notice = Extract<FromWorker, { readonly kind: "event" | "log" | "requests" | "endpoints" }>;

export interface WorkerEvents {
  heard(worker: WorkerProcess, notice: Notice): void;
  /** It handles no events any more. */
  stuck(worker: WorkerProcess): void;
  died(worker: WorkerProcess): void;
}

/** The place of a worker in the shared memory, and what it shares with other workers. */
interface WorkerPlace {
  /** The worker that replaces it gets the same row. */
  readonly row: number;
  readonly zone: number;
  readonly control: ControlSocket;
}

/** The process of a worker, as its supervisor talks with it. */
export class WorkerProcess {
  readonly row: number;
  /** Monotonic milliseconds. */
  readonly bornAt: number;
  readonly process: Subprocess;
  readonly control: ControlClient;
  readonly tenants: TenantQuestions;
  readonly #events: WorkerEvents;
  readonly #pulse: Pulse;
  readonly #told = new ToldConfig();
  /** Called with the reply to the message that was sent last. The next message is sent only after that reply. */
  #reply: ((message: FromWorker) => void) | undefined;
  /** Settles when the worker has replied to all messages so far. */
  #turn: Promise<unknown> = Promise.resolve();
  #isEnded = false;
  #hasStarted = false;
  #closedRoutes: readonly string[] = [];

  /** Starts a process, which waits for its configuration. Throws NoRoomError. */
  constructor({ row, zone, control }: WorkerPlace, events: WorkerEvents, clock: () => number) {
    this.process = spawnWorker(zone, {
      ipc: (message) => this.#heard(message),
      onExit: () => this.#died(),
    });
    this.row = row;
    this.bornAt = clock();
    this.control = new ControlClient(control, (message) => this.send(message));
    this.tenants = new TenantQuestions((question) => this.send(question));
    this.#pulse = new Pulse({ ask: () => this.send({ kind: "ping" }), stuck: () => events.stuck(this) });
    this.#events = events;
  }

  /** The worker has reported that it serves. */
  get started(): boolean {
    return this.#hasStarted;
  }

  get closedRoutes(): readonly string[] {
    return this.#closedRoutes;
  }

  /** The worker serves from now on. */
  begin(): void {
    this.#hasStarted = true;
    this.#pulse.begin();
  }

  /** A message with the changes of the state since the last message. */
  toldOf({ config, ...others }: Served): Told {
    return { ...others, delta: this.#told.tell(config) };
  }

  /** Sends a message after the worker's previous reply, and returns its reply; `ended` if its process ends. */
  ask(message: () => ToWorker): Promise<FromWorker> {
    const response = this.#turn.then(
      () =>
        new Promise<FromWorker>((resolve) => {
          this.#reply = resolve;
          if (this.#isEnded || !this.send(message())) resolve({ kind: "ended" });
        }),
    );
    this.#turn = response;
    return response;
  }

  /** False if the process is gone, or about to be: its channel closes before `onExit` reports its end. */
  send(message: ToWorker): boolean {
    try {
      if (message.kind !== "start" && message.kind !== "reload") {
        this.process.send(message);
        return true;
      }
      const parts = partsOf(message.delta);
      for (;;) {
        const { done, value } = parts.next();
        this.process.send(done === true ? { ...message, delta: value } : { kind: "runs", runs: value });
        if (done === true) return true;
      }
    } catch {
      return false;
    }
  }

  /** Ends the process, which has not started. Resolves when another one may have its row. */
  async discard(): Promise<void> {
    this.#isEnded = true;
    this.process.kill("SIGKILL");
    await this.process.exited;
  }

  #heard(message: FromWorker): void {
    this.#pulse.heard();
    switch (message.kind) {
      case "alive":
        return;
      case "event":
      case "requests":
      case "log":
      case "endpoints":
        this.#events.heard(this, message);
        return;
      case "control_call":
      case "control_forget":
        this.control.heard(message);
        return;
      case "tenants":
        this.tenants.heard(message);
        return;
      case "started":
      case "reloaded":
        this.#closedRoutes = message.closedRoutes;
        this.#reply?.(message);
        return;
      case "certified":
      case "failed":
      case "ended":
      default:
        this.#reply?.(message);
    }
  }

  #died(): void {
    this.#isEnded = true;
    this.#reply?.({ kind: "ended" });
    this.control.close();
    this.tenants.close();
    this.#pulse.end();
    this.#events.died(this);
  }
}

function spawnWorker(
  zone: number,
  heard: { readonly ipc: (message: FromWorker) => void; readonly onExit: () => void },
): Subprocess {
  try {
    return Bun.spawn([process.execPath, new URL("./worker.ts", import.meta.url).pathname], {
      stdio: ["ignore", "inherit", "inherit", zone],
      // The variables that the configuration names follow in a message.
      env: childEnvironment(),
      ...heard,
    });
  } catch (error) {
    throw new NoRoomError(`Cannot start a worker: ${messageOf(error)}`, { cause: error });
  }
}
