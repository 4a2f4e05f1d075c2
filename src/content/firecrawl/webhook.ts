import { createHmac } from "node:crypto";
import { TurnpikeError } from "../../lib/errors.ts";
import { isObject } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type JobEvent } from "../jobs/job-events.ts";
import { hashOf } from "../jobs/sale.ts";
import { MAX_BODY_BYTES, type Notice, type PostForm } from "../jobs/webhook.ts";
import { type OperationResult } from "../operations/operation.ts";
import { documentIn } from "./job-state.ts";
import { inputOf } from "./site-jobs.ts";
import { type Ask } from "./surface.ts";

/** `GET /v2/team/webhook-secret`: the secret that signs the webhooks of all jobs of a key. */
export async function webhookSecret({ owner }: Ask): Promise<OperationResult> {
  const secret = secretOf(hashOf(owner));
  if (secret === undefined)
    throw new TurnpikeError("unauthorized", "Cannot sign webhooks: this needs a key as Authorization: Bearer");
  return { json: { success: true, data: { secret } } };
}

/** The secret is made from the hash that the store has. All jobs without a key have one hash, so they have no secret. */
function secretOf(secretHash: Buffer): string | undefined {
  if (secretHash.equals(hashOf(""))) return undefined;
  return createHmac("sha256", secretHash).update("firecrawl webhooks").digest("hex");
}

/** The request for an event in Firecrawl's form. */
export const documentPost: PostForm = (notice) => {
  const { job } = notice;
  const whole = bodyOf(notice, (document) => document);
  const body = Buffer.byteLength(whole) <= MAX_BODY_BYTES ? whole : bodyOf(notice, metadataIn);
  const secret = secretOf(Buffer.from(job.secretHash, "hex"));
  const signature = secret && {
    "x-firecrawl-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  return { body, headers: { ...inputOf(job)?.webhook?.headers, ...signature } };
};

function bodyOf({ job, event, webhook }: Notice, shown: (document: string) => string): string {
  const kind = inputOf(job)?.order.given === true ? "batch_scrape" : "crawl";
  // Firecrawl has no event of a cancelled job.
  const type = event.type === "cancelled" ? "failed" : event.type;
  const document = event.type === "page" ? documentIn(event.data) : undefined;
  const { error, data } = document === undefined ? outcomeOf(event) : { error: undefined, data: shown(document) };
  const names = { type: `${kind}.${type}`, id: job.id, webhookId: `${job.id}-${event.number}` };
  const head = JSON.stringify({ success: error === undefined, ...names }).slice(0, -1);
  return `${head},"data":[${data}],${JSON.stringify({ metadata: webhook.metadata ?? {}, error }).slice(1)}`;
}

/** The error of an event without a document, and its data. */
function outcomeOf({ type, data }: JobEvent): { readonly error: string | undefined; readonly data: string } {
  const about = parsedJson(data);
  const said = isObject(about) ? about : {};
  if (type === "page") {
    const error = String(said["error"]);
    return { error, data: JSON.stringify({ metadata: { sourceURL: said["url"], error } }) };
  }
  const reason = typeof said["reason"] === "string" ? said["reason"] : "its client";
  if (type === "failed") return { error: `The job has ended: ${reason}`, data: "" };
  return { error: type === "cancelled" ? `The job was cancelled: ${reason}` : undefined, data: "" };
}

function metadataIn(document: string): string {
  const whole = parsedJson(document);
  const metadata = isObject(whole) ? whole["metadata"] : {};
  return JSON.stringify({ metadata, warning: "The document is too long for a webhook: read it from the job" });
}
