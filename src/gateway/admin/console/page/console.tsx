import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { session } from "./api/client.ts";
import { resumeSession } from "./api/session.ts";
import { useStore } from "./api/store.ts";
import { Shell } from "./shell/shell.tsx";
import { LogInPage } from "./views/log-in.tsx";
import { showInvisible } from "./shell/visible-texts.ts";

const RETRY_MS = 2_000;

function App() {
  const state = useStore(session);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (session.value.kind !== "unknown") return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    resumeSession().catch(() => {
      timer = setTimeout(() => setTries(tries + 1), RETRY_MS);
    });
    return () => clearTimeout(timer);
  }, [tries]);
  if (state.kind === "unknown") {
    return (
      <main class="log-in">
        <p role="status">{tries === 0 ? "" : "The gateway does not respond. Trying again…"}</p>
      </main>
    );
  }
  // If the session has ended, the views stay, with the log-in above them.
  return state.kind === "open" || state.lost ? <Shell /> : <LogInPage />;
}

showInvisible();

const container = document.getElementById("app");
if (container !== null) {
  container.replaceChildren();
  render(<App />, container);
}
