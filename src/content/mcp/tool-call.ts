import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { codeOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { PaymentDeclined, PaymentOutcomeUnknown } from "../../payments/client/client.ts";
import { isObject } from "../../lib/is-object.ts";
import { authorizationOf, CREDENTIAL_KEY } from "../../payments/mpp/mcp.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../payments/x402/header.ts";
import { PAYMENT_SIGNATURE } from "../../payments/x402/messages.ts";
import { checkBody } from "../operations/operation.ts";
import { type Send } from "../api/gateway-address.ts";
import { type PriceList } from "../api/price-list.ts";
import { ResponseUnreadable, failure, PAYMENT_KEY, refusal, toolResult } from "./tool-result.ts";
import { JOB_TOOLS, type JobTool } from "./job-tools.ts";
import { type Tool, tools } from "./tools.ts";

/** Access of the tools to the gateway that sells the operations. */
export interface Gateway {
  /** Its base URL, without a slash at the end. */
  readonly url: string;
  readonly send: Send;
  /** Sends a request that has no payment from the agent, and may pay for it. Undefined: the agent gets the price. */
  readonly pay?: Send | undefined;
  readonly prices: () => Promise<PriceList | undefined>;
  /** Header fields that are added to all requests. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** `_meta` of the call. */
  readonly meta: unknown;
  readonly signal: AbortSignal;
}

/** Milliseconds after which a call ends. The timeouts of the gateway's routes are shorter. */
const MAX_CALL_MS = 300_000;

/**
 * Serves a tool's call by a request to the gateway's own paid route, so that no operation can be used here without its
 * payment. Errors become results that describe them, except of a malformed credential: it throws a ProtocolError.
 */
export async function callTool(call: ToolCall, gateway: Gateway): Promise<CallToolResult> {
  const tool = tools().get(call.name);
  const jobTool = JOB_TOOLS.find(({ name }) => name === call.name);
  try {
    if (tool !== undefined) return await callOperation(tool, call, gateway);
    if (jobTool !== undefined) return await askJob(jobTool, call, gateway);
    return failure(`There is no tool "${call.name.slice(0, 100)}"`);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof TurnpikeError) return refusal(error.message, error.errors ?? []);
    return failure(errorText(error));
  }
}

async function callOperation({ operation }: Tool, call: ToolCall, gateway: Gateway): Promise<CallToolResult> {
  const { body: schema, path } = operation;
  const body = call.arguments ?? {};
  // Checked first, so that an agent learns of invalid arguments before it has to pay.
  if (schema !== undefined) checkBody(schema, body);
  const payment = paymentOf(call.meta);
  const send = Object.keys(payment).length === 0 ? (gateway.pay ?? gateway.send) : gateway.send;
  const response = await send(gateway.url + path, {
    ...requestOf(call, gateway, {
      "content-type": "application/json",
      ...payment,
    }),
    method: "POST",
    body: JSON.stringify(body),
  });
  return await toolResult(response, documentUri(call.name, body), hasCredential(call.meta));
}

/** A request about a job is free, so that it never pays. */
async function askJob({ input, method, path }: JobTool, call: ToolCall, gateway: Gateway): Promise<CallToolResult> {
  const checked = checkBody(input, call.arguments ?? {});
  const url = gateway.url + checked.job + path(checked);
  const response = await gateway.send(url, { ...requestOf(call, gateway, { "x-job-secret": checked.secret }), method });
  return await toolResult(response, documentUri(call.name, {}));
}

function requestOf({ signal }: ToolCall, gateway: Gateway, headers: Readonly<Record<string, string>>): RequestInit {
  return {
    headers: { ...gateway.headers, ...headers },
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_CALL_MS)]),
    redirect: "manual",
  };
}

/**
 * Error messages of the paying client are written for users. Those of a network error can contain addresses, so they
 * are hidden.
 */
function errorText(error: unknown): string {
  if (
    error instanceof PaymentDeclined ||
    error instanceof PaymentOutcomeUnknown ||
    error instanceof ResponseUnreadable
  ) {
    return error.message;
  }
  return `Cannot get a response from the gateway: ${codeOf(error) ?? (error instanceof Error ? error.name : "unknown")}`;
}

/** True if a call has a payment by the `Payment` scheme. */
export function hasCredential(meta: unknown): boolean {
  return isObject(meta) && meta[CREDENTIAL_KEY] !== undefined;
}

/**
 * The agent's own payment as fields of the gateway. The same payment always gives the same bytes, by which the gateway
 * recognises it. Payments of both protocols go to the gateway, which refuses them.
 */
function paymentOf(meta: unknown): Readonly<Record<string, string>> {
  if (!isObject(meta)) return {};
  const { [PAYMENT_KEY]: payment, [CREDENTIAL_KEY]: credential } = meta;
  return {
    ...(payment === undefined ? {} : { [PAYMENT_SIGNATURE]: x402Payment(payment) }),
    ...(credential === undefined ? {} : { authorization: mppCredential(credential) }),
  };
}

function mppCredential(credential: unknown): string {
  const authorization = authorizationOf(credential);
  if (authorization !== undefined && authorization.length <= MAX_HEADER_LENGTH) return authorization;
  const detail = `_meta.${CREDENTIAL_KEY} must have a challenge and a payload, and at most ${MAX_HEADER_LENGTH} characters`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid params", { detail });
}

function x402Payment(payment: unknown): string {
  const path = `_meta.${PAYMENT_KEY}`;
  const refuse = (message: string) =>
    new TurnpikeError("invalid-parameters", `Cannot accept the payment: '${path}' ${message}`, [{ path, message }]);
  if (typeof payment !== "object" || payment === null || Array.isArray(payment)) throw refuse("must be an object");
  const header = encodeHeader(payment);
  if (header.length > MAX_HEADER_LENGTH) {
    throw refuse(`must be at most ${MAX_HEADER_LENGTH} characters as base64 of JSON`);
  }
  return header;
}

/** The name of a document in a result: the URL of its page. */
function documentUri(name: string, body: unknown): string {
  const url: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "url") : undefined;
  return `turnpike://${name}/${typeof url === "string" ? encodeURIComponent(url) : ""}`;
}
