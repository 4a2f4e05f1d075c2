import { type CallToolResult } from "@modelcontextprotocol/server";
import { readResponse, failureText } from "../../lib/http/response-bytes.ts";
import { type FieldError } from "../../lib/errors.ts";
import { isObject } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { PENDING } from "../../payments/client/client.ts";
import * as MPP from "../../payments/mpp/mcp.ts";
import { decodeHeader } from "../../payments/x402/header.ts";
import {
  PAYMENT_REQUIRED,
  PAYMENT_RESPONSE,
  paymentRequiredSchema,
  receiptSchema,
} from "../../payments/x402/messages.ts";

/** The key of x402's receipt in a tool's result. */
const RECEIPT_KEY = "x402/payment-response";
/** The key of x402's payment in a tool's call. */
export const PAYMENT_KEY = "x402/payment";

/**
 * Maximum number of characters of each text of a problem, and the number of fields that it lists, because a gateway's
 * text is passed to an agent.
 */
const MAX_PROBLEM_TEXT = 2000;
const MAX_PROBLEM_FIELDS = 20;

type Result = CallToolResult;

/** A result that reports an error, in text for the agent. */
export function failure(text: string): Result {
  return { isError: true, content: [{ type: "text", text }] };
}

/** A result that lists the invalid arguments of a tool, field by field. */
export function refusal(message: string, errors: readonly FieldError[]): Result {
  return failure([message, ...errors.map(({ path, message: what }) => `  ${path}: ${what}`)].join("\n"));
}

/** The gateway's response was cut off or is not valid. */
export class ResponseUnreadable extends Error {}

/**
 * Converts a gateway's response into a tool's result. `uri` names a document in it. `byMpp`: the call was paid by the `Payment`
 * scheme, which has no receipts of failures. Throws ResponseUnreadable.
 */
export async function toolResult(response: Response, uri: string, byMpp = false): Promise<Result> {
  const receipt = receiptSchema.safeParse(decodeHeader(response.headers.get(PAYMENT_RESPONSE) ?? ""));
  const charged = MPP.receiptIn(response);
  const reading = response.status === 402 ? unpaid(response) : responded(response, uri, byMpp);
  const result = await reading.catch((error: unknown) => {
    const paid =
      receipt.success || charged !== undefined ? ", and it was paid for; the same payment gets it again" : "";
    throw new ResponseUnreadable(`Cannot read the gateway's response: it ended early, or is invalid${paid}`, {
      cause: error,
    });
  });
  const { _meta: own } = result;
  const meta = {
    ...own,
    ...(receipt.success ? { [RECEIPT_KEY]: receipt.data } : {}),
    ...(charged === undefined ? {} : { [MPP.RECEIPT_KEY]: charged }),
  };
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}

/**
 * x402 over MCP: the challenge as structured content and as text, in a result that reports an error. Its `_meta` has the
 * challenges of the `Payment` scheme.
 */
async function unpaid(response: Response): Promise<Result> {
  const parsed = paymentRequiredSchema.safeParse(decodeHeader(response.headers.get(PAYMENT_REQUIRED) ?? ""));
  if (!parsed.success) return await problem(response);
  const required = MPP.requiredData(response, await problemIn(response));
  return {
    isError: true,
    structuredContent: parsed.data,
    content: [{ type: "text", text: JSON.stringify(parsed.data) }],
    ...(required === undefined ? {} : { _meta: { [MPP.REQUIRED_KEY]: required } }),
  };
}

/** The members of the problem document in a response. */
async function problemIn(response: Response): Promise<object | undefined> {
  const body = parsedJson(await failureText(response));
  if (!isObject(body)) return undefined;
  const { type, title, status, detail } = body;
  return { type, title, status, detail };
}

async function responded(response: Response, uri: string, byMpp: boolean): Promise<Result> {
  if (!response.ok) return await problem(response, byMpp);
  const bytes = await readResponse(response);
  const type = mediaType(response);
  if (type === "application/json") {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return { content: [{ type: "text", text }], ...(isObject(value) ? { structuredContent: value } : {}) };
  }
  const blob = Buffer.from(bytes).toString("base64");
  if (type.startsWith("image/")) return { content: [{ type: "image", data: blob, mimeType: type }] };
  return { content: [{ type: "resource", resource: { uri, mimeType: type, blob } }] };
}

/**
 * A failed response as text: title, detail and invalid fields of a problem document, or the body; if it was free, and when to
 * retry.
 */
async function problem(response: Response, byMpp = false): Promise<Result> {
  const body = await failureText(response);
  const parsed = parsedJson(body);
  const fields = isObject(parsed) ? parsed : {};
  const detail = resultText("title" in fields ? fields["detail"] : body);
  const lines = [[resultText(fields["title"]) || String(response.status), detail].filter(Boolean).join(": ")];
  const errors: unknown = fields["errors"];
  for (const error of Array.isArray(errors) ? errors.slice(0, MAX_PROBLEM_FIELDS) : []) {
    if (!isObject(error)) continue;
    const path = resultText(error["path"]);
    lines.push(`  ${path === "" ? "" : `${path}: `}${resultText(error["message"])}`);
  }
  // 409: the same payment is in use, and its other request may be charged.
  const isOpen = response.status === 409 || fields["type"] === PENDING;
  if (!isOpen && !byMpp && !response.headers.has(PAYMENT_RESPONSE)) lines.push("Not charged.");
  const wait = response.headers.get("retry-after") ?? "";
  if (/^\d{1,5}$/.test(wait)) lines.push(`Try again in ${wait} s.`);
  return failure(lines.join("\n"));
}

function mediaType({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() || "application/octet-stream";
}

function resultText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_PROBLEM_TEXT) : "";
}
