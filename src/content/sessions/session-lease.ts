import { SESSION_LEASE_MS, type SessionStore, type TakenSession } from "../../store/jobs/session-store.ts";

const RENEW_MS = SESSION_LEASE_MS / 3;

export interface SessionLease {
  /** Aborted when another use has the session, or may have it because no renewal has succeeded for the time of a lease. */
  readonly lost: AbortSignal;
  end(): void;
}

/**
 * Renews a lease until its end. `since` is the time before the session was taken. `now` gives monotonic milliseconds.
 *
 * The holder of a session is a use, not a service: any service can load the state from the store. A write with an older number
 * is refused. If the store's clock is set forward, a second use can get the session: the first one then stops within 5 s, and
 * keeps nothing. A second call does not wait, so that one client cannot fill a queue.
 */
export function holdLease(
  store: Pick<SessionStore, "renew">,
  taken: TakenSession,
  { since, now }: { readonly since: number; readonly now: () => number },
): SessionLease {
  const lost = new AbortController();
  let heldUntil = since + SESSION_LEASE_MS;
  let over: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearInterval(renewing);
    clearTimeout(over);
    heldUntil = Infinity;
  };
  const lose = (): void => {
    end();
    lost.abort();
  };
  const watch = (until: number): void => {
    if (until < heldUntil) return;
    heldUntil = until;
    clearTimeout(over);
    over = setTimeout(lose, until - now());
  };
  const renew = async (): Promise<void> => {
    const began = now();
    const isHeld = await store.renew(taken).catch(() => undefined);
    if (isHeld === false) lose();
    if (isHeld === true) watch(began + SESSION_LEASE_MS);
  };
  const renewing = setInterval(() => void renew(), RENEW_MS);
  watch(heldUntil);
  return { lost: lost.signal, end };
}
