import { expect, test } from "bun:test";
import { messageOf } from "../../lib/caught.ts";
import { type Plain } from "../exchange/exchange-state.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { OWN_HEAD } from "../proxy/subrequest.ts";
import { dryRun, type DryRun } from "./dry-run.ts";
import { op } from "./module/testing/assembler.ts";
import { loaded } from "./module/testing/metered.ts";
import { callsOf, ownModule } from "./own-abi/testing/own-module.ts";
import { call, type Filter, moduleOf, RESULTS, TEXTS } from "./proxy-wasm/testing/proxy-module.ts";

const HEAD: Plain<RequestHead> = {
  ...OWN_HEAD,
  method: "POST",
  authority: "a.test",
  path: "/p",
  query: "?q",
  fields: "x-a: 1\r\n",
  bodyLength: 0,
  isGrpc: false,
};
const FUEL = 5000;

async function run(module: Uint8Array, body = "", config = ""): Promise<DryRun> {
  const request = { head: { ...HEAD, bodyLength: body.length }, body: Buffer.from(body) };
  return await dryRun(await loaded(module), { fuel: FUEL, config, rootId: "" }, request);
}

const bodyOf = ({ response }: DryRun): string => String(response?.body);

test("a filter that lets a request pass: the request as it is forwarded, and a short response", async () => {
  const result = await run(ownModule([], { on_request: op.i32(0) }), "hello");
  expect(result.forwarded).toEqual({ head: { ...HEAD, bodyLength: 5 }, body: Buffer.from("hello") });
  expect([result.response?.head.status, result.response?.head.bodyLength, bodyOf(result)]).toEqual([
    200,
    11,
    "a response\n",
  ]);
  expect(result.response?.head.fields).toBe("content-type: text/plain\r\n");
  expect([result.log, result.fuel.length]).toEqual([[], 1]);
  expect(result.fuel[0]).toBeGreaterThan(0);
});

test("a request without a body is forwarded without one, with the fields that the filter has set", async () => {
  const adds: Filter = {
    imports: [["proxy_add_header_map_value", 5]],
    text: "xy",
    callbacks: { proxy_on_request_headers: call(0, 0, TEXTS, 1, TEXTS + 1, 1) },
  };
  const { forwarded } = await run(moduleOf(adds));
  expect([forwarded?.body.length, forwarded?.head.fields]).toEqual([0, "x-a: 1\r\nx: y\r\n"]);
});

test("a filter that responds: its response, and nothing is forwarded", async () => {
  const code = [...callsOf(0, 418, 0, 2), ...callsOf(1, 0, 2), ...op.i32(1)];
  const result = await run(ownModule(["respond", "log"], { on_request: code }, "no"), "hello");
  expect([result.forwarded, result.response?.head.status, bodyOf(result), result.log]).toEqual([
    undefined,
    418,
    "no",
    ["no"],
  ]);
});

test("a filter that fails: the error that a client would get, and the reason", async () => {
  const result = await run(ownModule([], { on_request: [...op.loop, ...op.br(0), ...op.end, ...op.i32(0)] }));
  expect([result.forwarded, result.response?.head.status]).toEqual([undefined, 500]);
  expect([result.log, result.fuel]).toEqual([["on_request ran out of fuel"], [FUEL]]);
  const parks = ownModule(
    ["host_call"],
    { on_request: [...callsOf(0, 0, 1), ...op.drop, ...op.i32(3)], on_resume: op.i32(0) },
    "c",
  );
  expect((await run(parks)).log).toEqual(["parks, and wasm_control_socket is not set"]);
});

test("a filter that refuses a body after its request was allowed: nothing is forwarded", async () => {
  const refuses: Filter = {
    imports: [["proxy_send_local_response", 8]],
    callbacks: { proxy_on_request_body: call(0, 403, 0, 0, 0, 0, 0, 0, -1) },
  };
  const result = await run(moduleOf(refuses), "hello");
  expect([result.forwarded, result.response?.head.status]).toEqual([undefined, 403]);
});

test("a filter changes the response, or cuts it off", async () => {
  const code = [...callsOf(0, 0, 5), ...op.drop, ...op.i32(0)];
  const replaces = ownModule(["replace_response_body"], { on_request: op.i32(0), on_response: code }, "other");
  expect(bodyOf(await run(replaces))).toBe("other");
  const closes: Filter = {
    imports: [["proxy_close_stream", 1]],
    callbacks: { proxy_on_response_headers: call(0, 0) },
  };
  const cut = await run(moduleOf(closes));
  expect([cut.forwarded?.head.path, cut.response]).toEqual(["/p", undefined]);
});

test("a filter that fails at the response: the response as it was, and the reason", async () => {
  const result = await run(moduleOf({ callbacks: { proxy_on_response_headers: op.unreachable } }));
  expect([result.response?.head.status, bodyOf(result)]).toEqual([200, "a response\n"]);
  expect(result.log).toEqual([expect.stringMatching(/^trapped: .+ in proxy_on_response_headers; 1 requests fail$/)]);
});

test("a call of the filter fails, because a check has no servers, and the filter goes on", async () => {
  const calls: Filter = {
    imports: [
      ["proxy_http_call", 10],
      ["proxy_log", 3],
      ["proxy_set_effective_context", 1],
      ["proxy_continue_stream", 1],
    ],
    text: "\x03\0\0\0\x07\0\0\0\x03\0\0\0\x05\0\0\0\x01\0\0\0\x0a\0\0\0\x01\0\0\0:method\0GET\0:path\0/\0:authority\0a\0",
    callbacks: {
      proxy_on_request_headers: [...call(0, TEXTS, 1, TEXTS, 61, 0, 0, 0, 0, 1000, RESULTS), 0x45],
      proxy_on_http_call_response: [
        ...op.get(2),
        ...op.if,
        ...op.unreachable,
        ...op.end,
        ...call(1, 2, TEXTS + 28, 7),
        ...op.drop,
        ...call(2, 3),
        ...op.drop,
        ...call(3, 0),
      ],
    },
  };
  const result = await run(moduleOf(calls));
  expect([result.forwarded?.head.path, result.log]).toEqual(["/p", ["info: :method"]]);
});

test("a filter that does not start is an error, and it sees its configuration", async () => {
  const demands: Filter = { callbacks: { proxy_on_configure: [...op.get(1), ...op.i32(4), 0x46] } };
  expect((await run(moduleOf(demands), "", "four")).response?.head.status).toBe(200);
  expect(await run(moduleOf(demands), "", "other").catch(messageOf)).toContain("returns false from proxy_on_configure");
});
