// The page that stands on the port until the application answers there. Plain HTML without scripts or outside assets.
import { formatSeconds } from "./progress.mjs";

const STATE_TEXT = { running: "in progress", done: "done", failed: "failed", skipped: "left out" };

const STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --muted: #5b6675; --line: #d9dee5; --back: #f7f8fa; --card: #fff;
  --done: #1a7f4b; --failed: #b3261e; --running: #1f5fbf; --skipped: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaf0; --muted: #9aa5b4; --line: #2c3540; --back: #12161b;
  --card: #1a2027; --done: #58c48a; --failed: #ff8a80; --running: #7fb0ff; --skipped: #e0b050; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 12vh auto 2rem; padding: 0 1.25rem; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
p { color: var(--muted); margin: 0 0 1.5rem; }
ol { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
li { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .7rem 1rem; border-top: 1px solid var(--line); }
li:first-child { border-top: 0; }
.time { color: var(--muted); font-variant-numeric: tabular-nums; }
.state { font-size: .875rem; }
.detail { grid-column: 1 / -1; color: var(--muted); font-size: .875rem; overflow-wrap: anywhere; }
.done { color: var(--done); } .failed { color: var(--failed); } .running { color: var(--running); } .skipped { color: var(--skipped); }
`;

/** Renders a progress snapshot as a whole HTML document that asks for itself again every second. */
export function renderProgressPage(snapshot) {
  const failed = snapshot.steps.some((step) => step.state === "failed");
  const items = snapshot.steps.map((step) => renderStep(step, snapshot.now)).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="1">
<title>Keyfold is starting</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Keyfold is starting</h1>
<p>${failed ? "Something went wrong; the terminal tells more." : "This page turns into the application when it is ready."}
Started ${formatSeconds(snapshot.now - snapshot.startedAt)} ago.</p>
<ol>
${items}
</ol>
</main>
</body>
</html>
`;
}

function renderStep(step, now) {
  const time = formatSeconds((step.endedAt ?? now) - step.startedAt);
  const detail = step.detail ? `<span class="detail">${escapeHtml(step.detail)}</span>` : "";
  return `<li><span>${escapeHtml(step.title)} <span class="state ${step.state}">${STATE_TEXT[step.state]}</span></span><span class="time">${time}</span>${detail}</li>`;
}

function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
