import { array, boolean, object, oneOf, strictObject, string, unknown } from "../../lib/schema.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type ChangesOrder, type PageChanges, type PageVersions, versionKey } from "../changes/page-versions.ts";
import { RemovedError } from "../changes/removed-error.ts";
import { isPublic } from "../page-cache/cacheable.ts";
import { type PageRequest, type PageSource } from "../page/page.ts";
import { failedMetadata } from "./metadata.ts";
import { invalidParameters, type OperationResult } from "./operation.ts";
import { sharingParameters } from "./page-parameters.ts";
import { flag } from "./text.ts";

/** A time by RFC 3339. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** The parameters of operations whose pages callers may share, and compare with an older version. */
export const keptParameters = {
  ...sharingParameters,
  changes: strictObject({
    since: string()
      .refine(
        (text) => text === "last" || (TIME.test(text) && !Number.isNaN(Date.parse(text))),
        "must be last or a time such as 2026-01-31T12:00:00Z",
      )
      .default("last")
      .describe("The version to compare with: the last one, or the one of this time"),
    mode: oneOf(["diff", "fields"])
      .default("diff")
      .describe("A unified diff of the content, or the changed members of content that is JSON"),
  })
    .openapi("Changes", {
      description: "Compare the page with a version that you received before, and keep it for the next time",
    })
    .optional(),
};

/** The same for operations whose responses have the terms of a page. Crawls always ask for them. */
export const visitParameters = {
  ...keptParameters,
  ai_terms: flag().describe("Read the files of the site with its terms for use by AI, and show them in metadata"),
};

/** The report about changes in a response. */
export const changesSchema = object({
  state: oneOf(["new", "same", "changed", "removed"]),
  compared_with: string()
    .optional()
    .openapi({ format: "date-time", description: "Time from which on the older version is known" }),
  diff: string().optional().describe("Unified diff of the content"),
  fields: array(object({ path: string(), before: unknown().optional(), after: unknown().optional() }))
    .optional()
    .describe("Changed members, by JSON Pointer"),
  truncated: boolean().optional().describe("True if the diff or the list is cut"),
})
  .optional()
  .openapi("PageChanges", { description: "Difference to an older version, if the request has `changes`" });

/** The parts of a request that decide with what a page is compared. */
export interface WatchOrder {
  readonly changes?: { readonly since: string; readonly mode: ChangesOrder["mode"] } | undefined;
  readonly private: boolean;
}

/** A client, and the versions of a service. A client without a name shares its versions with all others without one. */
export interface Watcher {
  readonly versions: PageVersions | undefined;
  readonly payer: string;
}

/** The page that is compared. `kind` names the content that is made of it. */
export interface WatchedPage {
  readonly request: PageRequest;
  readonly kind: string;
}

/** Throws `invalid-parameters` if the service keeps no versions for this client. */
export function assertWatchable(input: WatchOrder, { versions, payer }: Watcher): void {
  if (input.changes === undefined) return;
  if (versions === undefined)
    throw invalidParameters([
      { path: "changes", message: "needs versions of pages, which this service does not keep" },
    ]);
  if (input.private && payer === "") {
    throw invalidParameters([
      { path: "changes", message: "needs a payer for a private page, and the gateway does not name one" },
    ]);
  }
}

/** Compares one page with an older version, if the request has `changes`. */
export class Watch {
  readonly #order: ChangesOrder | undefined;
  readonly #versions: PageVersions | undefined;
  readonly #key: string;
  readonly #isOwn: boolean;

  /**
   * `last` is the Unix time up to which a version is the last one. For a job it is the job's begin, so that a page that
   * is loaded again gets the same result. Throws `invalid-parameters` if the service keeps no versions for this client.
   */
  constructor(
    input: WatchOrder,
    watcher: Watcher,
    { request, kind }: WatchedPage,
    last: ChangesOrder["since"] = "last",
  ) {
    assertWatchable({ ...input, private: input.private || (request.own ?? request.steps) !== undefined }, watcher);
    const { changes } = input;
    this.#order = changes && { mode: changes.mode, since: changes.since === "last" ? last : Date.parse(changes.since) };
    this.#versions = watcher.versions;
    this.#key = versionKey(watcher.payer, request, kind);
    this.#isOwn = watcher.payer !== "";
  }

  /** The member `changes` of a result. */
  async seen(content: string, source: PageSource): Promise<{ changes?: PageChanges }> {
    if (this.#order === undefined || this.#versions === undefined) return {};
    const isKept = source.complete && (this.#isOwn || isPublic(source));
    return { changes: await this.#versions.compare(this.#key, content, this.#order, isKept) };
  }

  /** The member `changes` of a failed result: that the page has gone, if an older version is known. */
  async gone(error: unknown): Promise<{ changes?: PageChanges }> {
    const status = error instanceof TurnpikeError ? error.members.page_status : undefined;
    if (this.#order === undefined || (status !== 404 && status !== 410)) return {};
    const changes = await this.#versions?.gone(this.#key, this.#order);
    return changes === undefined ? {} : { changes };
  }

  /** The error of a page. It is a `RemovedError` if the page has gone, and an older version is known. */
  async failure(error: unknown): Promise<unknown> {
    const { changes } = await this.gone(error);
    return changes !== undefined && error instanceof TurnpikeError ? new RemovedError(error, changes) : error;
  }

  /** The free response about a page that has gone. Fails with the error if no older version is known. */
  async removed(error: unknown, about: object, elapsedMs: () => number): Promise<OperationResult> {
    const gone = await this.gone(error);
    if (gone.changes === undefined || !(error instanceof TurnpikeError)) throw error;
    const metadata = failedMetadata(elapsedMs(), error.members.page_status);
    return { json: { ...about, content: "", metadata, ...gone }, charge: "0%" };
  }
}
