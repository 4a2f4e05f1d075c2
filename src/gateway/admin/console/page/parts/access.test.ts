import { afterEach, expect, test } from "bun:test";
import { type SessionState, session } from "../api/client.ts";
import { drawHook } from "../testing/draw-hook.ts";
import { useMayChange } from "./access.ts";

afterEach(() => session.set({ kind: "unknown" }));

const open = (access: "full" | "read"): SessionState => ({ kind: "open", session: { access, csrf_token: "t" } });

test.each<[SessionState, boolean]>([
  [open("full"), true],
  [open("read"), false],
  // The views stay as they are while the user logs in again.
  [{ kind: "none", lost: true }, true],
])("in the session %j a user may change things: %p", (state, mayChange) => {
  session.set(state);
  using view = drawHook(useMayChange);
  expect(view.value).toBe(mayChange);
});
