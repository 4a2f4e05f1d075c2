import {
  type ApiDocument,
  type ApiSchema,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
  successOf,
} from "../src/content/api/api-document.ts";
import { type AboutRequest, aboutRequestsOf } from "./about-requests.ts";
import { ASSETS, isEvmAsset } from "../src/payments/x402/assets.ts";
import { isEvm, KNOWN_NETWORKS } from "../src/payments/x402/networks.ts";
import { V1_NETWORKS } from "../src/payments/x402/v1.ts";

const MADE = "Made by scripts/generate.ts; changes here are lost.";
const WIDTH = 120;

/** The tokens and networks that the Python client knows: it pays on EVM chains. */
export function pythonNetworks(): string {
  const networks = KNOWN_NETWORKS.filter(({ network }) => isEvm(network)).map(
    ({ network, name, title }) => `    ${text(network)}: (${text(name)}, ${text(title)}),`,
  );
  const assets = ASSETS.filter(isEvmAsset).map((asset) => {
    const { network, address, symbol, name, version, decimals } = asset;
    return `    Asset(${[network, address, symbol, name, version].map(text).join(", ")}, ${decimals}),`;
  });
  const names = [...V1_NETWORKS].map(([name, network]) => `    ${text(name)}: ${text(network)},`);
  return `"""Known networks and tokens. ${MADE}"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Asset:
    """A token that can be used for payments. \`name\` and \`version\` are those of its EIP-712 domain."""

    network: str
    address: str
    symbol: str
    name: str
    version: str
    decimals: int


#: Names and titles by CAIP-2 identifiers.
NETWORKS = {
${networks.join("\n")}
}

ASSETS = (
${assets.join("\n")}
)

#: The networks by their names in x402 version 1.
V1_NETWORKS = {
${names.join("\n")}
}
`;
}

/** The bodies of requests and responses, as Python. */
export function pythonTypes(document: ApiDocument): string {
  const types = typesOf(document);
  return `"""The types of the API's bodies. ${MADE}"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict
${types.classes.join("")}`;
}

/** The methods of the synchronous and of the asynchronous client, as Python. */
export function pythonOperations(document: ApiDocument): string {
  const types = typesOf(document);
  const operations = operationsOf(document).flatMap((operation) => formsOf(operation));
  const methods = (isAsync: boolean): string =>
    [
      ...operations.map((operation) => methodOf(types, operation, isAsync)),
      ...aboutRequestsOf(document).map((request) => aboutMethodOf(request, isAsync)),
    ].join("\n");
  const bodies = [...types.classes.join("\n").matchAll(/^class (\w+)/gm)].map(([, name = ""]) => name);
  const sync = methods(false);
  const used = bodies.filter((name) => new RegExp(`\\b${name}\\b`).test(sync)).toSorted();
  return `"""One method for each operation. ${MADE}"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from ._responses import File
from .jobs import AsyncJob, Job
from .types import (
${used.map((name) => `    ${name},`).join("\n")}
)

T = TypeVar("T")


class Operations(ABC):
    """The operations. \`price_limit\` is the highest price of the call, in place of that of the payer."""

${sync}
${abstractMethods("def", "Job")}

class AsyncOperations(ABC):
    """The same, asynchronously."""

${methods(true)}
${abstractMethods("async def", "AsyncJob")}`;
}

/** Bodies of requests are parameters of methods, so they need no class, but their objects do. */
function typesOf(document: ApiDocument): Types {
  const requests = new Set(operationsOf(document).map(({ requestBody }) => requestName(requestBody)));
  const types = new Types(document);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!requests.has(name)) types.add(name, schema);
    else
      for (const [field, value] of Object.entries(schema.properties ?? {})) types.of(value, `${name}${pascal(field)}`);
  }
  return types;
}

function requestName(body: PlacedOperation["requestBody"]): string | undefined {
  return body?.content["application/json"]?.schema.$ref?.split("/").at(-1);
}

function abstractMethods(def: string, job: string): string {
  const body = "body: dict[str, Any], price_limit: str | None";
  return `    @abstractmethod
    ${def} _json(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: dict[str, Any] | None,
        price_limit: str | None,
        secret: Mapping[str, str] | None = None,
    ) -> T: ...

    @abstractmethod
    ${def} _file(self, path: str, ${body}) -> File: ...

    @abstractmethod
    ${def} _start(self, path: str, ${body}) -> ${job}: ...
`;
}

