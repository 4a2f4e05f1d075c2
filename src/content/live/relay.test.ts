import { expect, test } from "bun:test";
import { type CdpCall, type CdpConnection, type CdpFields } from "../browser/program/cdp.ts";
import { MAX_SESSIONS, Relay } from "./relay.ts";

/** A relay to a browser that attaches at once, with the errors of its responses. */
async function relayed() {
  const detached: unknown[] = [];
  const errors: unknown[] = [];
  let attached = 0;
  const attach = (): CdpFields => ({ sessionId: `S${(attached += 1)}` });
  const send = async (method: string, params: CdpFields = {}) => {
    if (method === "Target.detachFromTarget") detached.push(params["sessionId"]);
    return attach();
  };
  const post = (_method: string, _params: CdpFields, _session: string, { resolve }: CdpCall) => resolve(attach());
  // These are the calls of the connection that are used.
  const cdp = { send, post } as unknown as CdpConnection;
  const take = (text: string) => errors.push((JSON.parse(text) as { error?: { message: string } }).error?.message); // of the relay
  const relay = await Relay.open(cdp, { send: take, closed: () => undefined }, () => undefined);
  const root = "S1";
  return { relay, root, errors, detached };
}

test("sessions of a client are bounded, also those that begin by themselves, and one that ends makes room", async () => {
  const { relay, root, errors, detached } = await relayed();
  const attach = () => relay.receive('{"id":1,"method":"Target.attachToBrowserTarget"}');
  for (let n = 0; n < MAX_SESSIONS; n += 1) attach();
  expect(errors.filter((error) => error !== undefined)).toEqual([]);
  attach();
  expect(errors.at(-1)).toBe("Too many sessions are open");
  const before = errors.length;
  relay.observe("Target.attachedToTarget", { sessionId: "own", targetInfo: { targetId: "frame" } }, root);
  expect([detached, errors.length]).toEqual([["own"], before]);
  relay.observe("Target.detachedFromTarget", { sessionId: "S2" }, root);
  attach();
  expect(errors.at(-1)).toBeUndefined();
});
