import { type ComponentChildren, type FunctionComponent } from "preact";
import { useState } from "preact/hooks";
import { type Json } from "../api/shapes.ts";
import { type FieldProps, Help, keyOf, Messages } from "./field-frame.tsx";
import { fieldId, useForm } from "./form-state.ts";
import { isSame } from "../../../../../lib/is-same.ts";
import { isJsonObject } from "./merge-patch.ts";
import { emptyValue, type Kind, kindOf, type Path, type SchemaNode, fieldText, variantsOf } from "./schema.ts";
import { BooleanField, ChoiceField, JsonField, NumberField, TextField } from "./simple-fields.tsx";
import { Button } from "../parts/button.tsx";
import { Select } from "../parts/select.tsx";

interface ValueProps extends FieldProps {
  readonly value: Json | undefined;
}

/** Keys of an object. If it has more, only those that are set or required are shown, and the rest is folded. */
const MAX_UNFOLDED = 5;

/** The control for a part of the schema. */
export function Field(props: ValueProps) {
  const Control = CONTROLS[kindOf(props.node)];
  return <Control {...props} />;
}

const CONTROLS: Readonly<Record<Kind, FunctionComponent<ValueProps>>> = {
  text: TextField,
  number: NumberField,
  boolean: BooleanField,
  choice: ChoiceField,
  list: ListField,
  items: ItemsField,
  object: ObjectField,
  union: UnionField,
  json: JsonField,
};

interface KeysProps {
  readonly node: SchemaNode;
  readonly path: Path;
  readonly value: Json | undefined;
  /** Keys that are shown first and never folded, in this order. */
  readonly first?: readonly string[];
}

/** The fields of an object's keys. Optional keys are folded unless they are set. */
export function Keys({ node, path, value, first = [] }: KeysProps) {
  const { countBelow } = useForm();
  const object = isJsonObject(value) ? value : {};
  const keys = Object.keys(node.properties ?? {}).filter((key) => node.properties?.[key]?.const === undefined);
  const required = node.required ?? [];
  const isFirst = (key: string): boolean => first.includes(key) || required.includes(key);
  const leading = [...new Set([...first, ...keys.filter((key) => required.includes(key))])].filter((key) =>
    keys.includes(key),
  );
  const others = keys.filter((key) => !isFirst(key));
  const isShort = first.length === 0 && keys.length <= MAX_UNFOLDED;
  // As at the start: a field that moves while the user types loses the focus.
  const [unset] = useState(() => new Set(others.filter((key) => object[key] === undefined && !isShort)));
  const set = others.filter((key) => !unset.has(key));
  const folded = others.filter((key) => unset.has(key));
  const field = (key: string): ComponentChildren => {
    const inner = node.properties?.[key];
    if (inner === undefined) return null;
    return (
      <Field key={key} node={inner} path={[...path, key]} value={object[key]} isRequired={required.includes(key)} />
    );
  };
  const problems = folded.reduce((count, key) => count + countBelow([...path, key]), 0);
  return (
    <>
      <div class="fields">{[...leading, ...set].map(field)}</div>
      {folded.length === 0 ? null : (
        <details class="fold">
          <summary>
            {leading.length + set.length === 0 ? `${folded.length} keys` : `${folded.length} more keys`}
            {problems === 0 ? null : <span class="field-error"> {problems} with a problem</span>}
          </summary>
          <div class="fields">{folded.map(field)}</div>
        </details>
      )}
    </>
  );
}

/** An optional part such as `cache`, or one that always exists, such as `retry`. */
function ObjectField({ node, path, value, isRequired }: ValueProps) {
  const { change } = useForm();
  const id = fieldId(path);
  const isOptional = !isRequired && node.default === undefined && typeof path.at(-1) !== "number";
  const isOn = !isOptional || value !== undefined;
  return (
    <fieldset class="group" aria-describedby={`${id}-help ${id}-messages`}>
      <legend>
        {isOptional ? (
          <label class="switch">
            <input
              id={id}
              type="checkbox"
              checked={isOn}
              onChange={(event) => change(path, event.currentTarget.checked ? emptyValue(node) : undefined)}
            />
            <code>{keyOf(path)}</code>
          </label>
        ) : (
          <code id={id} tabIndex={-1}>
            {keyOf(path)}
          </code>
        )}
      </legend>
      <Help node={node} path={path} />
      <Messages path={path} />
      {isOn ? <Keys node={node} path={path} value={value} /> : null}
    </fieldset>
  );
}

