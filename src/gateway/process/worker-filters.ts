import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { SpareAccount } from "../../lib/spare-account.ts";
import { type Config } from "../config/config.ts";
import { type ControlLink } from "../filters/filter.ts";
import { type FilterDeps, type LoadedFilters } from "../filters/loaded-filters.ts";
import { ModuleCache } from "../filters/module/module-cache.ts";
import { ParkTable } from "../filters/park-table.ts";
import { type WorkerSlot } from "../telemetry/telemetry.ts";
import { type Resources } from "./resources.ts";
