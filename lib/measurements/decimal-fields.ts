/**
 * In stored JSON and in REST, offsets, bytes and counts are decimal strings: a number above 2^53 would be rounded by the
 * reader without a word. One table says which fields those are; both directions follow it.
 */
const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  "logStartOffset",
  "logEndOffset",
  "offsetSpan",
  "offsets",
  "lastStableOffset",
  "firstUncleanableOffset",
  "cleanPoint",
  "activeSegmentBase",
  "bytes",
  "cleanBytes",
  "cleanableBytes",
  "activeBytes",
  "fetchedBytes",
  "bytesRead",
  "fetches",
  "retainedRecords",
  "recordsScanned",
  "distinctKeys",
  "liveKeys",
  "tombstones",
  "nullKeyRecords",
  "supersededRecords",
  "heldRecords",
  "keysInSeveralPartitions",
  "keys",
  "kept",
  "written",
]);

/** Fields that stay numbers within one of those. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(["measuredAt", "share"]);

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A view or a measurement as JSON. An interval's bounds are rounded outwards. Throws on a number that is not finite. */
export const encodeDecimals = (value: unknown): Json => encode(value, "", false);

/** The inverse of `encodeDecimals`, apart from rounding. */
export const decodeDecimals = (json: unknown): unknown => decode(json, "", false);

function encode(value: unknown, name: string, decimal: boolean): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return encodeNumber(value, name, decimal);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((item) => encode(item, name, decimal));
  return mapFields(value as object, decimal, encode) as Json;
}

function encodeNumber(value: number, name: string, decimal: boolean): Json {
  if (!Number.isFinite(value)) throw new Error(`The field ${name} is ${value}, which is no figure.`);
  if (!decimal) return value;
  const whole = name === "low" ? Math.floor(value) : name === "high" ? Math.ceil(value) : Math.round(value);
  return BigInt(whole).toString();
}

function decode(json: unknown, name: string, decimal: boolean): unknown {
  if (typeof json === "string") return decimal && /^-?\d{1,19}$/.test(json) ? Number(json) : json;
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) return json.map((item) => decode(item, name, decimal));
  return mapFields(json, decimal, decode);
}

function mapFields(value: object, decimal: boolean, map: (value: unknown, name: string, decimal: boolean) => unknown) {
  // A plain loop: a fleet of ten thousand topics has millions of fields.
  const mapped: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    if (name === "__proto__") continue;
    const isDecimal = (decimal || DECIMAL_FIELDS.has(name)) && !PLAIN_FIELDS.has(name);
    mapped[name] = typeof item === "boolean" || item === null ? item : map(item, name, isDecimal);
  }
  return mapped;
}
