import { testSqliteStore } from "../testing/sqlite-store.ts";

testSqliteStore(["refunds"]);
