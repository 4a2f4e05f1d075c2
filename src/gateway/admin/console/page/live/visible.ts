import { Store } from "../api/store.ts";

/** True while the page is visible: hidden tabs send no requests to the gateway. */
export const isVisible = new Store(document.visibilityState === "visible");

document.addEventListener("visibilitychange", () => isVisible.set(document.visibilityState === "visible"));
