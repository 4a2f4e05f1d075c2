import { type NewNotice } from "../../store/outbox.ts";
import { VERSION } from "../../lib/version.ts";
import { webhookHeaders } from "./webhook-secret.ts";

/** Time for one post, in milliseconds. @bound */
const POST_TIMEOUT_MS = 10_000;

/** `cause` is for the log: it names neither address nor answer. */
export type PostResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: number | undefined; readonly cause: string };

export interface PostOptions {
  readonly secrets: readonly Uint8Array[];
  /** Unix milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeoutMs?: number;
}

/** Posts a record once, signed by Standard Webhooks if there is a secret. Of the answer only the status counts; nothing else of it is read. */
export async function postNotice(notice: NewNotice, options: PostOptions): Promise<PostResult> {
  const { secrets, now, signal, timeoutMs = POST_TIMEOUT_MS } = options;
  const webhook = { id: notice.id, timestamp: Math.floor(now / 1000), body: notice.body };
  try {
    const response = await fetch(notice.url, {
      method: "POST",
      // A redirect would carry the record to wherever it points.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
      headers: {
        "content-type": "application/json",
        "user-agent": `Turnpike/${VERSION}`,
        ...webhookHeaders(webhook, secrets),
      },
      body: notice.body,
    });
    await response.body?.cancel();
    const { status } = response;
    return status >= 200 && status < 300 ? { ok: true } : { ok: false, status, cause: `status ${status}` };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === "TimeoutError";
    return { ok: false, status: undefined, cause: timedOut ? `no response within ${timeoutMs} ms` : "no connection" };
  }
}
