/** The chain's treatment of the policies' decisions; the same on every protocol. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { respond } from "../../src/gateway/exchange/local-response.ts";
import { type Exchange } from "../../src/gateway/exchange/exchange.ts";
import { FieldChanges } from "../../src/gateway/policy/field-changes.ts";
import { changeFinalHead } from "../../src/gateway/policy/head-edit.ts";
import { type Decision, type Policy } from "../../src/gateway/policy/policy.ts";
import { POLICIES } from "../../src/gateway/process/compile/policies.ts";
import { TurnpikeError } from "../../src/lib/errors.ts";
import { until } from "../../src/lib/testing/until.ts";
import { readDocument } from "../support/documents.ts";
import { RawOrigin, summary } from "../support/raw-origin.ts";
import { PROTOCOLS } from "./protocols.ts";
import { type ChainRig, startChainRig } from "./testing/chain-rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

let origin: RawOrigin;
let rig: ChainRig;
/** Names of the policies that ran, in order. */
let ran: string[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  rig = await startChainRig(origin);
});

beforeEach(() => {
  origin.reset();
  ran = [];
  rig.policies = [];
  rig.errors.length = 0;
});

afterEach(() => expect(origin.errors).toEqual([]));

afterAll(async () => {
  await rig.stop();
  await origin.stop();
});

type Decide = (exchange: Exchange) => Decision | Promise<Decision>;

function policy(name: string, decide: Decide = () => "continue", guards = false): Policy {
  return {
    name,
    guards,
    request(exchange) {
      ran.push(name);
      return decide(exchange);
    },
  };
}

/** Adds its name to every response. */
function signing(name: string): Policy {
  return policy(name, (exchange) => {
    changeFinalHead(exchange, new FieldChanges({ added: `X-Seen: ${name}\r\n` }));
    return "continue";
  });
}

async function later(decision: Decision): Promise<Decision> {
  await new Promise(setImmediate);
  return decision;
}

