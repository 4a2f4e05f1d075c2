import { expect, test } from "bun:test";
import { type GatewayEvent } from "../api/shapes.ts";
import { actorOf, kindName, toneOf } from "./event-text.ts";

const EVENT: GatewayEvent = { id: 1, time_ms: 1, kind: "change", message: "" };

test("the actor of an event is its kind and address", () => {
  expect(actorOf(EVENT)).toBe("");
  expect(actorOf({ by: { kind: "operator", key: "api_key", address: "127.0.0.1" } })).toBe("operator from 127.0.0.1");
  expect(actorOf({ by: { kind: "operator", key: "api_key", address: "" } })).toBe("operator");
  expect([kindName("config_file"), kindName("unheard-of")]).toEqual(["File", "unheard-of"]);
});

test.each<[Partial<GatewayEvent>, string]>([
  [{}, "none"],
  [{ outcome: "done" }, "good"],
  [{ outcome: "failed" }, "bad"],
  [{ outcome: "refused" }, "warn"],
  [{ kind: "lost" }, "warn"],
  [{ healthy: true, outcome: "failed" }, "good"],
  [{ healthy: false, in_rotation: true }, "bad"],
  [{ in_rotation: true }, "good"],
  [{ in_rotation: false, outcome: "done" }, "bad"],
])("the tone of %j is %s", (event, tone) => {
  expect(toneOf({ ...EVENT, ...event })).toBe(tone as ReturnType<typeof toneOf>);
});
