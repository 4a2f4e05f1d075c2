import { fieldLine } from "../../../lib/http/fields.ts";
import { type HeaderRulesConfig } from "../../config/config.ts";
import { FieldChanges } from "../field-changes.ts";
import { changeFinalHead } from "../head-edit.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";

type Rules = HeaderRulesConfig["request"];

/** Provides the `request` rules of `routes[].headers`. */
export function provideRequestHeaders(): PolicyFeature {
  return { policy: (route) => route?.headers && createRequestHeadersPolicy(route.headers) };
}

/** Provides the `response` rules of `routes[].headers`. */
export function provideResponseHeaders(): PolicyFeature {
  return { policy: (route) => route?.headers && createResponseHeadersPolicy(route.headers) };
}

/** Edits request fields for the upstream, as the last policy of a chain. Undefined without rules. */
export function createRequestHeadersPolicy({ request: rules }: HeaderRulesConfig): Policy | undefined {
  if (isEmpty(rules)) return undefined;
  const changes = changesOf(rules);
  return {
    name: "headers.request",
    request({ head }) {
      head.fields = changes.apply(head.fields);
      return "continue";
    },
  };
}

/** Edits the fields of all responses, as the first policy of a chain. Undefined without rules. */
export function createResponseHeadersPolicy({ response: rules }: HeaderRulesConfig): Policy | undefined {
  if (isEmpty(rules)) return undefined;
  const changes = changesOf(rules);
  // Clients recognise the response of a gRPC call by its Content-Type, so rules cannot change it.
  const ofCalls = changesOf(without(rules, "content-type"));
  return {
    name: "headers.response",
    runsOnLocalReply: true,
    request(exchange) {
      changeFinalHead(exchange, exchange.head.isGrpc ? ofCalls : changes);
      return "continue";
    },
  };
}

function isEmpty({ set, add, remove }: Rules): boolean {
  return set.length === 0 && add.length === 0 && remove.length === 0;
}

function without({ set, add, remove }: Rules, lowerName: string): Rules {
  const isOther = (name: string): boolean => name.toLowerCase() !== lowerName;
  return {
    set: set.filter(({ name }) => isOther(name)),
    add: add.filter(({ name }) => isOther(name)),
    remove: remove.filter(isOther),
  };
}

function changesOf({ set, add, remove }: Rules): FieldChanges {
  return new FieldChanges({
    removed: [...remove, ...set.map(({ name }) => name)],
    added: [...set, ...add].map(({ name, value }) => fieldLine(name, value)).join(""),
  });
}
