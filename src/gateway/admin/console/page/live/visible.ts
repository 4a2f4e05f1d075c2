import { Store } from "./store.ts";

/** Whether anybody sees the page: hidden tabs ask the gateway for nothing. */
export const isVisible = new Store(document.visibilityState === "visible");

document.addEventListener("visibilitychange", () => isVisible.set(document.visibilityState === "visible"));
