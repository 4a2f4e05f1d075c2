import {
  compileAssemblyScript,
  compileProxyWasm,
} from "../../../src/gateway/filters/module/testing/assembly-script.ts";
import { type Folder } from "../../support/program.ts";

/** Compiles an AssemblyScript filter to a module in the folder, and returns its path. */
export async function writeFilter(folder: Folder, name: string, source: string): Promise<string> {
  const path = folder.file(name);
  await Bun.write(path, await compileAssemblyScript(source, ["--runtime", "stub"]));
  return path;
}

/** Compiles a filter with the proxy-wasm SDK to a module in the folder, and returns its path. */
export async function writeSdkFilter(folder: Folder, name: string, source: string): Promise<string> {
  const path = folder.file(name);
  await Bun.write(path, await compileProxyWasm(source));
  return path;
}

/** A proxy-wasm filter that responds with everything that it sees of a request's head. */
export const TELLTALE = `
export * from "@gcoredev/proxy-wasm-sdk-as/assembly/proxy";
import {
  Context, FilterHeadersStatusValues, registerRootContext, RootContext, send_http_response, stream_context,
} from "@gcoredev/proxy-wasm-sdk-as/assembly";

class Root extends RootContext {
  createContext(id: u32): Context {
    return new Telltale(id, this);
  }
}

class Telltale extends Context {
  onRequestHeaders(count: u32, endOfStream: bool): FilterHeadersStatusValues {
    const pairs = stream_context.headers.request.get_headers();
    let text = "";
    for (let i = 0; i < pairs.length; i++) {
      text += String.UTF8.decode(pairs[i].key) + ": " + String.UTF8.decode(pairs[i].value) + "\\n";
    }
    send_http_response(200, "told", String.UTF8.encode(text), []);
    return FilterHeadersStatusValues.StopIteration;
  }
}

registerRootContext((id: u32) => new Root(id), "telltale");`;

/** A filter that writes the number of its request to X-Count, after the number VERSION. */
export function counter(version: number): string {
  return `
@external("env", "set_response_header") declare function set_response_header(n: usize, nl: i32, v: usize, vl: i32): void;
const NAME = memory.data<u8>([0x78, 0x2d, 0x63, 0x6f, 0x75, 0x6e, 0x74]); // x-count
const TEXT = memory.data<u8>([${48 + version}, 0x2e, 0, 0, 0, 0]);
let count: i32 = 0;
export function on_request(): i32 {
  count++;
  let left = count;
  for (let i = 5; i > 1; i--) { store<u8>(TEXT + i, u8(48 + left % 10)); left /= 10; }
  store<u8>(TEXT + 1, 0x2e);
  set_response_header(NAME, 7, TEXT, 6);
  return 2;
}`;
}
