import { call, session } from "./client.ts";
import { Problem } from "./problem.ts";
import { type Session } from "./shapes.ts";

/** The key of the token in the browser's storage. Unlike the cookie, the storage differs for each port of the host. */
const TOKEN = "turnpike-csrf-token";

/** Checks whether the cookie and the token of an earlier log-in are still valid. */
export async function resumeSession(): Promise<void> {
  try {
    const { body } = await call<Session>("/v1/session", { csrfToken: localStorage.getItem(TOKEN) ?? "" });
    session.set(body.csrf_token === "" ? { kind: "none", lost: false } : { kind: "open", session: body });
  } catch (error) {
    // If the gateway is offline or just starting, the request is repeated.
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    session.set({ kind: "none", lost: false });
  }
}

/** Sends the key once. After that, the browser has a cookie that no script can read. */
export async function logIn(key: string): Promise<void> {
  const { body } = await call<Session>("/v1/session", { method: "POST", body: { key } });
  localStorage.setItem(TOKEN, body.csrf_token);
  session.set({ kind: "open", session: body });
}

export async function logOut(): Promise<void> {
  await call("/v1/session", { method: "DELETE" });
  localStorage.removeItem(TOKEN);
  session.set({ kind: "none", lost: false });
}
