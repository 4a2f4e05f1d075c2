/** For tests only: an admin interface that a test scripts, and the parts of a browser that the page's modules use. */

type Respond = (request: Request) => Response | Promise<Response>;

/** Sends the page's requests to a server of the test, which responds as `respond` says. */
export function serveInterface(): { respond: Respond; readonly stop: () => void } {
  const before = globalThis.fetch;
  const served = {
    respond: (_request: Request): Response | Promise<Response> => new Response("", { status: 404 }),
    stop() {
      globalThis.fetch = before;
      void server.stop(true);
    },
  };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => served.respond(request) });
  const toServer = (path: string, init?: RequestInit): Promise<Response> => before(new URL(path, server.url), init);
  globalThis.fetch = Object.assign(toServer as typeof fetch, { preconnect: before.preconnect }); // the page passes paths
  return served;
}

/** Defines names of a browser until `undo`. */
export function defineGlobals(values: Readonly<Record<string, unknown>>): () => void {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  return () => {
    for (const name of Object.keys(values)) Reflect.deleteProperty(globalThis, name);
  };
}

/** A stream of events that the test sends. */
export class FakeStream extends EventTarget {
  readonly path: string;
  isClosed = false;

  constructor(path: string, opened: (stream: FakeStream) => void) {
    super();
    this.path = path;
    opened(this);
  }

  close(): void {
    this.isClosed = true;
  }

  send(kind: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }));
  }
}

/** The modules of the page listen to the first document that they find, so that all tests of a process have one. */
const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
const streams: FakeStream[] = [];

class Stream extends FakeStream {
  constructor(path: string) {
    super(path, (stream) => streams.push(stream));
  }
}

/** Defines a document that `see` shows and hides, and an `EventSource` whose streams the test plays, until `undo`. */
export function openPage() {
  streams.splice(0);
  return {
    streams,
    undo: defineGlobals({ document: page, EventSource: Stream }),
    see: (state: "visible" | "hidden"): void => {
      page.visibilityState = state;
      page.dispatchEvent(new Event("visibilitychange"));
    },
  };
}
