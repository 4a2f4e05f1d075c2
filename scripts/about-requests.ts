import { type ApiDocument, jobRequestsOf, type PlacedOperation, successOf } from "../src/content/api/api-document.ts";

/** A free request about a session or a browser, as the typed clients have it. */
export interface AboutRequest extends PlacedOperation {
  /** The name of the schema of the response. */
  readonly response: string;
  /** The member of the response to the creation with the secret, and the header field that takes it. */
  readonly secret: string;
  readonly field: string;
}

const SECRETS: Readonly<Record<string, Pick<AboutRequest, "secret" | "field">>> = {
  browserToken: { secret: "token", field: "x-browser-token" },
  sessionSecret: { secret: "secret", field: "x-session-secret" },
};

/** The requests about sessions and browsers. Those about jobs are methods of `Job`. */
export function aboutRequestsOf(document: ApiDocument): readonly AboutRequest[] {
  return jobRequestsOf(document).flatMap((request) => {
    const secret = Object.keys(request.security?.[0] ?? {}).map((name) => SECRETS[name])[0];
    const response = successOf(request)?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
    return secret === undefined ? [] : [{ ...request, ...secret, response }];
  });
}
