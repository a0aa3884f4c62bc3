// What the demo's records say. Pure: the n-th record of a topic is always the same, but for the time in it.

/** Spreads consecutive numbers over the whole range of 32 bits (the finalizer of MurmurHash3). */
function mix(n) {
  let h = (n + 0x9e3779b9) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const pick = (list, n) => list[mix(n) % list.length];
/** Picks one of `count` keys, low ones far more often than high ones. */
const skewed = (n, count) => Math.floor((mix(n) / 2 ** 32) ** 3 * count);
const padded = (n, digits) => String(n).padStart(digits, "0");
const json = (fields) => JSON.stringify(fields);

const STREETS = ["Linden Row", "Harbour Street", "Mill Lane", "Station Road", "Orchard Way", "Castle Hill"];
const CITIES = ["Aldwick", "Brennhaven", "Corlea", "Dunmere", "Eastholm", "Fairbrook"];
const WAREHOUSES = ["north", "south", "harbour"];

export function address(n) {
  // The first pass writes each key once, then some change often.
  const customer = n < 5000 ? n : skewed(n, 5000);
  const line = `${(mix(n) % 180) + 1} ${pick(STREETS, n)}`;
  return { key: `customer-${padded(customer, 6)}`, value: json({ line, city: pick(CITIES, n + 1), version: n }) };
}

export function order(n) {
  const id = `ord-${padded(n, 9)}-${mix(n).toString(36)}`;
  return { key: id, value: json({ state: pick(["placed", "paid", "shipped"], n), total: (mix(n) % 90_000) / 100 }) };
}

export function stockLevel(n) {
  const key = `sku-${padded(mix(n) % 400, 5)}:${pick(WAREHOUSES, mix(n) % 400)}`;
  return { key, value: json({ onHand: mix(n + 7) % 500, reserved: mix(n + 9) % 40 }) };
}

export function session(n) {
  const id = mix(Math.floor(n / 3))
    .toString(16)
    .padStart(8, "0");
  return { key: `session-${id}`, value: json({ pages: (n % 3) + 1, device: pick(["phone", "desktop", "tablet"], n) }) };
}

export function invoice(n) {
  return {
    key: `inv-${padded(mix(n) % 4000, 6)}`,
    value: json({ amount: (mix(n) % 500_000) / 100, due: 14 + (n % 3) * 7 }),
  };
}

export function consent(n) {
  // Given and withdrawn in waves: of every five records of a key three are deletes.
  const key = `subject-${padded(mix(n) % 12_000, 6)}`;
  return { key, value: mix(n + 3) % 5 < 3 ? null : json({ newsletter: n % 2 === 0, tracking: n % 7 === 0 }) };
}

export function balance(n) {
  return { key: `account-${padded(skewed(n, 3000), 7)}`, value: json({ cents: mix(n) % 10_000_000, sequence: n }) };
}

export function product(n) {
  const id = skewed(n, 2500);
  const text = `${pick(["Oak", "Steel", "Linen", "Glass"], id)} ${pick(["table", "lamp", "chair", "shelf"], id + 1)}`;
  const description = `${text}, made in ${pick(CITIES, id)}. `.repeat(6);
  return { key: `product-${padded(id, 5)}`, value: json({ name: text, description, revision: n }) };
}

export function offer(n) {
  const rules = Array.from({ length: 6 }, (_, i) => ({ from: i * 10, percent: mix(n + i) % 30 }));
  return { key: `offer-${padded(skewed(n, 2000), 5)}`, value: json({ currency: "EUR", rules, revision: n }) };
}

export function loyalty(n) {
  return { key: `member-${padded(mix(n) % 3000, 6)}`, value: json({ points: mix(n + 5) % 20_000 }) };
}
