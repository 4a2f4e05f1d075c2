import { useEffect, useRef, useState } from "preact/hooks";
import { call, session } from "../api/client.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { type JsonObject } from "../api/shapes.ts";
import { type Base } from "../form/drafts.ts";
import { type Editor, readBase, type Section, useEditor } from "../form/editor-state.ts";
import { Keys } from "../form/fields.tsx";
import { FormScope, isBelow } from "../form/form-state.ts";
import { type SchemaNode } from "../form/schema.ts";
import { goTo, linkTo } from "../live/view-location.ts";
import { useStore } from "../api/store.ts";
import { Head, Panel } from "../parts/bits.tsx";
import { PatchList } from "../parts/patch-list.tsx";
import { Diagnostics, Empty, Loading, ProblemNotice } from "../parts/states.tsx";
import { tell } from "../parts/told.tsx";
import { Conflict } from "./conflict.tsx";
import { Button, ButtonLink } from "../parts/button.tsx";

interface EditProps {
  readonly section: Section;
  /** Undefined: a new item is added. */
  readonly find: ((item: JsonObject) => boolean) | undefined;
  /** Identifies the draft. */
  readonly name: string;
}

/** A form that adds or changes a route or an upstream. */
export function Edit({ section, find, name }: EditProps) {
  const [read, setRead] = useState<{ readonly base: Base; readonly schema: SchemaNode }>();
  const [problem, setProblem] = useState<Problem>();
  const state = useStore(session);
  const load = async (): Promise<void> => {
    try {
      const [base, { body: schema }] = await Promise.all([
        readBase(section, find ?? (() => false)),
        call<SchemaNode>("/v1/config/schema"),
      ]);
      const item = section.name === "settings" ? withoutLists(schema) : schema.properties?.[section.name]?.items;
      if (item === undefined) throw new Error(`The schema does not describe ${section.name}.`);
      setProblem(undefined);
      setRead({ base, schema: item });
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  useEffect(() => {
    if (read === undefined && state.kind === "open") void load();
  }, [state]);
  const title = `${find === undefined ? "Add" : "Edit"} ${section.noun}`;
  if (read === undefined || (find !== undefined && read.base.item === undefined)) {
    return (
      <>
        <Head title={title} />
        {problem !== undefined ? (
          <ProblemNotice problem={problem} onRetry={() => void load()} />
        ) : read === undefined ? (
          <Loading />
        ) : (
          <Gone section={section} />
        )}
      </>
    );
  }
  return <EditForm section={section} name={name} base={read.base} schema={read.schema} />;
}

function withoutLists(schema: SchemaNode): SchemaNode {
  const { routes: _routes, upstreams: _upstreams, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: [] };
}

function Gone({ section: { noun, name } }: { readonly section: Section }) {
  return (
    <Empty title={`There is no such ${noun}`}>
      It was removed or renamed. <a href={linkTo(name)}>All {name}</a>
    </Empty>
  );
}

interface EditFormProps {
  readonly section: Section;
  readonly name: string;
  readonly base: Base;
  readonly schema: SchemaNode;
}

function EditForm({ section, name, base: first, schema }: EditFormProps) {
  const editor = useEditor(section, name, first);
  const summary = useRef<HTMLDivElement>(null);
  const { base, value, isBusy, isChanged } = editor;
  const isNew = base.item === undefined;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await editor.save()) {
      tell(
        section.name === "settings"
          ? "The settings are changed. They are in memory until you persist them."
          : `The ${section.noun} ${section.titleOf(value)} is ${isNew ? "added" : "changed"}. It is in memory until you persist it.`,
      );
      goTo(linkTo(section.home));
    } else summary.current?.focus();
  };
  return (
    <form class="editor" noValidate onSubmit={(event) => void submit(event)}>
      <Head
        title={isNew ? `Add ${section.noun}` : `Edit ${section.noun}`}
        lead={
          isNew ? "It takes requests as soon as all workers have it." : <code>{section.titleOf(base.item ?? {})}</code>
        }
      />
      {editor.isRestored && isChanged ? (
        <div class="notice">
          <p>Your earlier input is still here.</p>
          <Button label="Discard it" kind="small" onClick={editor.discardTyped} />
        </div>
      ) : null}
      <div ref={summary} tabIndex={-1} class="editor-summary">
        <Summary editor={editor} section={section} />
      </div>
      <FormScope value={editor.form}>
        {/* Later input would get the problems of the input that the gateway still checks. */}
        <div class="panel" inert={isBusy}>
          <div class="panel-body">
            <Keys node={schema} path={[]} value={value} first={section.first} />
          </div>
        </div>
      </FormScope>
      <Preview editor={editor} />
      <div class="editor-actions">
        <button class="button primary" type="submit" disabled={isBusy || (!isNew && !isChanged)}>
          {isBusy ? "Saving…" : isNew ? `Add ${section.noun}` : "Save changes"}
        </button>
        <ButtonLink
          label={`Back to ${section.home === "config" ? "the configuration" : section.home}`}
          href={linkTo(section.home)}
        />
        <CheckState editor={editor} />
      </div>
    </form>
  );
}

