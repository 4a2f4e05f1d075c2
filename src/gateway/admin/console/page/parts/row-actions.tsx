interface RowActionsProps {
  readonly name: string;
  readonly editLink: string;
  readonly onRemove: () => void;
}

/** The buttons that edit and remove an item. */
export function RowActions({ name, editLink, onRemove }: RowActionsProps) {
  return (
    <span class="row-actions">
      <a class="button small quiet" href={editLink}>
        Edit<span class="visually-hidden"> {name}</span>
      </a>
      <button class="button small quiet" type="button" onClick={onRemove}>
        Remove<span class="visually-hidden"> {name}</span>
      </button>
    </span>
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
