import { createHash } from "node:crypto";
import { entityTag, isKnown } from "../http/preconditions.ts";
import { inSlices } from "../../../lib/slices.ts";
import { jsonSteps } from "../../../lib/memory/packed-json.ts";
import { type LiveConfig } from "../running-config/live-config.ts";

const JSON_HEADERS = { "content-type": "application/json" };

/** Texts of representations of the configuration's newest revision: 10,000 routes take long to write. */
const written = new WeakMap<LiveConfig, { readonly revision: string; readonly texts: Map<string, string> }>();

/** A representation that depends only on the configuration, with its entity tag; 304 if the client has it. */
export async function configResponse(
  request: Request,
  config: LiveConfig,
  name: string,
  make: () => Promise<unknown>,
): Promise<Response> {
  const { revision } = config;
  const etag = entityTag(revision);
  if (isKnown(request.headers, etag)) return new Response(null, { status: 304, headers: { etag } });
  let kept = written.get(config);
  if (kept?.revision !== revision) {
    kept = { revision, texts: new Map() };
    written.set(config, kept);
  }
  let text = kept.texts.get(name);
  if (text === undefined) {
    text = await inSlices(jsonSteps(await make()));
    kept.texts.set(name, text);
  }
  return new Response(text, { headers: { ...JSON_HEADERS, etag } });
}

/** A representation that also depends on changing state. Its tag has the revision, and a digest of the whole text. */
export async function liveResponse(request: Request, config: LiveConfig, value: unknown): Promise<Response> {
  const { revision } = config;
  const text = await inSlices(jsonSteps(value));
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const etag = entityTag(revision, digest);
  if (isKnown(request.headers, etag)) return new Response(null, { status: 304, headers: { etag } });
  return new Response(text, { headers: { ...JSON_HEADERS, etag } });
}
