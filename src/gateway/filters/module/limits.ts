/** The largest module file. The Go SDK's filters have up to 3 MB. */
export const MAX_MODULE_BYTES = 16 * 1024 * 1024;
/** A module with its metering: a file of nothing but empty loops would grow fivefold. */
export const MAX_METERED_BYTES = 4 * MAX_MODULE_BYTES;
/** The body of one function with its metering; the runtime takes no more. */
export const MAX_FUNCTION_BYTES = 7_654_321;
/** Blocks inside blocks of one function. */
export const MAX_NESTING = 65_536;
/** Entries of all tables of one instance together; they lie outside of its linear memory. */
export const MAX_TABLE_ENTRIES = 65_536;
/** Globals of one module; each instance has its own, outside of its linear memory. */
export const MAX_GLOBALS = 65_536;
/** Values of one exception. A table can hold exceptions, which lie outside of the linear memory. */
export const MAX_EXCEPTION_VALUES = 16;
/** Fuel for everything that a module does while it is instantiated. @bound */
export const START_FUEL = 10_000_000;
/** The fuel of an instance is a 32-bit counter. */
export const MAX_FUEL = 2_147_483_647;
/** A page of linear memory. */
export const PAGE_BYTES = 65_536;
/** Local variables of one function; the runtime takes no more. */
export const MAX_LOCALS = 50_000;
