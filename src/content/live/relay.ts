import { parsedJson } from "../../lib/parsed-json.ts";
import { CdpError, type CdpConnection, type CdpFields } from "../browser/program/cdp.ts";
import { verdictOn } from "./allowed.ts";

/** Calls of a client that wait for a response at one time, and their bytes. @operator Further ones get an error. @bound */
const MAX_OPEN_CALLS = 1_000;
const MAX_OPEN_BYTES = 32 * 1024 * 1024;
/**
 * Sessions of a client with targets of its browser at one time. A call for a further one gets an error, and one that begins by
 * itself ends. @internal
 */
export const MAX_SESSIONS = 1_000;
/** Characters of the name of a call, and of a session. */
const MAX_NAME = 200;

/** Calls by which a client uses a page. */
const USES = /^(?:Input|Page|Runtime)\./;

/** Error codes of JSON-RPC, which the protocol has from there. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

/** The members of a call that its response repeats. */
interface Caller {
  readonly id: number;
  readonly sessionId: string;
}

interface Call extends Caller {
  readonly method: string;
  readonly params: CdpFields;
}

export interface RelayClient {
  send(text: string): void;
  closed(): void;
}

/**
 * Passes calls of one client on to its browser, and events back. The client has a session with the browser of its own, whose
 * end undoes all that the client has set up. Its calls name this session or those below it; others do not exist for it.
 */
export class Relay {
  readonly #cdp: CdpConnection;
  readonly #root: string;
  readonly #client: RelayClient;
  readonly #onUse: (target: string) => void;
  readonly #sessions = new Map<string, string>();
  #openCalls = 0;
  #openBytes = 0;
  #closed = false;

  private constructor(
    cdp: CdpConnection,
    root: string,
    { client, onUse }: { readonly client: RelayClient; readonly onUse: (target: string) => void },
  ) {
    this.#cdp = cdp;
    this.#root = root;
    this.#client = client;
    this.#onUse = onUse;
  }

  /** Begins a session for a client. Fails if the browser has ended. `onUse` is called with each target that the client uses. */
  static async open(cdp: CdpConnection, client: RelayClient, onUse: (target: string) => void): Promise<Relay> {
    const { sessionId } = await cdp.send("Target.attachToBrowserTarget");
    return new Relay(cdp, String(sessionId), { client, onUse });
  }

  /** Ends the client's session with the browser. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#detach(this.#root);
  }

  #detach(sessionId: string): void {
    this.#cdp.send("Target.detachFromTarget", { sessionId }).catch(() => undefined);
  }

  /** Takes a message of the client. Never throws. */
  receive(message: string | Uint8Array): void {
    if (this.#closed) return;
    const call = typeof message === "string" ? callOf(message) : { code: INVALID_REQUEST, error: "Messages are texts" };
    if ("error" in call)
      return this.#client.send(JSON.stringify({ id: call.id, error: { code: call.code, message: call.error } }));
    const { method, params, sessionId } = call;
    // A call of a session that has ended waits for ever: its parameters must not stay with it.
    const caller = { id: call.id, sessionId };
    if (sessionId !== "" && !this.#sessions.has(sessionId))
      return this.#fail(caller, "Session with given id not found.");
    if (method === "Browser.close") {
      this.#respond(caller, {});
      return this.#client.closed();
    }
    const attaches = method.startsWith("Target.attachTo");
    if (attaches && this.#sessions.size >= MAX_SESSIONS) return this.#fail(caller, "Too many sessions are open");
    const verdict = verdictOn(method, params);
    if ("error" in verdict) return this.#fail(caller, verdict.error);
    if (method === "Target.activateTarget") this.#onUse(String(params["targetId"]).slice(0, MAX_NAME));
    else if (USES.test(method)) this.#onUse(this.#sessions.get(sessionId) ?? "");
    const bytes = message.length;
    if (this.#openCalls >= MAX_OPEN_CALLS || this.#openBytes + bytes > MAX_OPEN_BYTES)
      return this.#fail(caller, "Too many calls are open");
    this.#openCalls += 1;
    this.#openBytes += bytes;
    const over = (): void => {
      this.#openCalls -= 1;
      this.#openBytes -= bytes;
    };
    const reject = (error: unknown): void => {
      over();
      this.#fail(
        caller,
        error instanceof CdpError ? error.reason : "The browser has ended, or cannot be called like this",
      );
    };
    const resolve = (result: CdpFields): void => {
      over();
      const { sessionId: made } = result;
      const isNew = typeof made === "string" && !this.#sessions.has(made);
      if (attaches && isNew) this.#sessions.set(made, "");
      this.#respond(caller, result);
    };
    try {
      this.#cdp.post(method, verdict.params, sessionId === "" ? this.#root : sessionId, { resolve, reject });
    } catch (error) {
      // Parameters can be nested too deeply to be written.
      reject(error);
    }
  }

  /** Takes an event of the browser. */
  observe(method: string, params: CdpFields, sessionId: string): void {
    if (this.#closed || !(sessionId === this.#root || this.#sessions.has(sessionId))) return;
    const about = String(params["sessionId"]);
    // As the protocol defines it.
    const { targetId } = (params["targetInfo"] ?? {}) as CdpFields;
    if (method === "Target.attachedToTarget") {
      if (this.#sessions.size >= MAX_SESSIONS) return this.#detach(about);
      this.#sessions.set(about, String(targetId));
    }
    const session = sessionId === this.#root ? {} : { sessionId };
    this.#client.send(JSON.stringify({ method, params, ...session }));
    if (method === "Target.detachedFromTarget") this.#sessions.delete(about);
  }

  #respond({ id, sessionId }: Caller, result: CdpFields): void {
    if (!this.#closed) this.#client.send(JSON.stringify({ id, result, ...(sessionId === "" ? {} : { sessionId }) }));
  }

  #fail({ id, sessionId }: Caller, message: string): void {
    const error = { code: SERVER_ERROR, message };
    if (!this.#closed) this.#client.send(JSON.stringify({ id, error, ...(sessionId === "" ? {} : { sessionId }) }));
  }
}

interface Invalid {
  readonly id?: number;
  readonly code: number;
  readonly error: string;
}

function callOf(text: string): Call | Invalid {
  const message = parsedJson(text);
  if (message === undefined) return { code: PARSE_ERROR, error: "The message is not JSON" };
  if (typeof message !== "object" || message === null)
    return { code: INVALID_REQUEST, error: "The message is not an object" };
  // Any object has members of unknown types.
  const { id, method, params = {}, sessionId = "" } = message as Readonly<Record<string, unknown>>;
  if (typeof id !== "number" || !Number.isSafeInteger(id))
    return { code: INVALID_REQUEST, error: "The id is not an integer" };
  if (typeof method !== "string" || method.length > MAX_NAME)
    return { id, code: INVALID_REQUEST, error: "The method is not a name" };
  if (typeof sessionId !== "string" || sessionId.length > MAX_NAME)
    return { id, code: INVALID_REQUEST, error: "The sessionId is not a name" };
  if (typeof params !== "object" || params === null || Array.isArray(params))
    return { id, code: INVALID_REQUEST, error: "The params are not an object" };
  return { id, method, params: params as CdpFields, sessionId }; // checked above
}