/** The errors that prevent saving, with links to their fields. */
function Summary({ editor, section }: { readonly editor: Editor; readonly section: Section }) {
  const { problem, conflict, own, others } = editor;
  if (conflict !== undefined) return <Conflict editor={editor} conflict={conflict} noun={section.noun} />;
  if (own.length === 0 && others.length === 0)
    return problem === undefined ? null : <ProblemNotice problem={problem} />;
  return (
    <>
      {own.length === 0 ? null : (
        <div class="notice bad">
          <p>{own.length === 1 ? "One key needs a change:" : `${own.length} keys need a change:`}</p>
          <ul class="diagnostics">
            {own.map(({ path, message }) => (
              <li key={path + message}>
                <button class="link" type="button" onClick={() => goToField(path)}>
                  <code>{path === "" ? section.noun : path}</code>
                </button>{" "}
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {others.length === 0 ? null : (
        <div class="notice warn">
          <p>Other parts of the configuration keep this {section.noun} from being saved:</p>
          <Diagnostics diagnostics={others} />
        </div>
      )}
    </>
  );
}

/** Unfolds the groups around a field, or around its nearest parent that exists, and moves the focus there. */
function goToField(path: string): void {
  const fields = [
    ...document.querySelectorAll<HTMLElement>('[id^="field-"]:not([id$="-help"]):not([id$="-messages"])'),
  ];
  const fitting = fields.filter(({ id }) => isBelow(path, id.slice("field-".length)));
  const field = fitting.toSorted((a, b) => b.id.length - a.id.length)[0];
  for (const fold of document.querySelectorAll("details"))
    if (field !== undefined && fold.contains(field)) fold.open = true;
  field?.focus();
  field?.scrollIntoView({ block: "center" });
}

/** The changes that saving would make, from the gateway's check. */
function Preview({ editor: { check, isChanged } }: { readonly editor: Editor }) {
  if (check === undefined || !isChanged) return null;
  const { difference, warnings, restart } = check;
  if (difference.length === 0 && warnings.length === 0) return null;
  return (
    <Panel title="What this changes">
      {warnings.map(({ path, message }) => (
        <p key={path + message} class="notice warn">
          <code>{path}</code> {message}
        </p>
      ))}
      {restart.length === 0 ? null : (
        <p class="notice warn">
          These keys take effect at the next start:{" "}
          {restart.map((key) => (
            <code key={key}>{key} </code>
          ))}
        </p>
      )}
      <PatchList patch={difference} />
    </Panel>
  );
}

function CheckState({ editor: { check, isChanged } }: { readonly editor: Editor }) {
  return (
    <span class="soft small" role="status">
      {isChanged && check?.ok === true ? "The configuration is valid." : ""}
    </span>
  );
}
