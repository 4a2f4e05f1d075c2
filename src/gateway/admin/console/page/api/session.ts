import { call, session } from "./client.ts";
import { Problem } from "./problem.ts";
import { type Session } from "./shapes.ts";

/** Checks whether the cookie of an earlier log-in is still valid. */
export async function resumeSession(): Promise<void> {
  try {
    session.set({ kind: "open", session: (await call<Session>("/v1/session")).body });
  } catch (error) {
    // If the gateway is offline or just starting, the request is repeated.
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    session.set({ kind: "none", lost: false });
  }
}

/** Sends the key once. After that, the browser has a cookie that no script can read. */
export async function logIn(key: string): Promise<void> {
  const { body } = await call<Session>("/v1/session", { method: "POST", body: { key } });
  session.set({ kind: "open", session: body });
}

export async function logOut(): Promise<void> {
  await call("/v1/session", { method: "DELETE" });
  session.set({ kind: "none", lost: false });
}
