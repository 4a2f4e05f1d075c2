// A proxy-wasm filter: counts requests in shared data and in a metric, and logs the count from time to time.
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  Context,
  Counter,
  FilterHeadersStatusValues,
  get_shared_data,
  log,
  LogLevelValues,
  registerRootContext,
  RootContext,
  set_shared_data,
  set_tick_period_milliseconds,
  stream_context,
  WasmResultValues,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

const KEY = "visits";

class Root extends RootContext {
  visits: Counter = new Counter("visits_total");

  onConfigure(size: u32): bool {
    set_tick_period_milliseconds(1000);
    return super.onConfigure(size);
  }

  onTick(): void {
    log(LogLevelValues.info, "visits: " + stored().toString());
  }

  createContext(id: u32): Context {
    return new Visits(id, this);
  }
}

class Visits extends Context {
  onRequestHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    (this.root_context as Root).visits.increment(1);
    return FilterHeadersStatusValues.Continue;
  }

  onResponseHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    stream_context.headers.response.add("x-visits", counted().toString());
    return FilterHeadersStatusValues.Continue;
  }
}

/** Adds a visit. If another instance changed the number at the same time, it is read again. */
function counted(): u32 {
  for (let n = 0; n < 10; n++) {
    const shared = get_shared_data(KEY);
    const visits = numberOf(shared.value) + 1;
    const bytes = new ArrayBuffer(4);
    store<u32>(changetype<usize>(bytes), visits);
    if (set_shared_data(KEY, bytes, shared.cas) == WasmResultValues.Ok) return visits;
  }
  return 0;
}

function stored(): u32 {
  return numberOf(get_shared_data(KEY).value);
}

function numberOf(bytes: ArrayBuffer | null): u32 {
  return bytes == null ? 0 : load<u32>(changetype<usize>(bytes));
}

registerRootContext((id: u32) => new Root(id), "visits");