function text(value: unknown): string {
  return JSON.stringify(value);
}

function wrapped(value: string, indent: string, first = indent.length): string {
  const lines: string[] = [];
  let line = "";
  for (const word of value.split(/\s+/)) {
    const room = WIDTH - (lines.length === 0 ? first : indent.length);
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function describe({ description = "", default: value }: ApiSchema): string {
  const stated = value === undefined ? [] : [`default ${JSON.stringify(value)}`];
  const about = [...(description === "" ? [] : [description]), ...stated].join("; ");
  return about.replaceAll("\\", "\\\\");
}

/** The TypedDict classes of an API. An object without a name is named after its place. */
class Types {
  readonly classes: string[] = [];
  readonly #document: ApiDocument;

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  resolve(schema: ApiSchema): ApiSchema {
    return resolveSchema(this.#document, schema).schema;
  }

  add(name: string, schema: ApiSchema): void {
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => {
      const type = this.of(value, `${name}${pascal(field)}`);
      const comment = describe(value);
      const said = comment === "" ? "" : `    #: ${wrapped(comment, "    #: ")}\n`;
      return [field, required.has(field) ? type : `NotRequired[${type}]`, said] as const;
    });
    const about =
      schema.description === undefined ? "" : `    """${wrapped(`${schema.description}.`, "    ", 7)}"""\n\n`;
    if (fields.some(([field]) => KEYWORDS.has(field))) {
      const items = fields.map(([field, type, said]) => `${said}    ${text(field)}: ${text(type)},\n`);
      this.classes.push(`\n\n${name} = TypedDict(${text(name)}, {\n${items.join("")}})\n`);
      return;
    }
    const members = fields.map(([field, type, said]) => `${said}    ${field}: ${type}\n`);
    this.classes.push(`\n\nclass ${name}(TypedDict):\n${about}${members.join("")}`);
  }

  /** The type of a schema; adds the classes that it needs. */
  of(schema: ApiSchema, place: string): string {
    const { name, schema: found } = resolveSchema(this.#document, schema);
    if (name !== undefined) return name;
    if (found.enum !== undefined) return `Literal[${found.enum.map(text).join(", ")}]`;
    if (found.anyOf !== undefined) {
      return found.anyOf.map((one) => this.of(one, `${place}${kindOf(one)}`)).join(" | ");
    }
    return [found.type ?? "unknown"]
      .flat()
      .map((type) => this.#plain(found, type, place))
      .join(" | ");
  }

  #plain(schema: ApiSchema, type: string, place: string): string {
    const plain = PLAIN_TYPES[type];
    if (plain !== undefined) return plain;
    if (type === "array") {
      const item = schema.items === undefined ? "Any" : this.of(schema.items, place.replace(/s$/, ""));
      return `Sequence[${item}]`;
    }
    if (type !== "object") return "Any";
    if (schema.properties !== undefined) {
      if (!this.classes.some((known) => known.includes(`class ${place}(`))) this.add(place, schema);
      return place;
    }
    const values = schema.additionalProperties;
    return `Mapping[str, ${typeof values === "object" ? this.of(values, place) : "Any"}]`;
  }
}

/** Names that a class cannot have as a member. */
const KEYWORDS: ReadonlySet<string> = new Set([
  "and",
  "as",
  "assert",
  "async",
  "await",
  "break",
  "class",
  "continue",
  "def",
  "del",
  "elif",
  "else",
  "except",
  "finally",
  "for",
  "from",
  "global",
  "if",
  "import",
  "in",
  "is",
  "lambda",
  "nonlocal",
  "not",
  "or",
  "pass",
  "raise",
  "return",
  "try",
  "while",
  "with",
  "yield",
]);

/** The part of a name by which the objects of a choice differ: the value of their member `type`. */
function kindOf({ properties }: ApiSchema): string {
  const [only, ...more] = properties?.["type"]?.enum ?? [];
  return typeof only === "string" && more.length === 0 ? pascal(only) : "";
}

const PLAIN_TYPES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};
interface Form extends PlacedOperation {
  readonly name: string;
  readonly isJob: boolean;
}

/** An operation whose response can be a job has a second method, which starts it. */
function formsOf(operation: PlacedOperation): Form[] {
  const { responses, operationId } = operation;
  const forms: Form[] = [];
  if ((responses["200"] ?? responses["201"]) !== undefined)
    forms.push({ ...operation, name: operationId, isJob: false });
  if (responses["202"] !== undefined) {
    const name = responses["200"] === undefined ? operationId : `${operationId}_job`;
    forms.push({ ...operation, name, isJob: true });
  }
  return forms;
}

function methodOf(types: Types, form: Form, isAsync: boolean): string {
  const { name, method, path, isJob, summary } = form;
  const schema = form.requestBody?.content["application/json"]?.schema;
  const named = requestName(form.requestBody) ?? "";
  const fields = schema === undefined ? [] : fieldsOf(types, named, schema, isJob);
  const response = isJob ? undefined : successOf(form)?.content["application/json"]?.schema.$ref?.split("/").at(-1);
  const result = isJob ? (isAsync ? "AsyncJob" : "Job") : (response ?? "File");
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  const parameters = [
    ...required.map(({ name: own, type, isAlternative }) => `${own}: ${type}${isAlternative ? " | None = None" : ""}`),
    "*",
    ...optional.map(
      (field) =>
        `${field.name}: ${field.type}${field.only === undefined ? " | None = None" : ` = ${text(field.only)}`}`,
    ),
    "price_limit: str | None = None",
  ];
  const members = fields.map((field) => `${text(field.name)}: ${field.name}`);
  if (isJob && schema !== undefined && "async" in (types.resolve(schema).properties ?? {}))
    members.push('"async": True');
  const body = schema === undefined ? "None" : "body";
  const call = isJob
    ? `self._start(${text(path)}, ${body}, price_limit)`
    : response === undefined
      ? `self._file(${text(path)}, ${body}, price_limit)`
      : `self._json(${response}, ${text(method.toUpperCase())}, ${text(path)}, ${body}, price_limit)`;
  const about = fields.map((field) => parameter(field)).join("");
  const lines = members.map((member) => `            ${member},\n`).join("");
  const begin = schema === undefined ? "" : `        body: dict[str, Any] = {\n${lines}        }\n`;
  const title = isJob && name !== form.operationId ? `${summary}, as a job` : summary;
  const doc = about === "" ? `        """${title}."""` : `        """\n        ${title}.\n\n${about}        """`;
  return `    ${isAsync ? "async " : ""}def ${name}(
        self,
${parameters.map((one) => `        ${one},\n`).join("")}    ) -> ${result}:
${doc}
${begin}        return ${isAsync ? "await " : ""}${call}
`;
}

function aboutMethodOf(request: AboutRequest, isAsync: boolean): string {
  const { operationId, method, path, summary, secret, field, response } = request;
  const isOne = path.includes("{id}");
  const place = isOne ? `f${text(path.replace("{id}", "{quote(id, safe='')}"))}` : text(path);
  const fields = `{${text(field)}: ${secret}}`;
  return `    ${isAsync ? "async " : ""}def ${operationId}(self, ${isOne ? "id: str, " : ""}${secret}: str) -> ${response}:
        """${summary}. It is free."""
        path = ${place}
        return ${isAsync ? "await " : ""}self._json(${response}, ${text(method.toUpperCase())}, path, None, None, ${fields})
`;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly about: string;
  readonly isRequired: boolean;
  /** Other parameters can take its place. */
  readonly isAlternative: boolean;
  /** Its only value, which needs not be given. */
  readonly only: unknown;
}

/** Parameters that only jobs have, for operations that can do without one. */
const ONLY_JOBS = new Set(["max_price", "webhook"]);

function fieldsOf(types: Types, named: string, schema: ApiSchema, isJob: boolean): Field[] {
  const { properties = {}, required = [], anyOf: [first] = [] } = types.resolve(schema);
  const usual = required.length > 0 ? [] : (first?.required ?? []);
  return Object.entries(properties)
    .filter(([name]) => name !== "async" && (isJob || !ONLY_JOBS.has(name)))
    .map(([name, value]) => ({
      name,
      type: types.of(value, `${named}${pascal(name)}`),
      about: describe(value),
      isRequired: (required.includes(name) || usual.includes(name)) && value.enum?.length !== 1,
      isAlternative: usual.includes(name),
      only: value.enum?.length === 1 ? value.enum[0] : undefined,
    }));
}

function parameter({ name, about }: Field): string {
  if (about === "") return "";
  const begin = `        :param ${name}: `;
  return `${begin}${wrapped(`${about}.`, "            ", begin.length)}\n`;
}
