/** The cost of proxy-wasm filters: a whole stream through an SDK's filter, and waiting requests. */
import { readFile } from "node:fs/promises";
import { type Exchange, type ResponseSink } from "../../src/gateway/exchange/exchange.ts";
import { compileProxyWasm } from "../../src/gateway/filters/module/testing/assembly-script.ts";
import { compileModule } from "../../src/gateway/filters/module/module-cache.ts";
import { prepare } from "../../src/gateway/filters/module/prepare.ts";
import { ProxyWasmFilter } from "../../src/gateway/filters/proxy-wasm/proxy-wasm-filter.ts";
import { testRuntime, testSettings } from "../../src/gateway/filters/testing/test-runtime.ts";

const MEMORY_BYTES = 32 * 1024 * 1024;
const EXAMPLE = new URL("../../examples/filters/add-header.ts", import.meta.url);
const PARKED = 2000;

const FIELDS =
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\nAccept: text/html\r\n" +
  "Accept-Language: en-US,en;q=0.9\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nX-Api-Key: 0123456789abcdef\r\n" +
  "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\nReferer: https://www.example.com/\r\n";
const RESPONSE_FIELDS = "Content-Type: text/html\r\nServer: test\r\nCache-Control: no-store\r\n";
const BODY = new Uint8Array(1000);

/** A client that accepts all data. */
class Client implements ResponseSink {
  readonly exchange: Exchange;

  constructor() {
    const exchange = {
      id: "01a203d6-c247-7000-a0be-043163d97bbb",
      protocol: "HTTP/1.1",
      head: {
        method: "GET",
        scheme: "http",
        authority: "www.example.com",
        path: "/articles/2026/11/a-title-of-some-length",
        query: "?utm_source=feed",
        fields: FIELDS,
        payment: "",
        bodyLength: 0,
        expectContinue: false,
        via: "",
        forwardedFor: "",
        isGrpc: false,
        upgrade: "",
      },
      peerAddress: "192.0.2.1",
      clientAddress: "192.0.2.1",
      response: this,
      body: { readTo() {}, pause() {}, resume() {} },
      gone: false,
      beganAt: 0,
      status: 0,
      started: false,
      onFinish: undefined,
    };
    // The part of an exchange that a filter uses.
    this.exchange = exchange as unknown as Exchange;
  }

  start(): void {}

  data(): boolean {
    return true;
  }

  end(): void {
    this.exchange.onFinish?.(this.exchange);
  }

  abort(): void {
    this.exchange.onFinish?.(this.exchange);
  }
}

/** A request that passes, and its response. */
function stream(filter: ProxyWasmFilter): void {
  const { exchange } = new Client();
  const decision = filter.request(exchange);
  if (decision instanceof Promise || decision.kind !== "continue") throw new Error("Cannot measure: it does not pass");
  exchange.response.start({ status: 200, reason: "", fields: RESPONSE_FIELDS, bodyLength: BODY.length });
  exchange.response.data(BODY);
  exchange.response.end("");
}

/** Prints the CPU time of a stream through a filter that adds a field to the request and to the response. */
export async function measureStreams(count: number, rounds: number): Promise<void> {
  const module = await compileModule(
    "",
    prepare(await compileProxyWasm(await readFile(EXAMPLE, "utf8")), MEMORY_BYTES),
  );
  const filter = new ProxyWasmFilter(module, testSettings({ rootId: "add-header", config: "x" }), {
    ...testRuntime(),
    log() {},
    metrics: () => ({ invoked() {}, notInvoked() {} }),
  });
  for (let i = 0; i < count; i++) stream(filter);
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    for (let i = 0; i < count; i++) stream(filter);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  });
  console.log(
    `${"an SDK filter adds a header".padEnd(32)} ${times.map((us) => us.toFixed(1).padStart(5)).join(" ")} us of CPU a request`,
  );
}

const PARKS = `
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import { Context, FilterHeadersStatusValues, registerRootContext, RootContext } from "@gcoredev/proxy-wasm-sdk-as/assembly";
class Root extends RootContext { createContext(id: u32): Context { return new Parks(id, this); } }
class Parks extends Context { onRequestHeaders(n: u32, end: bool): FilterHeadersStatusValues { return FilterHeadersStatusValues.StopIteration; } }
registerRootContext((id: u32) => new Root(id), "parks");
`;

/** Prints the memory of requests that wait in one instance. */
export async function measureParked(): Promise<void> {
  const module = await compileModule("", prepare(await compileProxyWasm(PARKS), MEMORY_BYTES));
  const filter = new ProxyWasmFilter(module, testSettings({ rootId: "parks" }), testRuntime());
  const hold = (): Client => {
    const client = new Client();
    void filter.request(client.exchange);
    return client;
  };
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  const held = Array.from({ length: PARKED }, hold);
  Bun.gc(true);
  const kib = (process.memoryUsage().heapUsed - before) / 1024;
  console.log(`${`${PARKED} requests wait`.padEnd(32)} ${(kib / PARKED).toFixed(2).padStart(5)} KiB each`);
  for (const client of held) client.abort();
}
