import { languagesOf, type OwnRequest, type PageMethod } from "./own-request.ts";

/** The type of a body without a Content-Type field of the caller: that of a form. */
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The caller's part of one request among the redirects of a visit. */
export interface OwnHop {
  readonly method: PageMethod;
  readonly headers: OwnRequest["headers"];
  readonly body: Uint8Array | undefined;
  /** Bytes of the body. Undefined: there is no body. */
  readonly length: number | undefined;
  readonly languages: string | undefined;
}

/** The caller's part of the first request. */
export function firstHop({ headers, method, body, language }: OwnRequest): OwnHop {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const isTyped = headers.some(([name]) => name.toLowerCase() === "content-type");
  return {
    method,
    headers: bytes === undefined || isTyped ? headers : [...headers, ["Content-Type", FORM_TYPE]],
    body: bytes,
    // A server may wait for the length of a method that usually has a body.
    length: bytes?.length ?? (method === "GET" || method === "DELETE" ? undefined : 0),
    languages: language === undefined ? undefined : languagesOf(language),
  };
}

/** Fields that describe the body. */
const OF_BODY = /^content-/i;

/**
 * The caller's part of the request after a redirect, as in browsers (Fetch standard, HTTP-redirect fetch): a redirect
 * may turn the request into a GET without a body, and another origin never gets the caller's fields, not even after a
 * redirect back.
 */
export function nextHop(hop: OwnHop, { status, from, to }: { status: number; from: URL; to: URL }): OwnHop {
  const { method, headers } = from.origin === to.origin ? hop : { ...hop, headers: hop.headers.filter(isOfBody) };
  const isPost = method === "POST" && (status === 301 || status === 302);
  const isOther = method !== "GET" && (status === 303 || status === 200);
  if (!isPost && !isOther) return { ...hop, headers };
  return {
    ...hop,
    method: "GET",
    headers: headers.filter((field) => !isOfBody(field)),
    body: undefined,
    length: undefined,
  };
}

function isOfBody([name]: readonly [name: string, value: string]): boolean {
  return OF_BODY.test(name);
}
