import { type ApiDocument, type PlacedOperation } from "../api/api-document.ts";

/** The same call with curl, with the typed client and with the command. */
export interface Samples {
  readonly curl: string;
  readonly client: string;
  readonly command: string;
}

/** The field that the command takes as an argument without a name. */
const ARGUMENTS = ["url", "urls", "query", "data", "question"];

/**
 * Samples of a call in several languages, from the example of the operation. The URL is that of the document's first
 * server.
 */
export function samplesOf(document: ApiDocument, operation: PlacedOperation): Samples {
  const base = document.servers[0]?.url.replace(/\/$/, "") ?? "";
  const body = exampleOf(operation);
  const success = operation.responses["200"];
  const [type = ""] = Object.keys(success?.content ?? {});
  const isJson = type === "application/json";
  const url = JSON.stringify(base === "" ? "http://127.0.0.1:8080" : base);
  const name = isJson ? "result" : "file";
  const given = body === undefined ? "" : script(body);
  const file = `${operation.operationId}.${type.split("/")[1] ?? "bin"}`;
  return {
    curl: curl(base, operation, body, isJson ? undefined : file),
    client: [
      ...(isJson ? [] : ['import { writeFile } from "node:fs/promises";']),
      'import { Turnpike } from "turnpike/client";',
      "",
      `const turnpike = new Turnpike({ url: ${url}, privateKey: process.env.PRIVATE_KEY });`,
      `const ${name} = await turnpike.${operation.operationId}(${given});`,
      isJson ? "console.log(result);" : `await writeFile("${file}", file.bytes);`,
    ].join("\n"),
    command: command(operation, body, isJson ? undefined : file),
  };
}

function exampleOf(operation: PlacedOperation): Readonly<Record<string, unknown>> | undefined {
  const example = operation.requestBody?.content["application/json"]?.example;
  // Examples of bodies are objects, because their schemas are.
  return typeof example === "object" && example !== null ? (example as Readonly<Record<string, unknown>>) : undefined;
}

/** JavaScript as people write it: names without quotes. */
function script(body: unknown): string {
  return JSON.stringify(body, undefined, 2).replace(/^( +)"([a-z_]\w*)": /gim, "$1$2: ");
}

function curl(base: string, { path, method }: PlacedOperation, body: unknown, file: string | undefined): string {
  const lines = [`curl ${quote(base + path)}`];
  if (method === "post") lines.push("-H 'Content-Type: application/json'", '-H "PAYMENT-SIGNATURE: $PAYMENT"');
  if (body !== undefined) lines.push(`-d ${quote(JSON.stringify(body))}`);
  if (file !== undefined) lines.push(`-o ${file}`);
  return lines.join(" \\\n  ");
}

function command(
  { operationId }: PlacedOperation,
  body: Readonly<Record<string, unknown>> | undefined,
  file: string | undefined,
): string {
  const words = ["npx turnpike call", operationId];
  for (const [field, value] of Object.entries(body ?? {})) {
    if (ARGUMENTS.includes(field)) words.push(...[value].flat().map((one) => quote(String(one))));
  }
  for (const [field, value] of Object.entries(body ?? {})) {
    if (!ARGUMENTS.includes(field)) words.push(...settings(field, value));
  }
  if (file !== undefined) words.push(`--out ${file}`);
  return words.join(" ");
}

function settings(field: string, value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [`--set ${quote(`${field}=${String(value)}`)}`];
  return Object.entries(value).map(([name, one]) => `--set ${quote(`${field}.${name}=${String(one)}`)}`);
}

function quote(text: string): string {
  return /^[\w:/.=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
