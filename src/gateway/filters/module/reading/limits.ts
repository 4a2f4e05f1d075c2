/** Bytes of the largest module file. Filters of the Go SDK have up to 3 MB. */
export const MAX_MODULE_BYTES = 16 * 1024 * 1024;
/** Bytes of a module with its metering. A file that contains only empty loops would grow fivefold. */
export const MAX_METERED_BYTES = 4 * MAX_MODULE_BYTES;
/** Bytes of one function body with its metering. The runtime accepts no more. */
export const MAX_FUNCTION_BYTES = 7_654_321;
/** Nested blocks of one function. */
export const MAX_NESTING = 65_536;
/** Entries of all tables of one instance together. Tables are outside the linear memory. */
export const MAX_TABLE_ENTRIES = 65_536;
/** Globals of one module. Each instance has its own, outside its linear memory. */
export const MAX_GLOBALS = 65_536;
/** Values of one exception. A table can hold exceptions, which are outside the linear memory. */
export const MAX_EXCEPTION_VALUES = 16;
/** Fuel for everything that a module does while it is instantiated. @bound */
export const START_FUEL = 10_000_000;
/** The maximum fuel, because the fuel of an instance is a 32-bit counter. */
export const MAX_FUEL = 2_147_483_647;
/** Bytes of a page of linear memory. */
export const PAGE_BYTES = 65_536;
/** Local variables of one function. The runtime accepts no more. */
export const MAX_LOCALS = 50_000;
