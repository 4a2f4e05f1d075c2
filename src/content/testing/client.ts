import { type ContentService } from "../service.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON body, without checks of its content. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
}

/** The base URL of a service on TCP. */
export function baseUrl(service: ContentService): string {
  const { address } = service;
  if ("unix" in address) throw new Error("Cannot name a URL: the service listens on a Unix socket");
  return `http://${address.hostname}:${address.port}`;
}

/** Calls an operation with a JSON body, or with a text that is sent unchanged. */
export async function call(
  service: ContentService,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const response = await fetch(baseUrl(service) + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const json: unknown = isJson ? JSON.parse(Buffer.from(bytes).toString()) : {};
  // Each JSON response of the service is an object.
  return { status: response.status, headers: response.headers, json: json as Reply["json"], bytes };
}

/** The status of a reply with, if it is an error, the last part of its type: `500 page-timeout`. */
export function outcomeOf({ status, json }: Reply): string {
  const code = /^urn:turnpike:error:(.+)$/.exec(String(json["type"]))?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}
