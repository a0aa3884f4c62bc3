/** Patterns of the log strip, once a page. */
export function LogStripPatterns() {
  return (
    <svg width="0" height="0" className="absolute" aria-hidden="true">
      <defs>
        <pattern id="kf-dirty" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--dirty-bg)" />
          <rect width="2" height="5" fill="var(--dirty)" />
        </pattern>
        <pattern id="kf-active" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" fill="var(--active-bg)" />
          <circle cx="1.5" cy="1.5" r=".8" fill="var(--active)" />
        </pattern>
        <pattern id="kf-held" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
          <rect width="5" height="5" fill="var(--txn-bg)" />
          <rect width="1.6" height="5" fill="var(--txn)" />
        </pattern>
      </defs>
    </svg>
  );
}
