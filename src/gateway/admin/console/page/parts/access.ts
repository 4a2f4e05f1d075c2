import { session } from "../api/client.ts";
import { useStore } from "../live/store.ts";

/** Whether the key may change things; buttons that do are left away otherwise, and the menu says why. */
export function useMayChange(): boolean {
  const state = useStore(session);
  return state.kind !== "open" || state.session.access === "full";
}
