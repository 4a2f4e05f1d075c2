import { z } from "zod";
import { paymentRequiredSchema } from "./messages.ts";

/** The common parts of all challenges of a gateway. */
export interface ChallengeTemplate {
  /** Describes the resource, with `description`, `mimeType`, `serviceName`. Each route adds its URL. */
  readonly resource: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const schema = z.looseObject({
  resource: paymentRequiredSchema.shape.resource.partial().default({}),
  extensions: paymentRequiredSchema.shape.extensions.default({}),
});

/** Reads `x402.payment_required_b64`; empty text: an empty template. Throws if it is not such a payload. */
export function decodeTemplate(base64: string): ChallengeTemplate {
  if (base64 === "") return { resource: {}, extensions: {} };
  const parsed = schema.safeParse(decode(base64));
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new Error(`Cannot use x402.payment_required_b64: its "${where}" does not have the form of a 402 payload`);
  }
  return { resource: parsed.data.resource, extensions: parsed.data.extensions ?? {} };
}

/** Members of `x402.payment_required_b64` that challenges ignore, as `resource.url`; not the version. */
export function ignoredMembers(base64: string): readonly string[] {
  const parsed = base64 === "" ? undefined : schema.safeParse(decode(base64));
  if (parsed?.success !== true) return [];
  const { resource, extensions: _, x402Version: version, ...others } = parsed.data;
  return [
    ...(version === undefined || version === 2 ? [] : ["x402Version"]),
    ...("url" in resource ? ["resource.url"] : []),
    ...Object.keys(others),
  ];
}

function decode(base64: string): unknown {
  return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
}
