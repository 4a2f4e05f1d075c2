// A proxy-wasm filter: rejects requests without the key that its configuration names.
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  Context,
  FilterHeadersStatusValues,
  registerRootContext,
  RootContext,
  send_http_response,
  stream_context,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

class Root extends RootContext {
  createContext(id: u32): Context {
    return new ApiKey(id, this);
  }
}

class ApiKey extends Context {
  onRequestHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    const headers = stream_context.headers.request;
    if (headers.get("x-api-key") == this.root_context.getConfiguration()) {
      // The upstream does not need the key.
      headers.remove("x-api-key");
      return FilterHeadersStatusValues.Continue;
    }
    send_http_response(401, "no key", String.UTF8.encode("key required"), []);
    return FilterHeadersStatusValues.StopIteration;
  }
}

registerRootContext((id: u32) => new Root(id), "api-key");
