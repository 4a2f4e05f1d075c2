import { TurnpikeError } from "../../lib/errors.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { isObject, type JsonRecord } from "../../lib/is-object.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { type Jobs } from "../jobs/jobs.ts";
import { checkBody, invalidParameters, type OperationResult, type Services } from "../operations/operation.ts";
import { ModelError } from "../resolve/model/model-error.ts";
import { stateOf } from "./job-state.ts";
import { jobOf, resultsOf } from "./job-status.ts";
import { extractBody } from "./options.ts";
import { type FieldsPage, merged } from "./merged-fields.ts";
import { addPages, inputOf } from "./site-jobs.ts";
import { type Ask } from "./surface.ts";

/** Failed pages that a response tells of. */
const MAX_WARNINGS = 20;

const MADE_SCHEMA = "A language model has chosen the fields, from the prompt. Send a schema to choose them yourself.";

/** `POST /v2/extract`: a job that reads the fields of a schema from given pages. */
export async function startExtract(ask: Ask, services: Services): Promise<OperationResult> {
  const { schema: given, prompt, showSources, scrapeOptions, ...pages } = checkBody(extractBody, ask.body);
  const { urls, ignoreInvalidURLs } = pages;
  const schema = given ?? (await schemaFor(prompt, ask, services));
  const options = { ...scrapeOptions, formats: [{ type: "json" as const, schema, prompt }] };
  const extract = { showSources, madeSchema: given === undefined };
  // A repeated request is for the same job, although the model may make another schema for it.
  const identity = given === undefined ? ask.body : undefined;
  return await addPages(ask, services, { path: "extract", urls, ignoreInvalidURLs, options, extract, identity });
}

/** A schema by the language model. Fails with a TurnpikeError. */
async function schemaFor(prompt: string | undefined, { signal }: Ask, { resolver: { schemaModel } }: Services) {
  if (prompt === undefined || schemaModel === undefined) {
    const why = prompt === undefined ? "or a prompt" : "because this service has no language model for a prompt alone";
    throw invalidParameters([{ path: "schema", message: `is required, ${why}` }]);
  }
  try {
    return await schemaModel.schemaFor(prompt, signal);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new TurnpikeError("model-failed", `Cannot make a schema of the prompt: ${error.message}`);
  }
}

/** `GET /v2/extract/ID`: the state of an extraction, and its data when it has ended and is paid. */
export async function extraction(ask: Ask, { jobs }: Services): Promise<OperationResult> {
  const job = await jobOf(ask, jobs, "extract");
  const { expiresAt, creditsUsed } = stateOf(job, true);
  if (!jobs.isComplete(job))
    return { json: { success: true, status: "processing", data: [], expiresAt, creditsUsed: 0 } };
  const { pages, failures } = await readPages(job, jobs);
  const { data, sources } = merged(pages);
  const { showSources = false, madeSchema = false } = inputOf(job)?.extract ?? {};
  const about = {
    data,
    expiresAt,
    creditsUsed,
    ...(showSources ? { sources } : {}),
    ...(madeSchema ? { warning: MADE_SCHEMA } : {}),
    ...(failures.length === 0 ? {} : { warnings: failures.slice(0, MAX_WARNINGS) }),
  };
  if (job.state === "completed" && pages.length > 0) return { json: { success: true, status: "completed", ...about } };
  const status = job.state === "cancelled" ? "cancelled" : "failed";
  const error = job.reason === "" ? (failures[0] ?? "No page was delivered") : `The job has ended: ${job.reason}`;
  return { json: { success: false, status, error, ...about } };
}

/** The fields of the delivered pages in the order of the request, and the errors of the others. */
async function readPages(job: Job, jobs: Jobs) {
  const { urls = [] } = inputOf(job)?.order ?? {};
  const placeOf = new Map(urls.map((url, at) => [new URL(url).href, at]));
  const pages: FieldsPage[] = [];
  const failures: string[] = [];
  for await (const { json } of resultsOf(job, jobs, 0)) {
    const result = parsedJson(json);
    if (!isObject(result)) continue;
    const url = String(result["url"]);
    const { json: fields } = (result["document"] ?? {}) as { readonly json?: JsonRecord }; // `readDocument` made it.
    if (fields === undefined) failures.push(`${url}: ${String(result["error"])}`);
    else pages.push({ url, fields });
  }
  const ordered = pages.toSorted((a, b) => (placeOf.get(a.url) ?? 0) - (placeOf.get(b.url) ?? 0));
  return { pages: ordered, failures };
}
