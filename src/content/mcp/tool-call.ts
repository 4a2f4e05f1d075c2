import { type CallToolResult } from "@modelcontextprotocol/server";
import { codeOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { PaymentDeclined, PaymentUnanswered } from "../../payments/client/client.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../payments/x402/header.ts";
import { PAYMENT_SIGNATURE } from "../../payments/x402/messages.ts";
import { checkBody } from "../operations/operation.ts";
import { type Send } from "../api/gateway-address.ts";
import { type PriceList } from "../api/price-list.ts";
import { ResponseUnreadable, failure, PAYMENT_KEY, refusal, toolResult } from "./tool-result.ts";
import { tools } from "./tools.ts";

/** How tools get at the gateway that sells what they do. */
export interface Gateway {
  /** Its base URL, no slash at the end. */
  readonly url: string;
  /** Sends a request as it is. */
  readonly send: Send;
  /** Sends a request that carries no payment of the agent's, and may pay for it; undefined: the agent is told the price. */
  readonly pay?: Send | undefined;
  /** What the operations cost there. */
  readonly prices: () => Promise<PriceList | undefined>;
  /** Fields that requests carry beside their own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** `_meta` of the call. */
  readonly meta: unknown;
  readonly signal: AbortSignal;
}

/** Milliseconds that a call may take: more than any route of the gateway lets it. */
const MAX_CALL_MS = 300_000;

/**
 * Serves a tool's call by a request to the gateway's own priced route, so that nothing is had here that is not paid for
 * there. Never fails: whatever goes wrong is a result that says so.
 */
export async function callTool(call: ToolCall, gateway: Gateway): Promise<CallToolResult> {
  const tool = tools().get(call.name);
  if (tool === undefined) return failure(`There is no tool "${call.name.slice(0, 100)}"`);
  const { body: schema, path } = tool.operation;
  const body = call.arguments ?? {};
  try {
    // An agent hears what is wrong before it is asked to pay for it.
    if (schema !== undefined) checkBody(schema, body);
    const payment = paymentOf(call.meta);
    const init: RequestInit = {
      method: "POST",
      headers: {
        ...gateway.headers,
        "content-type": "application/json",
        ...(payment === undefined ? {} : { [PAYMENT_SIGNATURE]: payment }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(MAX_CALL_MS)]),
      redirect: "manual",
    };
    const send = payment === undefined ? (gateway.pay ?? gateway.send) : gateway.send;
    return await toolResult(await send(gateway.url + path, init), documentUri(call.name, body));
  } catch (error) {
    if (error instanceof TurnpikeError) return refusal(error.message, error.errors ?? []);
    return failure(faultText(error));
  }
}

/** The words of the paying client are for people; those of a network fault may hold addresses. */
function faultText(error: unknown): string {
  if (error instanceof PaymentDeclined || error instanceof PaymentUnanswered || error instanceof ResponseUnreadable) {
    return error.message;
  }
  return `Cannot get a response from the gateway: ${codeOf(error) ?? (error instanceof Error ? error.name : "unknown")}`;
}

/** The agent's own payment as the gateway takes it. The same payment gives the same bytes, by which it is known again. */
function paymentOf(meta: unknown): string | undefined {
  const payment: unknown = typeof meta === "object" && meta !== null ? Reflect.get(meta, PAYMENT_KEY) : undefined;
  if (payment === undefined) return undefined;
  const path = `_meta.${PAYMENT_KEY}`;
  const refuse = (message: string) =>
    new TurnpikeError("invalid-parameters", `Cannot take the payment: '${path}' ${message}`, [{ path, message }]);
  if (typeof payment !== "object" || payment === null || Array.isArray(payment)) throw refuse("must be an object");
  const header = encodeHeader(payment);
  if (header.length > MAX_HEADER_LENGTH) {
    throw refuse(`must be at most ${MAX_HEADER_LENGTH} characters as base64 of JSON`);
  }
  return header;
}

/** What a document in a result is called: by the page that it is of. */
function documentUri(name: string, body: unknown): string {
  const url: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "url") : undefined;
  return `turnpike://${name}/${typeof url === "string" ? encodeURIComponent(url) : ""}`;
}
