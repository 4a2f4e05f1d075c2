import { Store } from "./store.ts";
import { Problem } from "./problem.ts";
import { type Diagnostic, type Json, type ProblemBody, type Session } from "./shapes.ts";

/** Milliseconds after which a gateway that does not respond counts as offline. */
const TIMEOUT_MS = 20_000;

export type SessionState =
  | { readonly kind: "unknown" }
  /** `lost`: a session has ended. The views and the typed input are still there. */
  | { readonly kind: "none"; readonly lost: boolean }
  | { readonly kind: "open"; readonly session: Session };

export const session = new Store<SessionState>({ kind: "unknown" });

/** The time since which the gateway has not responded, in milliseconds of the clock; undefined while it responds. */
export const offlineSince = new Store<number | undefined>(undefined);

export const warned = new Store<readonly Diagnostic[]>([]);

/** Asks the user whether paths may lose guards by a change. The page sets the question. */
export const insistence: { ask: (problem: Problem) => Promise<boolean> } = { ask: () => Promise.resolve(false) };

export interface ApiResponse<T> {
  readonly body: T;
  readonly etag: string | undefined;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: Json | undefined;
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** In place of the session's token. */
  readonly csrfToken?: string;
}

/** Sends a request to the admin interface. Rejects with a Problem if the gateway refuses it or does not respond. */
export async function call<T>(path: string, options: Call = {}): Promise<ApiResponse<T>> {
  const response = await send(path, options);
  if (response.ok) {
    // The shapes follow the interface's description. The tests compare the two.
    const body = (await readJson(response)) as T;
    if (options.method !== undefined && path !== "/v1/config/check") warned.set(warningsOf(body));
    return { body, etag: response.headers.get("etag") ?? undefined };
  }
  if (response.status === 401 && session.value.kind === "open") session.set({ kind: "none", lost: true });
  const problem = await problemFrom(response);
  const mayForce = problem.body.code === "guard_lost" && (await insistence.ask(problem));
  if (mayForce) return await call<T>(`${path}${path.includes("?") ? "&" : "?"}force=true`, options);
  throw problem;
}

function warningsOf(body: unknown): readonly Diagnostic[] {
  const { warnings = [] } = body as { readonly warnings?: readonly Diagnostic[] };
  return warnings;
}

async function send(path: string, { method = "GET", body, ifMatch, signal, csrfToken }: Call): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (ifMatch !== undefined) headers["if-match"] = ifMatch;
  const state = session.value;
  const token = method !== "GET" && state.kind === "open" ? state.session.csrf_token : csrfToken;
  if (token !== undefined) headers["x-csrf-token"] = token;
  try {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    offlineSince.set(undefined);
    return response;
  } catch {
    if (signal?.aborted !== true) offlineSince.set(offlineSince.value ?? Date.now());
    throw new Problem(0, { detail: "The gateway does not respond." });
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Problem(response.status, { detail: "The gateway's response cannot be read." });
  }
}

async function problemFrom(response: Response): Promise<Problem> {
  let body: ProblemBody = {};
  try {
    const read: unknown = await response.json();
    // Every error response of the interface is a problem document.
    if (typeof read === "object" && read !== null) body = read;
  } catch {
    body = { detail: `The gateway responded with ${response.status} ${response.statusText}.` };
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new Problem(response.status, body, Number.isFinite(seconds) ? seconds : undefined);
}
