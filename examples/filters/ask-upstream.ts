// A proxy-wasm filter: asks the upstream that its configuration names whether a request may pass.
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  BaseContext,
  Context,
  FilterHeadersStatusValues,
  makeHeaderPair,
  registerRootContext,
  RootContext,
  send_http_response,
  stream_context,
  WasmResultValues,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

class Root extends RootContext {
  createContext(id: u32): Context {
    return new AskUpstream(id, this);
  }
}

class AskUpstream extends Context {
  onRequestHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    const headers = [
      makeHeaderPair(":method", "GET"),
      makeHeaderPair(":path", "/may?path=" + encodeURIComponent(stream_context.headers.request.get(":path"))),
      makeHeaderPair(":authority", "auth.internal"),
      makeHeaderPair("x-user", stream_context.headers.request.get("x-user")),
    ];
    const upstream = this.root_context.getConfiguration();
    const result = this.root_context.httpCall(upstream, headers, new ArrayBuffer(0), [], 1000, this, answered);
    if (result != WasmResultValues.Ok) refuse(500, "the call was not made");
    return FilterHeadersStatusValues.StopIteration;
  }
}

/** `headers` is 0 if there was no response. */
function answered(context: BaseContext, headers: u32, size: usize, trailers: u32): void {
  const status = headers == 0 ? "" : stream_context.headers.http_callback.get(":status");
  if (status == "200") context.continueRequest();
  else if (status == "") refuse(503, "no response from the upstream");
  else refuse(403, "not for you");
}

function refuse(status: u32, why: string): void {
  send_http_response(status, why, String.UTF8.encode(why), []);
}

registerRootContext((id: u32) => new Root(id), "ask-upstream");
