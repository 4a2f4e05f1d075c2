import { useEffect, useId, useRef } from "preact/hooks";
import { type Problem } from "../api/problem.ts";
import { logIn } from "../api/session.ts";
import { useAction } from "../parts/action.ts";

/** The whole page before the log-in. */
export function LogInPage() {
  return (
    <main class="log-in">
      <div class="log-in-card">
        <div class="brand">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          <h1>Turnpike console</h1>
        </div>
        <LogInForm />
      </div>
    </main>
  );
}

/** Asks for the admin key and opens a session with it. */
export function LogInForm() {
  const input = useRef<HTMLInputElement>(null);
  const { isBusy, problem, run } = useAction(() => logIn(input.current?.value.trim() ?? ""));
  const id = useId();
  useEffect(() => input.current?.focus(), []);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const field = input.current;
    if (field === null || isBusy || (await run())) return;
    field.select();
    field.focus();
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <div class="field">
        <label for={`${id}key`}>Admin key</label>
        <input
          ref={input}
          class="input mono"
          id={`${id}key`}
          type="password"
          name="key"
          autocomplete="current-password"
          spellcheck={false}
          required
          aria-invalid={problem?.status === 401}
          aria-describedby={`${id}error ${id}help`}
        />
        <p id={`${id}error`} class="field-error" role="alert">
          {problem === undefined ? "" : explain(problem)}
        </p>
        <p id={`${id}help`} class="soft small">
          <code>turnpike start</code> prints where its key is kept. Elsewhere it is <code>admin.api_key</code> of the
          configuration, or <code>admin.read_api_key</code> to look without changing.
        </p>
      </div>
      <button class="button primary" type="submit" disabled={isBusy}>
        {isBusy ? "Logging in…" : "Log in"}
      </button>
    </form>
  );
}

function explain(problem: Problem): string {
  if (problem.status === 401) return "This is not the key. Check that it is copied whole.";
  if (problem.status === 429) {
    const seconds = problem.retryAfterSeconds;
    return `Too many wrong keys from this address. Try again ${seconds === undefined ? "later" : `in ${seconds} s`}.`;
  }
  if (problem.status === 0) return "The gateway does not respond. Check that it runs, then try again.";
  return problem.message;
}
