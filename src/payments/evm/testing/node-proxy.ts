import { z } from "zod";

const call = z.looseObject({ id: z.number(), method: z.string() });
type Call = z.infer<typeof call>;

/** Answers one call: the node's own answer is `forward()`. An object is the JSON-RPC answer; `never` leaves the request open, a throw ends it with 503. */
export type Behaviour = (call: Call, forward: () => Promise<unknown>) => Promise<unknown> | "never" | object;

/** A node's door that can misbehave. */
export interface NodeProxy {
  readonly rpcUrl: string;
  /** The methods that were called, in order. */
  readonly methods: string[];
  /** The methods of calls that are over, answered or failed. */
  readonly ended: string[];
  /** Undefined: everything is passed on. */
  behave(behaviour: Behaviour | undefined): void;
  /** Answers every HTTP request as a whole, until it is told otherwise. */
  answer(response: (() => Response) | undefined): void;
  close(): Promise<void>;
}

export function startNodeProxy(target: string): NodeProxy {
  let behaviour: Behaviour | undefined;
  let whole: (() => Response) | undefined;
  const methods: string[] = [];
  const ended: string[] = [];
  const parting = Promise.withResolvers<never>();
  // Nobody may be waiting when it closes.
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
      const answer = await Promise.resolve(behaviour?.(parsed, () => forward(item)) ?? forward(item));
      return answer === "never" ? await parting.promise : answer;
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
    answer(response) {
      whole = response;
    },
    async close() {
      parting.reject(new Error("Cannot wait on: the proxy is closed"));
      await server.stop(true);
    },
  };
}

/** A JSON-RPC error as an answer. */
export function rpcError({ id }: Call, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

export function rpcResult({ id }: Call, result: unknown): object {
  return { jsonrpc: "2.0", id, result };
}
