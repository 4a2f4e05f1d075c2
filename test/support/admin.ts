/**
 * Starts the real gateway with its admin interface in a separate process. Every response is checked against the
 * interface's own description.
 */
import { readFileSync } from "node:fs";
import { expect } from "bun:test";
import { type Schema, compileSchema } from "../../src/lib/json-schema/compile-schema.ts";
import { readJson } from "../../src/lib/json-schema/read-json.ts";
import { LOCALHOST, TEST_CA } from "./certificates.ts";
import { Folder, Program } from "./program.ts";

export const KEY = "the-key-of-operators";
export const READ_KEY = "the-key-of-readers-1";

export interface AdminOptions {
  readonly workers?: number;
  readonly tls?: boolean;
  /** Sections of the configuration; `admin` and `server` are merged with defaults. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly admin?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  /** Undefined: the operators' key; empty: none. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly type?: string;
  /** False: the response need not fit the description, for example for unknown paths. */
  readonly isDescribed?: boolean;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests access responses freely; the schemas of the description check their form.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A gateway with an admin interface. */
export class Admin {
  readonly folder: Folder;
  readonly file: string;
  readonly program: Program;
  readonly url: string;
  /** The port for traffic. */
  readonly port: number;
  description: Description | undefined;

  private constructor(folder: Folder, program: Program, { url, port }: { url: string; port: number }) {
    this.folder = folder;
    this.file = folder.file("turnpike.json");
    this.program = program;
    this.url = url;
    this.port = port;
  }

  static async start({
    workers = 1,
    tls = false,
    config = {},
    admin = {},
    env = {},
  }: AdminOptions = {}): Promise<Admin> {
    const folder = new Folder();
    const paths = {
      cert_path: folder.write("admin.crt", LOCALHOST.cert),
      key_path: folder.write("admin.key", LOCALHOST.key),
    };
    const server = { address: "127.0.0.1", port: 0, workers, ...(config["server"] as object | undefined) };
    const section = {
      enabled: true,
      port: 0,
      api_key: KEY,
      read_api_key: READ_KEY,
      ...(tls ? { tls: paths } : {}),
      ...admin,
    };
    const file = folder.write("turnpike.json", JSON.stringify({ ...config, server, admin: section }, undefined, 2));
    const program = new Program(["--config", file], { env });
    try {
      const [, port] = await program.sees(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
      const [, url = ""] = await program.sees(/admin interface on (https?:\/\/\S+)\//);
      return new Admin(folder, program, { url, port: Number(port) });
    } catch (error) {
      await program.stop();
      folder.remove();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.program.stop();
    this.folder.remove();
  }

  /** The current configuration file. */
  saved(): unknown {
    return JSON.parse(readFileSync(this.file, "utf8"));
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<ReceivedResponse> {
    const response = await this.fetch(method, path, options);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
    const body: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
    const reply = { status: response.status, headers: response.headers, text, body };
    if (options.isDescribed !== false) {
      this.description ??= await this.#describe(options.key);
      this.description.check(method, path, reply);
    }
    return reply;
  }

  fetch(method: string, path: string, { key = KEY, headers = {}, body, type }: CallOptions = {}): Promise<Response> {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const content = body === undefined ? {} : { "content-type": type ?? "application/json" };
    const credentials = key === "" ? {} : { "x-api-key": key };
    return fetch(`${this.url}${path}`, {
      method,
      headers: { ...credentials, ...content, ...headers },
      redirect: "manual",
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
      ...(this.url.startsWith("https:") ? { tls: { ca: TEST_CA.cert } } : {}),
    });
  }

  /** Uses a key of the test, if it is one. */
  async #describe(key = KEY): Promise<Description> {
    const own = await this.fetch("GET", "/v1/openapi.json", { key });
    const response = own.ok ? own : await this.fetch("GET", "/v1/openapi.json");
    if (!response.ok) throw new Error(`Cannot read the description: ${response.status}`);
    return new Description(await response.json());
  }
}

interface DescribedResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

/** The interface, from its OpenAPI document. */
export class Description {
  readonly document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
    readonly components: object;
  };
  /** `operationId status` of all checked responses. */
  readonly seen = new Set<string>();
  readonly #schemas = new Map<string, Schema>();

  constructor(document: unknown) {
    // The tests check its contents.
    this.document = document as Description["document"];
  }

  /** The operation of a request; undefined if it does not exist. */
  operationOf(
    method: string,
    path: string,
  ): { readonly id: string; readonly operation: DescribedOperation } | undefined {
    const { pathname } = new URL(path, "http://admin");
    for (const [template, item] of Object.entries(this.document.paths)) {
      const pattern = new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
      const operation = item[method === "HEAD" ? "get" : method.toLowerCase()];
      if (pattern.test(pathname) && operation !== undefined) return { id: operation.operationId, operation };
    }
    return undefined;
  }

  /** Fails if the description lacks this response, or the body does not fit it. */
  check(method: string, path: string, { status, headers, text }: ReceivedResponse): void {
    const found = this.operationOf(method, path);
    if (found === undefined) throw new Error(`Not described: ${method} ${path}`);
    const { id, operation } = found;
    const response = operation.responses[String(status)];
    if (response === undefined) throw new Error(`Not described: ${method} ${path} → ${status}: ${text}`);
    this.seen.add(`${id} ${status}`);
    if (method === "HEAD" || status === 304) {
      expect(text).toBe("");
      return;
    }
    const [type = ""] = (headers.get("content-type") ?? "").split(";");
    const content = response.content?.[type];
    if (content === undefined) throw new Error(`Not described: ${method} ${path} → ${status} ${type}`);
    if (!type.endsWith("json") || content.schema === undefined) return;
    const problems = this.#schema(`${id} ${status} ${type}`, content.schema).problemsOf(readJson(Buffer.from(text)));
    expect([method, path, status, problems]).toEqual([method, path, status, []]);
  }

  #schema(key: string, schema: object): Schema {
    let compiled = this.#schemas.get(key);
    if (compiled === undefined) {
      compiled = compileSchema({ ...schema, components: this.document.components }, { checksFormats: true });
      this.#schemas.set(key, compiled);
    }
    return compiled;
  }
}
