import { useId, useRef, useState } from "preact/hooks";
import { type Json } from "../api/shapes.ts";
import { Select } from "../parts/select.tsx";
import { NameList } from "../parts/small-form.tsx";
import { FieldFrame, type FieldProps, useField } from "./field-frame.tsx";
import { useForm } from "./form-state.ts";
import { defaultText, SECRET, fieldText, valueAt } from "./schema.ts";

interface ValueProps extends FieldProps {
  readonly value: Json | undefined;
}

export function TextField(props: ValueProps) {
  const { node, path, value, isRequired } = props;
  const { change, touch, original, namesFor } = useForm();
  const { id, aria } = useField(path);
  const list = useId();
  const key = path.at(-1);
  const wasSecret = valueAt(original, path) === SECRET;
  const isSecret = wasSecret || value === SECRET || node.writeOnly === true;
  const names = namesFor(String(key));
  const text = value === SECRET ? "" : fieldText(value);
  const kind = isSecret
    ? ({ type: "password", autocomplete: "new-password" } as const)
    : ({ type: "text", autocomplete: "off", ...(names === undefined ? {} : { list: `${list}names` }) } as const);
  const put = (typed: string): void => {
    if (typed !== "") change(path, typed);
    else change(path, wasSecret ? SECRET : typeof key === "number" ? "" : undefined);
  };
  return (
    <FieldFrame
      node={node}
      path={path}
      isRequired={isRequired}
      extraHelp={wasSecret ? "leave it empty to keep the secret" : undefined}
    >
      <input
        id={id}
        class="input"
        {...kind}
        autocapitalize="off"
        spellcheck={false}
        value={text}
        placeholder={wasSecret ? "unchanged" : defaultText(node)}
        aria-required={isRequired}
        {...aria}
        onInput={(event) => put(event.currentTarget.value)}
        onBlur={() => touch(path)}
      />
      {names === undefined ? null : <NameList id={`${list}names`} names={names} />}
    </FieldFrame>
  );
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Input that is not a number is passed on as text, so that the check reports it. */
export function NumberField({ node, path, value, isRequired }: ValueProps) {
  const { change, touch } = useForm();
  const { id, aria } = useField(path);
  const [typed, setTyped] = useState<string>();
  const text = typed ?? fieldText(value);
  const put = (input: string): void => {
    setTyped(input);
    const trimmed = input.trim();
    if (trimmed === "") change(path, typeof path.at(-1) === "number" ? "" : undefined);
    else change(path, NUMBER.test(trimmed) ? Number(trimmed) : trimmed);
  };
  return (
    <FieldFrame node={node} path={path} isRequired={isRequired}>
      <input
        id={id}
        class="input num"
        type="text"
        inputMode={node.type === "integer" ? "numeric" : "decimal"}
        autocomplete="off"
        value={text}
        placeholder={defaultText(node)}
        aria-required={isRequired}
        {...aria}
        onInput={(event) => put(event.currentTarget.value)}
        onBlur={() => {
          setTyped(undefined);
          touch(path);
        }}
      />
    </FieldFrame>
  );
}

export function ChoiceField({ node, path, value, isRequired }: ValueProps) {
  const { change, touch } = useForm();
  const { id, aria } = useField(path);
  const choices = (node.enum ?? []).map(fieldText);
  const current = fieldText(value);
  const usual = defaultText(node);
  const unset = usual === undefined ? "not set" : `${usual} (default)`;
  return (
    <FieldFrame node={node} path={path} isRequired={isRequired}>
      <Select
        id={id}
        value={current}
        choices={[
          ...(isRequired && current !== "" ? [] : [["", unset] as const]),
          ...[...(choices.includes(current) || current === "" ? [] : [current]), ...choices].map(
            (choice) => [choice, choice] as const,
          ),
        ]}
        aria={aria}
        onChoose={(choice) => {
          change(path, choice === "" ? undefined : choice);
          touch(path);
        }}
      />
    </FieldFrame>
  );
}

/** Without a default there are three states, because the value of an unset key comes from elsewhere. */
export function BooleanField({ node, path, value, isRequired }: ValueProps) {
  const { change, touch } = useForm();
  const { id, aria } = useField(path);
  const unset = node.default === undefined ? "not set" : `${node.default === true ? "yes" : "no"} (default)`;
  return (
    <FieldFrame node={{ ...node, default: null }} path={path} isRequired={isRequired}>
      <Select
        id={id}
        value={fieldText(value)}
        choices={[
          ["", unset],
          ["true", "yes"],
          ["false", "no"],
        ]}
        aria={aria}
        onChoose={(chosen) => {
          change(path, chosen === "" ? undefined : chosen === "true");
          touch(path);
        }}
      />
    </FieldFrame>
  );
}

/** A value of any shape as JSON, parsed while the user types. */
export function JsonField({ node, path, value, isRequired }: ValueProps) {
  const { change, touch } = useForm();
  const { id, aria } = useField(path);
  const typed = useRef<string>(undefined);
  const [problem, setProblem] = useState("");
  const text = typed.current ?? (value === undefined ? "" : JSON.stringify(value, undefined, 2));
  const put = (input: string): void => {
    typed.current = input;
    if (input.trim() === "") {
      setProblem("");
      change(path, undefined);
      return;
    }
    try {
      const parsed = JSON.parse(input) as Json;
      setProblem("");
      change(path, parsed);
    } catch (error) {
      setProblem(`Not JSON yet: ${error instanceof Error ? error.message : String(error)}`);
      // The check refuses a text here, so that incomplete JSON is never saved.
      change(path, input);
    }
  };
  return (
    <FieldFrame node={node} path={path} isRequired={isRequired} isWide>
      <textarea
        id={id}
        class="input mono"
        rows={6}
        spellcheck={false}
        {...aria}
        value={text}
        onInput={(event) => put(event.currentTarget.value)}
        onBlur={() => touch(path)}
      />
      {problem === "" ? null : <p class="field-error">{problem}</p>}
    </FieldFrame>
  );
}
