import { TurnpikeError } from "../../lib/errors.ts";
import { FORM_CHECK } from "../../payments/x402/charge.ts";
import { type Services } from "../operations/operation.ts";
import { isPlainUpload, plainUpload, type Upload, Uploads } from "../operations/upload.ts";

/** Bytes of a file that is read for a check. Of a longer one, only the parameters in the query are checked before its payment. */
const MAX_CHECKED_UPLOAD = 1024 * 1024;

/** Whether a gateway asks only for a check of the request's form, because the request is not paid. */
export function isFormCheck({ headers }: Pick<Request, "headers">): boolean {
  return headers.has(FORM_CHECK);
}

/** Thrown by the first use of a service: everything before it was accepted. */
const USED = new Error("a service was used");

/** Every service and each of its members: a function that throws. */
const unusable: unknown = new Proxy(() => undefined, {
  get: () => unusable,
  apply: () => {
    throw USED;
  },
});

/** Unpaid files do not take the places of paid ones. */
const small = new Uploads(MAX_CHECKED_UPLOAD);

const checking = {
  pages: unusable,
  search: unusable,
  files: unusable,
  fileChargeOf: unusable,
  chargeOf: unusable,
  versions: unusable,
  extractors: unusable,
  sites: unusable,
  jobs: unusable,
  sessions: unusable,
  live: unusable,
  resolver: unusable,
  browser: unusable,
  browserHealth: unusable,
  log: () => undefined,
  now: () => 0,
  uploads: unusable,
} satisfies Record<keyof Services, unknown>;

// Each member is a function, or has only functions.
const CHECKING = checking as unknown as Services;

/** Reads the files of checks. `paid` has the limit of the files that are read after a payment. */
function smallUploads(paid: Services["uploads"]): Services["uploads"] {
  return {
    checkLength: (request) => paid.checkLength(request),
    async with<T>(request: Request, use: (upload: Upload) => Promise<T>): Promise<T> {
      paid.checkLength(request);
      try {
        return await small.with(request, use);
      } catch (error) {
        if (!(error instanceof TurnpikeError) || error.code !== "body-too-large") throw error;
        if (!isPlainUpload(request)) throw USED;
        return await use(plainUpload(request, new Uint8Array(1)));
      }
    },
  };
}

/**
 * Runs an operation up to its first use of a service, so that its own checks decide. The response is 204 unless they throw a
 * TurnpikeError. Decision 0824.
 */
export async function checkedForm(
  run: (services: Services) => Promise<object>,
  { uploads }: Pick<Services, "uploads">,
): Promise<Response> {
  try {
    const made = await run({ ...CHECKING, uploads: smallUploads(uploads) });
    // An operation may take each use as the failure of one page.
    if ("release" in made && typeof made.release === "function") made.release();
  } catch (error) {
    if (error !== USED) throw error;
  }
  return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
}
