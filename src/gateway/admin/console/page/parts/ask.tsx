import { type ComponentChildren } from "preact";
import { call, insistence } from "../api/client.ts";
import { Store, useStore } from "../api/store.ts";
import { useAction } from "./action.ts";
import { Dialog } from "./dialog.tsx";
import { Diagnostics, ProblemNotice } from "./states.tsx";
import { Button } from "./button.tsx";
import { tell } from "./told.tsx";

export interface Question {
  readonly title: string;
  readonly body: ComponentChildren;
  /** The label of the button: the action itself, such as "Remove route". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Does the action. If it fails, the dialog stays open and shows the reason. */
  readonly run: () => Promise<void>;
  /** Called if the user does not confirm. */
  readonly onCancel?: () => void;
}

const question = new Store<Question | undefined>(undefined);

/** Asks the user to confirm an action. */
export function ask(asked: Question): void {
  question.set(asked);
}

interface AskedCall extends Omit<Question, "run"> {
  readonly path: string;
  /** By default, the thing at the path is deleted. */
  readonly method?: "POST" | "DELETE";
  readonly ifMatch?: string | undefined;
  /** The message after it. */
  readonly done: string;
  readonly onChange: () => void;
}

/** Asks the user to confirm a request that changes something. */
export function askToCall({ path, method = "DELETE", ifMatch, done, onChange, ...asked }: AskedCall): void {
  ask({
    isDangerous: method === "DELETE",
    ...asked,
    async run() {
      await call(path, { method, ifMatch });
      tell(done);
      onChange();
    },
  });
}

function close(): void {
  question.set(undefined);
}

insistence.ask = (problem) =>
  new Promise((resolve) => {
    ask({
      title: "Take guards from paths?",
      isDangerous: true,
      action: "Change anyway",
      body: <Diagnostics diagnostics={problem.diagnostics} />,
      run: () => Promise.resolve(resolve(true)),
      onCancel: () => resolve(false),
    });
  });

/** The place for questions; drawn once. */
export function Questions() {
  const asked = useStore(question);
  return asked === undefined ? null : <QuestionDialog key={asked.title} asked={asked} />;
}

function QuestionDialog({ asked }: { readonly asked: Question }) {
  const { isBusy, problem, run } = useAction(async () => {
    await asked.run();
    // The action may have asked the next question.
    if (question.value === asked) close();
  });
  const cancel = (): void => {
    close();
    asked.onCancel?.();
  };
  return (
    <Dialog title={asked.title} onClose={cancel}>
      <div class="dialog-body">{asked.body}</div>
      {problem === undefined ? null : <ProblemNotice problem={problem} />}
      <div class="dialog-actions">
        <Button label="Cancel" onClick={cancel} />
        <Button
          label={asked.action}
          kind={asked.isDangerous === true ? "primary danger" : "primary"}
          isDisabled={isBusy}
          onClick={() => void run()}
        />
      </div>
    </Dialog>
  );
}
