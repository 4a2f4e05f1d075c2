import { expect, test } from "bun:test";
import { Entrance } from "./entrance.ts";

const TOKEN = "a-token-of-the-fleet";

function asked(path: string, authorization?: string): Request {
  return new Request(`http://content.test${path}`, authorization === undefined ? {} : { headers: { authorization } });
}

const said = async ({ headers }: Request): Promise<Response> => new Response(headers.get("authorization") ?? "none");
const served = async (): Promise<Response> => new Response("served");

test.each([
  undefined,
  "",
  TOKEN,
  `Basic ${TOKEN}`,
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(1)}`,
  `bearer ${TOKEN}`,
  `Bearer  ${TOKEN}`,
])("a request with the field %p is rejected, and its path is not evaluated", async (authorization) => {
  const entrance = new Entrance(() => Promise.reject(new Error("it got in")), TOKEN);
  for (const path of ["/read", "/ready", "/health", "/figures"]) {
    const response = await entrance.fetch(asked(path, authorization));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toStartWith("Bearer");
    expect(await response.text()).not.toContain(TOKEN);
  }
});

test("a request with the token is admitted; without a configured token all requests are", async () => {
  expect(await (await new Entrance(served, TOKEN).fetch(asked("/read", `Bearer ${TOKEN}`))).text()).toBe("served");
  expect(await (await new Entrance(served, undefined).fetch(asked("/read"))).text()).toBe("served");
});

test("the token goes no further than here, and the key of a client does", async () => {
  for (const [token, expected] of [[TOKEN, "none"] as const, [undefined, `Bearer ${TOKEN}`] as const]) {
    const entrance = new Entrance(said, token);
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => entrance.fetch(request) });
    const response = await fetch(server.url, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await response.text()).toBe(expected);
    await server.stop(true);
  }
});

test("a service that drains reports that it is neither ready nor healthy, still serves, and closes connections", async () => {
  const entrance = new Entrance(served, undefined);
  expect((await entrance.fetch(asked("/ready"))).status).toBe(200);
  expect(await (await entrance.fetch(asked("/health"))).text()).toBe("served");
  entrance.drain();
  for (const path of ["/ready", "/health"]) {
    const { status, headers } = await entrance.fetch(asked(path));
    expect([status, headers.get("connection")]).toEqual([503, "close"]);
  }
  const response = await entrance.fetch(asked("/read"));
  expect([await response.text(), response.headers.get("connection")]).toEqual(["served", "close"]);
});

test("readiness can be requested with GET or HEAD", async () => {
  const entrance = new Entrance(served, undefined);
  const response = await entrance.fetch(new Request("http://content.test/ready", { method: "POST" }));
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
