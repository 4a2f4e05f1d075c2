import { z } from "@hono/zod-openapi";
import { messageOf } from "../../lib/caught.ts";
import { type ErrorCode, ERRORS, TurnpikeError } from "../../lib/errors.ts";
import { cutContent, type CutContent, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type Answer, postOperation, type Services } from "./operation.ts";
import { contentParameters, evaluateOf, pageContent } from "./page-content.ts";
import { PAGE_FAILURES, pageParameters, pageRequest, pageUrl } from "./page-parameters.ts";

const MAX_URLS = 20;

/** Content of all pages of one answer, in bytes: the gateway holds an answer until it is paid for. */
const MAX_CONTENT_BYTES = 24 * 1024 * 1024;

const { url: _, ...sharedParameters } = pageParameters;

const body = z
  .strictObject({
    urls: z
      .array(pageUrl)
      .min(1)
      .max(MAX_URLS)
      .openapi({ description: "Pages to load", example: ["https://example.com/", "https://example.org/"] }),
    ...sharedParameters,
    ...contentParameters,
  })
  .openapi("BatchRequest");

const result = z
  .object({
    url: z.string(),
    format: z.string(),
    content: z.string().optional(),
    metadata: metadataSchema.optional(),
    error: z.string().optional().openapi({ description: "Why there is no content; only where this page failed" }),
    error_type: z.string().optional().openapi({ description: "The problem type of the error" }),
  })
  .openapi("BatchResult");

const answer = z
  .object({
    results: z.array(result).openapi({ description: "One for each URL, in their order" }),
    total_time_ms: z.int().openapi({ description: "Time taken for all, in milliseconds" }),
  })
  .openapi("BatchResponse");

type Input = z.output<typeof body>;
type Outcome = CutContent | TurnpikeError;

export const batch = postOperation(
  {
    name: "batch",
    path: "/batch",
    price: "$0.05",
    summary: "Retrieve up to 20 pages at once",
    description:
      "Loads all pages at the same time, each by itself, and gives their contents in the order of `urls`. A page that " +
      "fails has an `error` in place of its content and harms no other. An address that is named twice is loaded once. " +
      "Where every page failed, the answer is an error, and nothing is charged.",
    body,
    example: { urls: ["https://example.com/", "https://example.org/missing"], format: "text" },
    success: {
      description: "The pages' contents",
      contentType: "application/json",
      schema: answer,
      example: {
        results: [
          {
            url: "https://example.com/",
            format: "text",
            content: "Example Domain\nThis domain is for use in documentation examples.",
            metadata: METADATA_EXAMPLE,
          },
          {
            url: "https://example.org/missing",
            format: "text",
            error: "Cannot load the page: its host name has no address",
            error_type: "urn:turnpike:error:page-failed",
          },
        ],
        total_time_ms: 640,
      },
    },
    failures: [...PAGE_FAILURES, "scrape-failed"],
  },
  async (input, services, signal): Promise<Answer> => {
    const startedAt = performance.now();
    const { urls, format } = input;
    const load = loader(input, services, signal);
    const admit = admission();
    const outcomes = await Promise.all(urls.map(async (url) => ({ url, outcome: admit(await load(url)) })));
    const failures = outcomes.map(({ outcome }) => outcome).filter((outcome) => outcome instanceof TurnpikeError);
    if (failures.length === urls.length) throw allFailed(failures);
    const results = outcomes.map(({ url, outcome }) => ({ url, format, ...describe(outcome) }));
    return { json: { results, total_time_ms: Math.round(performance.now() - startedAt) } };
  },
);

/** Loads each address once, and never fails. All have one signal: whoever shares out places knows them as one request. */
function loader(input: Input, services: Services, signal: AbortSignal): (url: string) => Promise<Outcome> {
  const outcomes = new Map<string, Promise<Outcome>>();
  const load = async (url: string): Promise<Outcome> => {
    const startedAt = performance.now();
    try {
      const request = pageRequest({ ...input, url }, signal, evaluateOf(input));
      const { content, page } = await pageContent(request, input, services.pages);
      return cutContent(content, input.max_length, page, startedAt);
    } catch (error) {
      if (error instanceof TurnpikeError) return error;
      services.log("error", `Cannot load a page of a batch: ${messageOf(error)}`);
      return new TurnpikeError("internal", "Cannot load the page: see the log");
    }
  };
  return (url) => {
    const { href } = new URL(url);
    const outcome = outcomes.get(href) ?? load(url);
    outcomes.set(href, outcome);
    return outcome;
  };
}

/** Lets contents into the answer while there is room; one that stands in it twice takes its room twice. */
function admission(): (outcome: Outcome) => Outcome {
  let room = MAX_CONTENT_BYTES;
  return (outcome) => {
    if (outcome instanceof TurnpikeError) return outcome;
    const bytes = Buffer.byteLength(outcome.content);
    if (bytes > room) {
      return new TurnpikeError("page-failed", "Cannot send the page: the batch is full; ask for less by max_length");
    }
    room -= bytes;
    return outcome;
  };
}

function describe(outcome: Outcome) {
  if (!(outcome instanceof TurnpikeError)) return outcome;
  return { error: outcome.message, error_type: `urn:turnpike:error:${outcome.code}` };
}

/** One kind of failure is that error; several are the pages' failure to load. */
function allFailed(failures: readonly TurnpikeError[]): TurnpikeError {
  const [first] = failures;
  const code: ErrorCode =
    new Set(failures.map((failure) => failure.code)).size === 1 ? (first?.code ?? "page-failed") : "page-failed";
  const [own] = failures.length === 1 || ERRORS[code].origin === "client" ? failures : [];
  const errors = failures.map(({ message }, at) => ({ path: `urls.${at}`, message }));
  return new TurnpikeError(
    code,
    own?.message ?? `Cannot load any of the ${failures.length} pages`,
    own?.errors ?? errors,
  );
}
