import { Button, ButtonLink, Changes } from "./button.tsx";

interface RowActionsProps {
  readonly name: string;
  readonly editLink: string;
  readonly onRemove: () => void;
}

/** The buttons that edit and remove an item. */
export function RowActions({ name, editLink, onRemove }: RowActionsProps) {
  return (
    <Changes>
      <span class="row-actions">
        <ButtonLink label="Edit" of={name} kind="small quiet" href={editLink} />
        <Button label="Remove" of={name} kind="small quiet" onClick={onRemove} />
      </span>
    </Changes>
  );
}

interface FilterInputProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (value: string) => void;
}

/** Input for a text that the shown items must have. */
export function FilterInput({ label, value, onType }: FilterInputProps) {
  return (
    <input
      class="input filter"
      type="search"
      placeholder="Filter"
      aria-label={label}
      value={value}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  );
}
