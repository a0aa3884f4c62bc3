/** Names come from other people's systems and may hold anything: markup, control characters, text that runs backwards. */

/**
 * Characters that would be invisible or would reorder what stands beside them: controls (Cc), format characters such as
 * bidirectional and zero-width ones (Cf), line and paragraph separators, lone surrogates, blank letters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/gu;

const SHORT_ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The name with everything unseen written out (`\n`, `\u202e`), so that what is read is what is there. */
export function escapeUnseen(name: string): string {
  return name.replace(UNSEEN, (character) => {
    const short = SHORT_ESCAPES[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/**
 * A visible name in two parts, of which the first may be cut off at its end: the end of a name tells siblings apart
 * (`….v2`). Never splits a character.
 */
export function splitForMiddle(visible: string, tailLength = 10): { head: string; tail: string } {
  const characters = Array.from(visible);
  if (characters.length <= tailLength * 2) return { head: visible, tail: "" };
  const cut = characters.length - tailLength;
  return { head: characters.slice(0, cut).join(""), tail: characters.slice(cut).join("") };
}

/** A name as one argument of a POSIX shell; null where no safe and readable form exists. */
export function quoteForShell(name: string): string | null {
  if (/^[A-Za-z0-9._-]+$/.test(name) && !name.startsWith("-")) return name;
  if (escapeUnseen(name) !== name) return null;
  return `'${name.replaceAll("'", "'\\''")}'`;
}
