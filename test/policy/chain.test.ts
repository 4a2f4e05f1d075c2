import { afterAll, beforeAll, expect, test } from "bun:test";
import { everythingTo } from "../support/gateway.ts";
import { RawOrigin, summary } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";

let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startProtocols(everythingTo(origin.port));
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

for (const protocol of PROTOCOLS) {
  test(`a request with fields of one name and a body goes through and back over ${protocol}`, async () => {
    origin.answer = (request, connection) => {
      const body = `${summary(request).length} ${request.fields.filter(([name]) => name === "x-a").length}`;
      connection.send(
        `HTTP/1.1 201 Created\r\nX-B: 1\r\nX-B: 2\r\nTransfer-Encoding: chunked\r\n\r\n${body.length}\r\n${body}\r\n0\r\nX-T: t\r\n\r\n`,
      );
    };
    const reply = await gateway.request(protocol, {
      method: "PUT",
      path: "/y?z=1",
      headers: [
        ["x-a", "1"],
        ["x-a", "2"],
      ],
      body: "0".repeat(40_000),
    });
    expect([reply.status, reply.text, reply.all("x-b"), reply.header("x-absent")]).toEqual([
      201,
      "40011 2",
      ["1", "2"],
      undefined,
    ]);
    expect(reply.trailers.map(([name, value]) => [name.toLowerCase(), value])).toEqual([["x-t", "t"]]);
  });
}
