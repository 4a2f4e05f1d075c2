import { type CallRequest, invalidParameters, type OperationResult, type Services } from "./operation.ts";
import { read, READ_PARAMETERS } from "./read.ts";

/** The path of the reader: the address of a page follows it, or is its parameter `url`. */
export const READER_PATH = "/r";

/** Parameters whose value is a text, whatever it looks like. */
const TEXTS = new Set(["url", "selector", "user_agent"]);

/**
 * `GET /r/https://example.com/`: the article of a page as Markdown, for clients that send no body. The query belongs to the
 * page. Parameters of `/read` are header fields, such as `X-Turnpike-Max-Age`, or those of `GET /r?url=…&max_age=60`.
 */
export async function readAddress(request: Request, services: Services): Promise<OperationResult> {
  const result = await read.run(bodyOf(request), services, request);
  if (!("json" in result)) throw new Error("Cannot write an article: the response is not JSON");
  const { json, charge } = result;
  const [title, content] = [String(json["title"]), String(json["content"])];
  const text = title === "" ? content : `# ${title}\n\n${content}`;
  return { bytes: new Uint8Array(Buffer.from(`${text}\n`)), contentType: "text/markdown; charset=utf-8", charge };
}

function bodyOf({ url, headers }: Pick<Request, "url"> & Pick<CallRequest, "headers">): Record<string, unknown> {
  const { pathname, search, searchParams } = new URL(url);
  const address = pathname.slice(READER_PATH.length + 1);
  const given = READ_PARAMETERS.flatMap((name) => {
    const value = headers.get(`x-turnpike-${name.replaceAll("_", "-")}`);
    return value === null ? [] : [[name, value] as const];
  });
  if (searchParams.has("session_secret"))
    throw invalidParameters([
      { path: "session_secret", message: "must be the field X-Session-Secret: logs show addresses" },
    ]);
  const asked = address === "" ? [...searchParams] : [["url", withScheme(address + search)] as const];
  return Object.fromEntries([...given, ...asked].map(([name, value]) => [name, valueOf(name, value)]));
}

/** A gateway leaves one of two slashes. A scheme of another kind remains, so that the address is refused. */
function withScheme(address: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/+/i.exec(address);
  return scheme === null ? `https://${address}` : `${scheme[1]}://${address.slice(scheme[0].length)}`;
}

function valueOf(name: string, value: string): unknown {
  if (TEXTS.has(name) || !/^(?:true|false|\d{1,15}|\[.*\])$/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
