import { shellQuoted } from "../../lib/text/shell-quoted.ts";
import { stockProgram } from "../../payments/x402/stock-client.ts";
import { type ApiDocument, type PlacedOperation, successOf } from "../api/api-document.ts";

/** The same call with curl and with the stock x402 client. */
export interface Samples {
  readonly curl: string;
  /** Undefined for an operation that is always free. */
  readonly program: string | undefined;
}

/**
 * Samples of a call in several languages, from the example of the operation. The URL is that of the document's first
 * server.
 */
export function samplesOf(document: ApiDocument, operation: PlacedOperation): Samples {
  const { operationId, method, path, requestBody } = operation;
  const base = document.servers[0]?.url.replace(/\/$/, "") ?? "";
  const body = requestBody?.content["application/json"]?.example;
  const [type = ""] = Object.keys(successOf(operation)?.content ?? {});
  const file = type === "application/json" ? undefined : `${operationId}.${type.split("/")[1] ?? "bin"}`;
  const url = `${base === "" ? "http://127.0.0.1:8080" : base}${path}`;
  return {
    curl: curl(base, operation, body, file),
    program: method === "post" ? stockProgram({ method: "POST", url, body }, { file }) : undefined,
  };
}

function curl(base: string, { path, method }: PlacedOperation, body: unknown, file: string | undefined): string {
  const isJob = path.includes("{id}");
  const url = isJob ? `"${base}${path.replace("{id}", "$ID")}"` : shellQuoted(base + path);
  const lines = [`curl ${method === "delete" ? "-X DELETE " : ""}${url}`];
  if (isJob) lines.push('-H "X-Job-Secret: $SECRET"');
  if (method === "post") lines.push("-H 'Content-Type: application/json'", '-H "PAYMENT-SIGNATURE: $PAYMENT"');
  if (body !== undefined) lines.push(`-d ${shellQuoted(JSON.stringify(body))}`);
  if (file !== undefined) lines.push(`-o ${file}`);
  return lines.join(" \\\n  ");
}
