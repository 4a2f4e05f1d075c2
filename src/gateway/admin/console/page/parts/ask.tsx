import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../api/problem.ts";
import { Store, useStore } from "../live/store.ts";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./states.tsx";

export interface Question {
  readonly title: string;
  readonly body: ComponentChildren;
  /** What the button says: the act itself, such as "Remove route". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Does it; where it fails, the dialog stays and says why. */
  readonly run: () => Promise<void>;
}

const question = new Store<Question | undefined>(undefined);

/** Asks before something is done. */
export function ask(asked: Question): void {
  question.set(asked);
}

function close(): void {
  question.set(undefined);
}

/** Where questions are shown; drawn once. */
export function Questions() {
  const asked = useStore(question);
  return asked === undefined ? null : <QuestionDialog key={asked.title} asked={asked} />;
}

function QuestionDialog({ asked }: { readonly asked: Question }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await asked.run();
      // It may have asked the next one.
      if (question.value === asked) close();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={asked.title} onClose={close}>
      <div class="dialog-body">{asked.body}</div>
      {problem === undefined ? null : <ProblemNotice problem={problem} />}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
        <button
          class={asked.isDangerous === true ? "button primary danger" : "button primary"}
          type="button"
          disabled={isBusy}
          onClick={() => void run()}
        >
          {asked.action}
        </button>
      </div>
    </Dialog>
  );
}
