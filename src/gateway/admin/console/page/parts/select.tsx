interface SelectProps {
  readonly class?: string;
  /** The id that a `<label>` names. */
  readonly id?: string;
  /** The name, if no `<label>` is shown. */
  readonly label?: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, title: string])[];
  readonly onChoose: (value: string) => void;
  readonly aria?: { readonly "aria-invalid": boolean; readonly "aria-describedby": string };
}

/** A list of choices. */
export function Select({ class: name = "input", id, label, value, choices, onChoose, aria }: SelectProps) {
  return (
    <select
      id={id}
      class={name}
      aria-label={label}
      value={value}
      {...aria}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {choices.map(([choice, title]) => (
        <option key={choice} value={choice}>
          {title}
        </option>
      ))}
    </select>
  );
}
