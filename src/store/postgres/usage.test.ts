import { setDefaultTimeout } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { testPostgresStore } from "../testing/postgres-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

testPostgresStore(["usage"]);
