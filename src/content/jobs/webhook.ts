import { createHmac } from "node:crypto";
import { webhookHeaders } from "../../payments/settlement/webhooks/webhook-secret.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { eventText, type JobEvent } from "./job-events.ts";

/** Bytes of a webhook's body. The content of a longer result is left out; `results` has it. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A receiver of the events of a job. */
export interface Webhook {
  readonly url: string;
  /** The types that it wants. Undefined: all. */
  readonly events?: readonly JobEvent["type"][] | undefined;
  /** Members that each body repeats. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface Notice {
  readonly job: Job;
  readonly event: JobEvent;
  readonly webhook: Webhook;
}

/** Makes the request for an event. `unixMs` is the time. */
export type PostForm = (
  notice: Notice,
  unixMs: number,
) => { readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** The webhook of a stored order. */
export function webhookOf({ order }: Pick<Job, "order">): Webhook | undefined {
  // An operation has checked the order before it was stored.
  return (JSON.parse(order) as { input: { webhook?: Webhook } }).input.webhook;
}

/**
 * The key that signs the webhooks of a job. It is made from the hash of its secret, which the store has, and from its id.
 * So each job has another key, and its receiver cannot read the job.
 */
export function signingKey({ id, secretHash }: Pick<Job, "id" | "secretHash">): Buffer {
  return createHmac("sha256", Buffer.from(secretHash, "hex")).update(`webhook ${id}`).digest();
}

/** The key as its owner gets it (Standard Webhooks). */
export function keyText(key: Buffer): string {
  return `whsec_${key.toString("base64")}`;
}

/** The request for an event by Standard Webhooks. */
export const signedPost: PostForm = (notice, unixMs) => {
  const { job, event } = notice;
  const body = bodyOf(notice);
  const signed = { id: `${job.id}.${event.number}`, timestamp: Math.floor(unixMs / 1000), body };
  return { body, headers: webhookHeaders(signed, [signingKey(job)]) };
};

function bodyOf({ job, event, webhook: { metadata } }: Notice): string {
  const more = metadata === undefined ? "" : `,"metadata":${JSON.stringify(metadata)}`;
  const text = eventText(job, event, more);
  if (Buffer.byteLength(text) <= MAX_BODY_BYTES) return text;
  return eventText(job, { ...event, data: shortened(event.data) }, more);
}

function shortened(data: string): string {
  // The service has written it (`resultOf`).
  const whole = JSON.parse(data) as object;
  const kept = Object.entries(whole).filter(([name]) => KEPT.has(name));
  return JSON.stringify({ ...Object.fromEntries(kept), content_left_out: true });
}

const KEPT = new Set(["number", "url", "depth", "format", "error", "kind"]);
