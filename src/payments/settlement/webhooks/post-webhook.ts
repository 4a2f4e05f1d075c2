import { type NewNotice } from "../../../store/outbox.ts";
import { timeoutSignal } from "../../../lib/time/timeout-signal.ts";
import { VERSION } from "../../../lib/process/version.ts";
import { webhookHeaders } from "./webhook-secret.ts";

/** Timeout of one post, in milliseconds. Beyond it the post has failed. @bound */
const POST_TIMEOUT_MS = 10_000;

/** `cause` is for the log. It contains no address and no part of the response. */
export type PostResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: number | undefined; readonly cause: string };

/** The secrets that sign a post, and its limits. `signal` aborts it. */
export interface PostOptions {
  readonly secrets: readonly Uint8Array[];
  /** Unix milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeoutMs?: number;
}

/** Posts a record once, signed by Standard Webhooks if there is a secret. Reads only the status. */
export async function postNotice(notice: NewNotice, options: PostOptions): Promise<PostResult> {
  const { secrets, now, signal, timeoutMs = POST_TIMEOUT_MS } = options;
  const webhook = { id: notice.id, timestamp: Math.floor(now / 1000), body: notice.body };
  try {
    const response = await fetch(notice.url, {
      method: "POST",
      // A redirect would send the record to its target.
      redirect: "manual",
      signal: AbortSignal.any([timeoutSignal(timeoutMs), signal]),
      headers: {
        "content-type": "application/json",
        "user-agent": `Turnpike/${VERSION}`,
        ...webhookHeaders(webhook, secrets),
      },
      body: notice.body,
    });
    await response.body?.cancel();
    const { ok, status } = response;
    return ok ? { ok } : { ok, status, cause: `status ${status}` };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === "TimeoutError";
    return { ok: false, status: undefined, cause: timedOut ? `no response within ${timeoutMs} ms` : "no connection" };
  }
}