describe.each(PROTOCOLS)("over %s", (protocol) => {
  test("policies run in order, with or without a promise, and process the response in the reverse order", async () => {
    rig.policies = [signing("a"), policy("b", () => later("continue")), signing("c"), policy("d")];
    const reply = await rig.clients.request(protocol, { path: "/x" });
    expect([reply.status, reply.text, ran, reply.all("x-seen")]).toEqual([
      200,
      "GET /x",
      ["a", "b", "c", "d"],
      ["c", "a"],
    ]);
  });

  test("a policy that skips others does not skip guards", async () => {
    const guard = policy("guard", () => "continue", true);
    for (const decision of ["skip", later("skip")] as const) {
      ran = [];
      rig.policies = [signing("a"), policy("skips", () => decision), policy("b"), guard, policy("c")];
      const reply = await rig.clients.request(protocol, { path: "/x" });
      expect([reply.text, ran, reply.all("x-seen")]).toEqual(["GET /x", ["a", "skips", "guard"], ["a"]]);
    }
    rig.policies = [policy("skips", () => "skip"), policy("guard", (exchange) => responded(exchange), true)];
    expect((await rig.clients.request(protocol)).status).toBe(418);
  });

  test("a policy that responds ends the chain, and the policies before it process its response", async () => {
    const decisions: Decide[] = [
      (exchange) => responded(exchange),
      async (exchange) => {
        await new Promise(setImmediate);
        return responded(exchange);
      },
    ];
    for (const decide of decisions) {
      ran = [];
      rig.policies = [signing("a"), policy("answers", decide), policy("b")];
      const reply = await rig.clients.request(protocol, { method: "POST", body: "unread" });
      expect([reply.status, reply.text, reply.all("x-seen"), ran]).toEqual([418, "tea", ["a"], ["a", "answers"]]);
    }
    expect(origin.requests).toEqual([]);
  });

  test("fields that a policy adds to the response are sent, whichever part responds", async () => {
    const modifies = policy("modifies", (exchange) => {
      exchange.addedFields += "X-Modified: yes\r\n";
      return "continue";
    });
    rig.policies = [modifies];
    expect((await rig.clients.request(protocol)).header("x-modified")).toBe("yes");
    rig.policies = [modifies, policy("answers", (exchange) => responded(exchange))];
    expect((await rig.clients.request(protocol)).header("x-modified")).toBe("yes");
  });

  test("if a policy holds a request back, its body is held too, and then forwarded completely", async () => {
    const calls: string[] = [];
    const holds = policy("holds", (exchange) => {
      const { body } = exchange;
      exchange.body = {
        readTo: (sink) => body.readTo(sink),
        pause() {
          calls.push(`pause, ${origin.requests.length} forwarded`);
          body.pause();
        },
        resume() {
          calls.push(`resume, ${origin.requests.length} forwarded`);
          body.resume();
        },
      };
      return { pauseMs: 60 };
    });
    rig.policies = [holds, policy("b")];
    const body = "0".repeat(50_000);
    const reply = await rig.clients.request(protocol, { method: "POST", path: "/x", body });
    expect(reply.text).toBe(`POST /x ${body}`);
    expect(ran).toEqual(["holds", "b"]);
    expect(calls.slice(0, 2)).toEqual(["pause, 0 forwarded", "resume, 0 forwarded"]);
    ran = [];
    rig.policies = [
      policy("holds", () => later({ pauseMs: 1 })),
      policy("holds again", () => ({ pauseMs: 1 })),
      policy("c"),
    ];
    expect((await rig.clients.request(protocol)).status).toBe(200);
    expect(ran).toEqual(["holds", "holds again", "c"]);
  });

  test("a policy that throws, or whose promise rejects, causes 500 and a log line; an error of the gateway is sent unchanged", async () => {
    const failures: Decide[] = [
      () => {
        throw new Error("secret");
      },
      () => Promise.reject(new Error("secret")),
    ];
    for (const decide of failures) {
      rig.policies = [signing("a"), policy("fails", decide), policy("b")];
      const reply = await rig.clients.request(protocol);
      expect([reply.status, reply.all("x-seen")]).toEqual([500, ["a"]]);
      expect(reply.text).not.toContain("secret");
    }
    expect(rig.errors.map(String)).toEqual(["Error: secret", "Error: secret"]);
    rig.policies = [policy("refuses", () => Promise.reject(new TurnpikeError("forbidden", "not you")))];
    const reply = await rig.clients.request(protocol);
    expect([reply.status, reply.json]).toMatchObject([403, { detail: "not you" }]);
    expect([rig.errors.length, origin.requests.length, ran.includes("b")]).toEqual([2, 0, false]);
  });

  test("a client that disconnects while a policy waits, or while it is held, is removed", async () => {
    const decided = Promise.withResolvers<Decision>();
    let exchange: Exchange | undefined;
    let told = 0;
    const watch = (decide: () => Decision | Promise<Decision>): Decide => {
      return (seen) => {
        exchange = seen;
        seen.onGone = () => void told++;
        return decide();
      };
    };
    const cases = [() => decided.promise, () => ({ pauseMs: 60_000 })];
    for (const [i, decide] of cases.entries()) {
      exchange = undefined;
      rig.policies = [policy("waits", watch(decide)), policy("b")];
      const leave = await rig.clients.open(protocol, "/x");
      await until(() => exchange !== undefined);
      leave();
      await until(() => exchange?.gone === true);
      expect(told).toBe(i + 1);
    }
    decided.resolve("continue");
    await new Promise(setImmediate);
    expect([ran, origin.requests.length, rig.errors]).toEqual([["waits", "waits"], 0, []]);
  });

  test("a request with repeated fields, a body and trailers passes both ways", async () => {
    origin.response = (request, connection) => {
      const body = `${summary(request).length} ${request.fields.filter(([name]) => name === "x-a").length}`;
      connection.send(
        `HTTP/1.1 201 Created\r\nX-B: 1\r\nX-B: 2\r\nTransfer-Encoding: chunked\r\n\r\n${body.length}\r\n${body}\r\n0\r\nX-T: t\r\n\r\n`,
      );
    };
    rig.policies = [signing("a")];
    const fields = [
      ["x-a", "1"],
      ["x-a", "2"],
    ] as const;
    const reply = await rig.clients.request(protocol, {
      method: "PUT",
      path: "/y?z=1",
      headers: fields,
      body: "0".repeat(40_000),
    });
    expect([reply.status, reply.text, reply.all("x-b"), reply.all("x-seen")]).toEqual([
      201,
      "40011 2",
      ["1", "2"],
      ["a"],
    ]);
    expect(reply.trailers.map(([name, value]) => [name.toLowerCase(), value])).toEqual([["x-t", "t"]]);
  });
});

function responded(exchange: Exchange): Decision {
  respond(exchange, 418, "Content-Type: text/plain\r\n", Buffer.from("tea"));
  return "responded";
}

test("the documents show the order in which policies run", () => {
  const words = Object.keys(POLICIES).map((name) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  const rows = [...readDocument("docs/policies.md").matchAll(/^\| +(\d+) +\| ([a-z ]+?) +\|/gm)];
  expect(rows.map(([, number, name]) => [Number(number), name])).toEqual(words.map((name, i) => [i + 1, name]));
  const line = /^ *(response headers → .*)$/m.exec(readDocument("docs/architecture.md"))?.[1] ?? "";
  expect(line.split(" → ")).toEqual(words);
});
