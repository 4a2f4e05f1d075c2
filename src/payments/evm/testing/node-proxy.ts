import { z } from "zod";

const call = z.looseObject({ id: z.number(), method: z.string() });
type Call = z.infer<typeof call>;

/**
 * Handles one call. `forward()` returns the node's own response. An object is sent as the JSON-RPC response; `never`
 * leaves the request open; an exception ends it with 503.
 */
export type Behaviour = (call: Call, forward: () => Promise<unknown>) => Promise<unknown> | "never" | object;

/** A proxy of a node that can misbehave. */
export interface NodeProxy {
  readonly rpcUrl: string;
  /** The methods of all calls, in order. */
  readonly methods: string[];
  /** The methods of calls that have ended, with a response or a failure. */
  readonly ended: string[];
  /** Undefined: all calls are passed on. */
  behave(behaviour: Behaviour | undefined): void;
  /** Responds to every HTTP request with `response` until it is set to undefined. */
  response(response: (() => Response) | undefined): void;
  close(): Promise<void>;
}

export function startNodeProxy(target: string): NodeProxy {
  let behaviour: Behaviour | undefined;
  let whole: (() => Response) | undefined;
  const methods: string[] = [];
  const ended: string[] = [];
  const parting = Promise.withResolvers<never>();
  // If no call waits for this promise at the end, its rejection must not count as unhandled.
  parting.promise.catch(() => undefined);

  async function forward(body: unknown): Promise<unknown> {
    const response = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.json();
  }

  async function one(item: unknown): Promise<unknown> {
    const parsed = call.parse(item);
    methods.push(parsed.method);
    try {
      const response = await Promise.resolve(behaviour?.(parsed, () => forward(item)) ?? forward(item));
      return response === "never" ? await parting.promise : response;
    } finally {
      ended.push(parsed.method);
    }
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      if (whole !== undefined) return whole();
      const body: unknown = await request.json();
      try {
        return Response.json(Array.isArray(body) ? await Promise.all(body.map(one)) : await one(body));
      } catch {
        return new Response(null, { status: 503 });
      }
    },
  });
  return {
    rpcUrl: `http://127.0.0.1:${server.port}`,
    methods,
    ended,
    behave(next) {
      behaviour = next;
    },
    response(response) {
      whole = response;
    },
    async close() {
      parting.reject(new Error("Cannot wait on: the proxy is closed"));
      await server.stop(true);
    },
  };
}

/** A JSON-RPC response with an error. */
export function rpcError({ id }: Call, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

export function rpcResult({ id }: Call, result: unknown): object {
  return { jsonrpc: "2.0", id, result };
}
