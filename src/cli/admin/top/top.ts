import { overview } from "../../../gateway/admin/shapes/overview.ts";
import { payments } from "../../../gateway/admin/shapes/payments.ts";
import { status as statusShape } from "../../../gateway/admin/shapes/status.ts";
import { messageOf } from "../../../lib/caught.ts";
import { pause } from "../../../lib/time/pause.ts";
import { isColored } from "../../common/terminal.ts";
import { type AdminClient, AdminUnreachable } from "../admin-client.ts";
import { type AdminCommand, readAs } from "../admin-command.ts";
import { AdminRefused } from "../admin-refused.ts";
import { parseEvent } from "../events.ts";
import { readEvents } from "../server-events.ts";
import { frameOf } from "./frame.ts";
import { readKeys } from "./keys.ts";
import { Screen } from "./screen.ts";
import { COLORED, COLORLESS, type Paint } from "./spans.ts";
import { TopState } from "./top-state.ts";

/** Milliseconds between two requests to the gateway. */
const LOOK_MS = 1000;
/** Only one of this number of requests also reads payments and version, which cost the gateway more. */
const SLOW_LOOKS = 10;
/** Milliseconds until a lost stream of events is requested again. */
const EVENTS_RETRY_MS = 2000;

/** `turnpike top`: a live view of a running gateway. */
export const TOP: AdminCommand = {
  about:
    "Shows a live view of a running gateway, updated each second: requests per second, errors, latency, routes, servers and their health, payments, events. It continues after a restart of the gateway. In the view: q quits, h shows all keys.\n\nIt has no colours if NO_COLOR is set. Without a terminal, use turnpike status, upstreams, usage and events.",
  json: null,
  forms: {
    "": {
      read:
        (_words, { json }) =>
        async (client) => {
          if (json !== true && process.stdout.isTTY && process.stdin.isTTY) return await new LiveView(client).run();
          throw new Error(
            "Cannot show a live view: this is not a terminal; use turnpike status, upstreams, usage or events",
          );
        },
    },
  },
};

class LiveView {
  readonly #client: AdminClient;
  readonly #state: TopState;
  readonly #screen = new Screen();
  readonly #over = new AbortController();
  readonly #paint: Paint = isColored(1) ? COLORED : COLORLESS;
  /** The error that ended the view. Undefined: the user quit. */
  #failure: unknown;
  #looks = 0;

  constructor(client: AdminClient) {
    this.#client = client;
    this.#state = new TopState(client.endpoint.url.origin);
  }

  async run(): Promise<number> {
    // An error of the first request is printed as a normal message, before the view opens.
    await this.#look();
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => this.#quit());
    process.on("SIGWINCH", () => this.#draw());
    this.#screen.enter((text) => this.#type(text));
    try {
      this.#draw();
      void this.#listen();
      await this.#watch();
    } finally {
      this.#screen.leave();
    }
    if (this.#failure !== undefined) throw this.#failure;
    return 0;
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await pause(LOOK_MS, this.#over.signal);
      if (this.#over.signal.aborted) return;
      try {
        await this.#look();
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (!isPassing(error)) throw error;
        this.#state.trouble = reasonOf(error);
      }
      if (!this.#state.isPaused) this.#draw();
    }
  }

  async #look(): Promise<void> {
    const { signal } = this.#over;
    this.#state.took(readAs(this.#client, overview, await this.#client.json({ path: "/overview", signal })));
    if (this.#looks++ % SLOW_LOOKS !== 0) return;
    const [status, money] = await Promise.all([
      this.#client.json({ path: "/status", signal }),
      this.#client.json({ path: "/payments", signal }),
    ]);
    this.#state.version = readAs(this.#client, statusShape, status).version;
    this.#state.money = readAs(this.#client, payments, money);
  }

  /** Reads recent and new events until the view ends. */
  async #listen(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        const bytes = this.#client.stream(
          { path: "/events?since=0", headers: { accept: "text/event-stream" } },
          signal,
        );
        for await (const { data } of readEvents(bytes)) {
          const event = parseEvent(data);
          if (event !== undefined) this.#state.add(event);
        }
      } catch {
        // The requests for figures already show whether the gateway responds.
      }
      await pause(EVENTS_RETRY_MS, this.#over.signal);
    }
  }

  #type(text: string): void {
    for (const key of readKeys(text)) {
      if (key === "quit") this.#quit();
      else if (key === "suspend") this.#screen.suspend();
      else this.#state.press(key);
    }
    if (!this.#over.signal.aborted) this.#draw();
  }

  #quit(): void {
    this.#over.abort();
  }

  #draw(): void {
    if (this.#over.signal.aborted) return;
    try {
      this.#screen.draw(frameOf(this.#state, this.#screen.size, this.#paint));
    } catch (error) {
      this.#failure = error;
      this.#quit();
    }
  }
}

/** True if a later request may succeed: the gateway is unreachable or overloaded. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof AdminUnreachable ||
    (error instanceof AdminRefused && (error.status === 429 || error.status >= 500))
  );
}

/** The error in a few words. The view already shows the address. @internal */
export function reasonOf(error: unknown): string {
  return (
    messageOf(error)
      .replace(/^Cannot \w+ (?:the response of )?https?:\/\/[^ ]+: /, "")
      .split(/[;,]/)[0] ?? ""
  );
}
