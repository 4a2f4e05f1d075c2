import { session } from "../api/client.ts";
import { useStore } from "../api/store.ts";

/** True if the key may change things. Otherwise the buttons for changes are hidden, and the menu shows why. */
export function useMayChange(): boolean {
  const state = useStore(session);
  return state.kind !== "open" || state.session.access === "full";
}
