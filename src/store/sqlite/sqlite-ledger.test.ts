import { testSqliteStore } from "../testing/sqlite-store.ts";

testSqliteStore(["ledger", "deferrals", "forgetting"]);