/** One of several kinds, such as `auth`: the kind, and then its keys. */
function UnionField({ node, path, value, isRequired }: ValueProps) {
  const { change } = useForm();
  const id = fieldId(path);
  const variants = variantsOf(node);
  const shown = isJsonObject(value) ? value : isJsonObject(node.default) ? node.default : {};
  const type = fieldText(shown["type"]);
  const variant = variants.get(type);
  const choose = (name: string): void => {
    const chosen = variants.get(name);
    if (chosen === undefined) return;
    const begun: Json = { type: name, ...(emptyValue(chosen) as object) };
    change(path, !isRequired && isSame(begun, node.default) ? undefined : begun);
  };
  return (
    <fieldset class="group" aria-describedby={`${id}-help ${id}-messages`}>
      <legend>
        <code>{keyOf(path)}</code>
      </legend>
      <Help node={{ ...node, default: null }} path={path} />
      <Messages path={path} />
      <div class="fields">
        <div class="field">
          <label class="field-key" for={id}>
            <code>type</code>
          </label>
          <Select
            id={id}
            value={type}
            choices={[...(variants.has(type) ? [] : [type]), ...variants.keys()].map(
              (name) => [name, name === "" ? "Choose…" : name] as const,
            )}
            onChoose={choose}
          />
          <p class="field-help">{variant?.description ?? ""}</p>
        </div>
      </div>
      {variant === undefined ? null : <Keys key={type} node={variant} path={path} value={value} />}
    </fieldset>
  );
}

/** A list of objects, such as `servers`. Each object is a group. */
function ItemsField({ node, path, value, isRequired }: ValueProps) {
  const { items = {} } = node;
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  return (
    <ListFrame node={node} path={path} isRequired={isRequired} list={list}>
      {list.map((item, at) => (
        <li key={at} class="list-item">
          <RemoveItem path={[...path, at]} />
          <Field node={items} path={[...path, at]} value={item} isRequired />
        </li>
      ))}
    </ListFrame>
  );
}

function ListField({ node, path, value, isRequired }: ValueProps) {
  const { items = {} } = node;
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  return (
    <ListFrame node={node} path={path} isRequired={isRequired} list={list}>
      {list.map((item, at) => (
        <li key={at} class="list-item plain">
          <Field node={{ ...items, description: "" }} path={[...path, at]} value={item} isRequired={false} />
          <RemoveItem path={[...path, at]} />
        </li>
      ))}
    </ListFrame>
  );
}

function RemoveItem({ path }: { readonly path: Path }) {
  const { change } = useForm();
  return <Button label="Remove" of={keyOf(path)} kind="small quiet remove" onClick={() => change(path, undefined)} />;
}

function ListFrame({
  node,
  path,
  isRequired,
  list,
  children,
}: FieldProps & { readonly list: readonly Json[]; readonly children: ComponentChildren }) {
  const { change, touch } = useForm();
  const id = fieldId(path);
  const add = (): void => {
    change(path, [...list, emptyValue(node.items ?? {})]);
    touch(path);
    // The first control of the new item, after it is drawn.
    requestAnimationFrame(() => {
      const container = document.getElementById(id)?.querySelector(":scope > ol > li:last-child");
      container?.querySelector<HTMLElement>("input, select, textarea")?.focus();
    });
  };
  const isFull = node.maxItems !== undefined && list.length >= node.maxItems;
  return (
    <fieldset class="group" id={id} tabIndex={-1} aria-describedby={`${id}-help ${id}-messages`}>
      <legend>
        <code>{keyOf(path)}</code>
        {isRequired ? <span class="soft small"> required</span> : null}
      </legend>
      <Help node={node} path={path} />
      <Messages path={path} />
      {list.length === 0 ? null : <ol class="list">{children}</ol>}
      <Button label="Add" of={`to ${keyOf(path)}`} kind="small" isDisabled={isFull} onClick={add} />
    </fieldset>
  );
}
