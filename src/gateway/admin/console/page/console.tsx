import { render } from "preact";
import { App } from "./app.tsx";
import { showInvisible } from "./shell/visible-texts.ts";

showInvisible();

const container = document.getElementById("app");
if (container !== null) {
  container.replaceChildren();
  render(<App />, container);
}
