// A proxy-wasm filter: replaces a word in the bodies of responses.
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  BufferTypeValues,
  Context,
  FilterDataStatusValues,
  FilterHeadersStatusValues,
  get_buffer_bytes,
  registerRootContext,
  RootContext,
  set_buffer_bytes,
  stream_context,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

class Root extends RootContext {
  createContext(id: u32): Context {
    return new RewriteBody(id, this);
  }
}

class RewriteBody extends Context {
  onResponseHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    // The new body has another length.
    stream_context.headers.response.remove("content-length");
    return FilterHeadersStatusValues.Continue;
  }

  onResponseBody(size: usize, endOfStream: bool): FilterDataStatusValues {
    // Waits for the whole body, because a word can be split between two pieces.
    if (!endOfStream) return FilterDataStatusValues.StopIterationAndBuffer;
    const body = String.UTF8.decode(get_buffer_bytes(BufferTypeValues.HttpResponseBody, 0, size as u32));
    const changed = String.UTF8.encode(body.replaceAll("cat", "dog"));
    set_buffer_bytes(BufferTypeValues.HttpResponseBody, 0, size as u32, changed);
    return FilterDataStatusValues.Continue;
  }
}

registerRootContext((id: u32) => new Root(id), "rewrite-body");
