import { call, session } from "./client.ts";
import { Problem } from "./problem.ts";
import { type Session } from "./shapes.ts";

/** Asks whether the cookie of an earlier log-in still counts. */
export async function resumeSession(): Promise<void> {
  try {
    session.set({ kind: "open", session: (await call<Session>("/v1/session")).body });
  } catch (error) {
    // A gateway that is away, or just starting, is asked again.
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    session.set({ kind: "none", lost: false });
  }
}

/** Shows the key, once: from then on the browser has a cookie that no script can read. */
export async function logIn(key: string): Promise<void> {
  const { body } = await call<Session>("/v1/session", { method: "POST", body: { key } });
  session.set({ kind: "open", session: body });
}

export async function logOut(): Promise<void> {
  await call("/v1/session", { method: "DELETE" });
  session.set({ kind: "none", lost: false });
}
