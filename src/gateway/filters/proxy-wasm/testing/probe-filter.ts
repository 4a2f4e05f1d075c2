/**
 * A filter on the AssemblyScript SDK whose actions are the words of a request's field x-do, so that one compilation
 * serves every test. Each callback executes the words that it knows.
 */
export const PROBE_FILTER = `
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  BaseContext, BufferTypeValues, call_foreign_function, Context, continue_response, Counter, dequeue_shared_queue,
  enqueue_shared_queue, FilterDataStatusValues, FilterHeadersStatusValues, FilterTrailersStatusValues, Gauge,
  get_buffer_bytes, get_current_time_nanoseconds, get_property, get_shared_data, Histogram, log,
  LogLevelValues, makeHeaderPair, register_shared_queue, registerRootContext, resolve_shared_queue, RootContext,
  send_local_response, set_buffer_bytes, set_property, set_shared_data, set_tick_period_milliseconds, stream_context,
  WasmResultValues,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

// @ts-ignore
@external("env", "proxy_close_stream") declare function close_stream(kind: u32): u32;
// @ts-ignore
@external("env", "proxy_no_such_function") declare function no_such_function(): u32;
// @ts-ignore
@external("env", "proxy_get_metric") declare function get_metric(id: u32, out: usize): u32;

const request = stream_context.headers.request;
const response = stream_context.headers.response;
const parked = new Array<Context>();

function bytes(text: string): ArrayBuffer { return String.UTF8.encode(text); }
function text(bytes: ArrayBuffer): string { return String.UTF8.decode(bytes); }
function property(path: string[]): string { return text(get_property(path.join("\\0"))); }
function number(path: string[]): string {
  const found = get_property(path.join("\\0"));
  return found.byteLength == 8 ? load<i64>(changetype<usize>(found)).toString() : "none";
}

// The paths end with a NUL, as in the C++ SDK. A number begins with "#", and "-" is a property that is not found.
function attributes(paths: string): string {
  let told = "";
  for (let i = 0, list = paths.split(" "); i < list.length; i++) {
    const isNumber = list[i].startsWith("#");
    const path = (isNumber ? list[i].substring(1) : list[i]).split(".");
    const found = get_property(path.join("\\0") + "\\0");
    told += (i == 0 ? "" : "|") + (isNumber ? number(path) : found.byteLength == 0 ? "-" : text(found));
  }
  return told;
}

class Root extends RootContext {
  told: string = "";

  onStart(size: usize): bool {
    this.told += text(get_buffer_bytes(BufferTypeValues.VmConfiguration, 0, size as u32));
    return true;
  }

  onConfigure(size: u32): bool {
    const configuration = text(get_buffer_bytes(BufferTypeValues.PluginConfiguration, 0, size));
    if (configuration == "refuse") return false;
    if (configuration == "trap") unreachable();
    this.told += "+" + configuration;
    register_shared_queue("probe");
    if (configuration != "still") set_tick_period_milliseconds(10);
    return true;
  }

  onTick(): void {
    while (parked.length > 0) { const context = parked.pop(); context.setEffectiveContext(); context.continueRequest(); }
  }

  onQueueReady(token: u32): void {
    const message = dequeue_shared_queue(token);
    set_shared_data("dequeued", message.data!);
  }

  createContext(id: u32): Context { return new Probe(id, this); }
}

class Probe extends Context {
  does: string = "";
  collected: i32 = 0;

  is(word: string): bool { return (" " + this.does + " ").includes(" " + word + " "); }

  onRequestHeaders(count: u32, isEnd: bool): FilterHeadersStatusValues {
    this.does = request.get("x-do");
    if (this.is("add")) request.add("x-added", "1");
    if (this.is("add-twice")) { request.add("x-added", "1"); request.add("x-added", "2"); }
    if (this.is("replace")) { request.replace("user-agent", "probe"); request.remove("accept"); request.remove("authorization"); }
    if (this.is("target")) {
      request.replace(":path", "/changed/../else?q=1");
      request.replace(":method", "PUT");
      request.replace(":authority", "other.test");
    }
    if (this.is("bad-path")) request.replace(":path", "/a b");
    if (this.is("to-head")) request.replace(":method", "HEAD");
    if (this.is("bad-field")) request.add("x-bad", "a\\r\\nx-smuggled: 1");
    if (this.is("framing")) { request.replace("transfer-encoding", "chunked"); request.replace("content-length", "999"); request.add("connection", "close"); }
    if (this.is("pairs")) request.set_headers(request.get_headers());
    if (this.is("list")) {
      const list = request.get_headers();
      let told = count.toString() + "=" + list.length.toString();
      for (let i = 0; i < list.length; i++) told += "|" + text(list[i].key) + "=" + text(list[i].value);
      this.tell(told);
    }
    if (this.is("deny")) {
      send_local_response(403, "denied", bytes("no"), [makeHeaderPair("x-deny", "1")], -1);
      return FilterHeadersStatusValues.Continue;
    }
    if (this.is("deny-bad")) send_local_response(99, "", bytes(""), [], -1);
    if (this.is("deny-grpc")) send_local_response(403, "", bytes("not you"), [], 7);
    if (this.is("trap")) unreachable();
    if (this.is("abort")) throw new Error("on purpose");
    if (this.is("loop")) while (true) {}
    if (this.is("close")) close_stream(0);
    if (this.is("say")) { log(LogLevelValues.warn, "said by the probe"); }
    if (this.is("own-words")) this.tell((this.root_context as Root).told);
    if (this.is("unknown")) this.tell(no_such_function().toString() + "," + call_foreign_function("f", "a").byteLength.toString());
    if (this.is("properties")) {
      set_property("kept", bytes("value"));
      this.tell([property(["request", "path"]), property(["request", "method"]), property(["request", "host"]),
        property(["request", "headers", "x-do"]), property(["plugin_name"]), property(["plugin_root_id"]),
        property(["source", "address"]), property(["kept"]), property(["none", "such"]), property(["request", "query"]),
        number(["request", "size"])].join("|"));
    }
    if (this.is("attributes")) this.tell(attributes(request.get("x-paths")));
    if (this.is("time")) this.tell(get_current_time_nanoseconds().toString());
    if (this.is("shared")) this.shared();
    if (this.is("enqueue")) {
      const queue = resolve_shared_queue("", "probe");
      this.tell(enqueue_shared_queue(queue.token, bytes("a message")).toString() + "," + resolve_shared_queue("", "none").result.toString());
    }
    if (this.is("dequeued")) { const found = get_shared_data("dequeued"); this.tell(found.result == 0 ? text(found.value!) : "none"); }
    if (this.is("ends-told")) { const found = get_shared_data("ends"); this.tell(found.result == 0 ? text(found.value!) : "0"); }
    if (this.is("metrics")) {
      const counter = new Counter("probe_total"); counter.increment(2);
      const gauge = new Gauge("probe_level"); gauge.record(gauge.metric_id, 7);
      const histogram = new Histogram("probe_sizes"); histogram.record(histogram.metric_id, 40);
      const same = new Gauge("probe_total"); same.record(same.metric_id, 3);
      const part = new Gauge("probe_sizes_count"); part.record(part.metric_id, 4);
      const value = new ArrayBuffer(8);
      get_metric(counter.metric_id, changetype<usize>(value));
      this.tell(load<u64>(changetype<usize>(value)).toString());
    }
    if (this.is("call") || this.is("call-late") || this.is("call-none")) return this.call();
    if (this.is("park")) { parked.push(this); return FilterHeadersStatusValues.StopIteration; }
    if (this.is("hang")) return FilterHeadersStatusValues.StopIteration;
    if (this.is("go-on-at-once")) { this.continueRequest(); return FilterHeadersStatusValues.StopAllIterationAndWatermark; }
    return FilterHeadersStatusValues.Continue;
  }

  onRequestBody(size: usize, isEnd: bool): FilterDataStatusValues {
    this.collected++;
    if (this.is("body-deny")) { send_local_response(403, "", bytes("bad body"), [], -1); return FilterDataStatusValues.StopIterationAndBuffer; }
    if (this.is("body-trap")) unreachable();
    if (this.is("body-whole")) {
      if (!isEnd) return FilterDataStatusValues.StopIterationAndBuffer;
      const all = text(get_buffer_bytes(BufferTypeValues.HttpRequestBody, 0, size as u32));
      set_buffer_bytes(BufferTypeValues.HttpRequestBody, 0, size as u32, bytes(all.toUpperCase() + "!"));
    }
    if (this.is("body-edges")) {
      if (!isEnd) return FilterDataStatusValues.StopIterationAndBuffer;
      set_buffer_bytes(BufferTypeValues.HttpRequestBody, 0, 0, bytes("<"));
      set_buffer_bytes(BufferTypeValues.HttpRequestBody, size as u32 + 1, 0, bytes(">"));
    }
    if (this.is("body-park") && isEnd) { parked.push(this); return FilterDataStatusValues.StopIterationAndBuffer; }
    if (this.is("body-hold")) return FilterDataStatusValues.StopIterationAndBuffer;
    return FilterDataStatusValues.Continue;
  }

  onRequestTrailers(count: u32): FilterTrailersStatusValues {
    if (this.is("trailers")) stream_context.trailers.request.add("x-added", count.toString());
    return FilterTrailersStatusValues.Continue;
  }

  onResponseHeaders(count: u32, isEnd: bool): FilterHeadersStatusValues {
    if (this.is("r-add")) response.add("x-seen", response.get(":status") + " " + request.get(":path"));
    if (this.is("r-attributes")) response.add("x-attributes", attributes(request.get("x-paths")));
    if (this.is("r-status")) response.replace(":status", "418");
    if (this.is("r-length")) response.remove("content-length");
    if (this.is("r-code")) response.add("x-code", number(["response", "code"]));
    if (this.is("r-deny")) send_local_response(502, "", bytes("not that"), [], -1);
    if (this.is("r-trap")) unreachable();
    if (this.is("r-hang")) return FilterHeadersStatusValues.StopIteration;
    if (this.is("r-call")) {
      this.ask("/called", (context: BaseContext, headers: u32, size: usize, trailers: u32) => {
        response.add("x-called", stream_context.headers.http_callback.get(":status"));
        continue_response();
      });
      return FilterHeadersStatusValues.StopIteration;
    }
    return FilterHeadersStatusValues.Continue;
  }

  onResponseBody(size: usize, isEnd: bool): FilterDataStatusValues {
    if (this.is("r-body-trap")) unreachable();
    if (this.is("r-body-deny")) { send_local_response(502, "", bytes("bad body"), [], -1); return FilterDataStatusValues.StopIterationAndBuffer; }
    if (this.is("r-body-longer")) set_buffer_bytes(BufferTypeValues.HttpResponseBody, 0, 0, bytes("+"));
    if (this.is("r-body")) {
      if (!isEnd) return FilterDataStatusValues.StopIterationAndBuffer;
      set_buffer_bytes(BufferTypeValues.HttpResponseBody, 0, size as u32, bytes("instead"));
    }
    return FilterDataStatusValues.Continue;
  }

  onResponseTrailers(count: u32): FilterTrailersStatusValues {
    if (this.is("r-trailers")) stream_context.trailers.response.add("x-added", count.toString());
    return FilterTrailersStatusValues.Continue;
  }

  onLog(): void {
    if (!this.is("ends")) return;
    const before = get_shared_data("ends");
    const count = before.result == 0 ? I32.parseInt(text(before.value!)) : 0;
    set_shared_data("ends", bytes((count + 1).toString()));
  }

  tell(what: string): void {
    send_local_response(200, "", bytes(what), [], -1);
  }

  shared(): void {
    const first = get_shared_data("key");
    const set = set_shared_data("key", bytes("one"), 0);
    const second = get_shared_data("key");
    const stale = set_shared_data("key", bytes("two"), second.cas + 1);
    const fresh = set_shared_data("key", bytes("three"), second.cas);
    this.tell([first.result.toString(), set.toString(), text(second.value!), stale.toString(), fresh.toString(), text(get_shared_data("key").value!)].join("|"));
  }

  ask(path: string, told: (context: BaseContext, headers: u32, size: usize, trailers: u32) => void): WasmResultValues {
    const headers = [makeHeaderPair(":method", "POST"), makeHeaderPair(":path", path), makeHeaderPair(":authority", "calls.test"), makeHeaderPair("x-call", "1")];
    return this.root_context.httpCall(this.is("call-none") ? "nobody" : "up", headers, bytes("asked"), [], this.is("call-late") ? 50 : 5000, this, told);
  }

  call(): FilterHeadersStatusValues {
    const result = this.ask(this.is("call-late") ? "/slow" : "/called", (context: BaseContext, headers: u32, size: usize, trailers: u32) => {
      const body = text(get_buffer_bytes(BufferTypeValues.HttpCallResponseBody, 0, size as u32));
      request.add("x-called", headers.toString() + " " + (headers > 0 ? stream_context.headers.http_callback.get(":status") : "") + " " + body);
      context.continueRequest();
    });
    if (result != WasmResultValues.Ok) this.tell("not called: " + result.toString());
    return FilterHeadersStatusValues.StopIteration;
  }
}

registerRootContext((id: u32) => new Root(id), "probe");
`;
