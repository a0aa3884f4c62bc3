/** `4188204` as `4 188 204`, in groups of three with the narrow no-break space, rounded to a whole number. */
export function formatCount(value: number): string {
  const digits = Math.abs(Math.round(value)).toString();
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return value < 0 ? `−${grouped}` : grouped;
}
