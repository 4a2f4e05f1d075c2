import {
  createMcpHandler,
  isLegacyRequest,
  isInitializeRequest,
  originValidationResponse,
  readRequestBody,
  type Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createAllowedHosts, LOOPBACK_HOSTS } from "../../lib/http/allowed-hosts.ts";
import { messageOf } from "../../lib/caught.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type Log } from "../browser/program/browser-opener.ts";
import { hostOf, sendTo } from "../api/gateway-address.ts";
import { type AskPrices } from "../api/price-list.ts";
import { callLimit, createMcpServer } from "./mcp-server.ts";
import { type Gateway } from "./tool-call.ts";

/** Bytes of one MCP message: the longest body of an operation, and a payment. @operator */
const MAX_MESSAGE_BYTES = 1024 * 1024 + 64 * 1024;
/**
 * MCP sessions at one time, and milliseconds that a session may be idle. @operator A client whose session has ended begins
 * another one.
 */
const MAX_SESSIONS = 256;
const MAX_IDLE_MS = 600_000;
/** JSON-RPC codes of protocol errors. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

/** The gateway that the tools call, and the clients that may call them. */
export interface McpHttpOptions {
  /** The base URL of the gateway that sells the operations, without a slash at the end. */
  readonly gatewayUrl: string;
  /**
   * Host names that browsers may use for this server, in addition to those of loopback. "*" allows any host in requests
   * without an Origin field.
   */
  readonly hosts: readonly string[];
  readonly prices: AskPrices;
  readonly log: Log;
  /** A clock in milliseconds, from any starting point. */
  readonly now?: () => number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  usedAt: number;
  calls: number;
}

/**
 * MCP over streamable HTTP, for the revisions with sessions and the one without. A session only receives the client's
 * cancellations of calls. A client that loses its session repeats the handshake and loses nothing else.
 */
export class McpHttp {
  readonly #options: McpHttpOptions;
  readonly #admit = callLimit();
  /** In the order of their last use. */
  readonly #sessions = new Map<string, Session>();
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #now: () => number;

  constructor(options: McpHttpOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#modern = createMcpHandler(() => this.#server(), {
      legacy: "reject",
      maxRequestBodySize: MAX_MESSAGE_BYTES,
      // The tools do not change at run time, so a subscription to changes would stay open without effect.
      maxSubscriptions: 0,
      onerror: (error) => options.log("info", `MCP: ${error.message}`),
    });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Never fails. */
  async fetch(request: Request): Promise<Response> {
    try {
      return this.#refuseStranger(request) ?? (await this.#serve(request));
    } catch (error) {
      this.#options.log("error", `Cannot serve MCP: ${messageOf(error)}`);
      return rpcError(500, SERVER_ERROR, "Cannot serve the request: see the log");
    }
  }

  async close(): Promise<void> {
    await this.#modern.close();
    for (const id of this.#sessions.keys()) await this.#drop(id);
  }

  /**
   * Rejects requests from pages of other sites. Such a page may reach this address under its own host name, which it
   * would send in Host and Origin.
   */
  #refuseStranger(request: Request): Response | undefined {
    const known = [...LOOPBACK_HOSTS, ...this.#options.hosts.filter((host) => host !== "*")];
    const isKnown = this.#options.hosts.includes("*") || createAllowedHosts(known)(hostOf(request));
    return (
      originValidationResponse(request, known) ??
      (isKnown ? undefined : rpcError(403, SERVER_ERROR, "This server does not serve that host"))
    );
  }

  async #serve(request: Request): Promise<Response> {
    if (request.method === "DELETE") return await this.#inSession(request, undefined);
    if (request.method !== "POST") {
      // The server sends no messages of its own, so a stream for them would stay silent.
      return rpcError(405, SERVER_ERROR, "Only POST and DELETE are served here", { allow: "POST, DELETE" });
    }
    const read = await readRequestBody(request, MAX_MESSAGE_BYTES);
    if (read.tooLarge) return rpcError(413, INVALID_REQUEST, `The message has more than ${MAX_MESSAGE_BYTES} bytes`);
    const message = parsedJson(read.text);
    if (message === undefined) return rpcError(400, PARSE_ERROR, "The body is not JSON");
    if (Array.isArray(message)) return rpcError(400, INVALID_REQUEST, "Batches are not supported: send one message");
    if (!(await isLegacyRequest(request, message))) {
      return await this.#modern.fetch(request, { parsedBody: message });
    }
    return await this.#inSession(request, message);
  }

  async #inSession(request: Request, message: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(message) : this.#find(id);
    if (session === undefined) return rpcError(404, SERVER_ERROR, "There is no such session");
    if (session instanceof Response) return session;
    session.usedAt = this.#now();
    return await session.transport.handleRequest(request, message === undefined ? {} : { parsedBody: message });
  }

  #find(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    if (session.calls === 0 && session.usedAt + MAX_IDLE_MS < this.#now()) {
      void this.#drop(id);
      return undefined;
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  async #begin(message: unknown): Promise<Session | Response> {
    if (!isInitializeRequest(message)) return rpcError(400, INVALID_REQUEST, "A session begins with initialize");
    if (this.#sessions.size >= MAX_SESSIONS && !(await this.#dropIdlest())) {
      return rpcError(503, SERVER_ERROR, "There are too many sessions; try again", { "retry-after": "5" });
    }
    const server = this.#server(() => {
      const end = this.#admit();
      if (end === undefined) return undefined;
      session.calls += 1;
      return () => {
        end();
        session.calls -= 1;
        session.usedAt = this.#now();
      };
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: MAX_MESSAGE_BYTES,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    const session: Session = { transport, server, usedAt: this.#now(), calls: 0 };
    await server.connect(transport);
    return session;
  }

  /** False if all sessions have calls in progress. */
  async #dropIdlest(): Promise<boolean> {
    for (const [id, { calls }] of this.#sessions) {
      if (calls > 0) continue;
      await this.#drop(id);
      return true;
    }
    return false;
  }

  async #drop(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.server.close();
  }

  #server(admit = this.#admit): Server {
    return createMcpServer((context) => this.#gateway(context), admit);
  }

  /** The gateway under the host name that the client uses, because routes and allowed hosts can depend on it. */
  #gateway({ http }: ServerContext): Gateway {
    const request = http?.req;
    const host = request === undefined ? "" : hostOf(request);
    return {
      url: this.#options.gatewayUrl,
      send: sendTo(this.#options.gatewayUrl),
      prices: () => this.#options.prices(host),
      headers: host === "" ? {} : { host },
    };
  }
}

function rpcError(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}
