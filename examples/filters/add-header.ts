// A proxy-wasm filter: adds a field to each request and, with the text of its configuration, one to each response.
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  Context,
  FilterHeadersStatusValues,
  registerRootContext,
  RootContext,
  stream_context,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

class Root extends RootContext {
  createContext(id: u32): Context {
    return new AddHeader(id, this);
  }
}

class AddHeader extends Context {
  onRequestHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    stream_context.headers.request.add("x-filter", "add-header");
    return FilterHeadersStatusValues.Continue;
  }

  onResponseHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    stream_context.headers.response.add("x-configured", this.root_context.getConfiguration());
    return FilterHeadersStatusValues.Continue;
  }
}

registerRootContext((id: u32) => new Root(id), "add-header");
