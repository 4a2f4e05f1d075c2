import { type ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useAction } from "./action.ts";
import { Select } from "./select.tsx";
import { ProblemNotice } from "./states.tsx";

interface SmallFormProps {
  readonly action: string;
  /** Rejects with a Problem, which the form shows. */
  readonly run: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A few fields and one button. */
export function SmallForm({ action, run, children }: SmallFormProps) {
  const { isBusy, problem, run: submit } = useAction(run);
  return (
    <form
      class="small-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div class="fields">{children}</div>
      {problem === undefined ? null : <ProblemNotice problem={problem} />}
      <button class="button primary" type="submit" disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (value: string) => void;
  readonly help?: string;
  readonly isRequired?: boolean;
  readonly names?: readonly string[];
}

/** A labelled text field. */
export function TextInput({ label, value, onType, help, isRequired = false, names }: InputProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="text"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        required={isRequired}
        value={value}
        aria-describedby={help === undefined ? undefined : `${id}help`}
        {...(names === undefined ? {} : { list: `${id}names` })}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      {names === undefined ? null : <NameList id={`${id}names`} names={names} />}
      {help === undefined ? null : (
        <p class="field-help" id={`${id}help`}>
          {help}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, title: string])[];
  readonly onChoose: (value: string) => void;
}

/** The names that a browser suggests for the field with this list. */
export function NameList({ id, names }: { readonly id: string; readonly names: readonly string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

/** A labelled list of choices. */
export function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Select id={id} value={value} choices={choices} onChoose={onChoose} />
    </div>
  );
}
