import type { ReactNode } from "react";
import type { StripModel, StripPart } from "#components/topics/log-strip-model.ts";
import { describeOffset, describeStrip } from "#components/topics/log-strip-words.ts";

interface LogStripProps {
  model: StripModel;
  title: string;
  /** Unique on the page: title and description hang on it. */
  id: string;
  size?: "row" | "full";
  /** Share of the room that this bar takes where bars share one scale, 0 to 1. */
  width?: number;
  /** Last read too long ago: drawn at half strength. */
  stale?: boolean;
}

interface Geometry {
  barY: number;
  barH: number;
  height: number;
  width: number;
  full: boolean;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

/** x is in percent, so that the drawing is fluid and comes from the server; y is in pixels. */
export function LogStrip({ model, title, id, size = "row", width = 1, stale = false }: LogStripProps) {
  const full = size === "full";
  const box: Geometry = { barY: full ? 26 : 7, barH: full ? 26 : 13, height: full ? 86 : 24, width, full };
  return (
    <svg
      className={stale ? "strip stale" : "strip"}
      height={box.height}
      role="img"
      aria-labelledby={`${id}t`}
      aria-describedby={`${id}d`}
    >
      <title id={`${id}t`}>{title}</title>
      <desc id={`${id}d`}>{describeStrip(model)}</desc>
      {model.empty ? <Outline box={box} dashed /> : <Bar model={model} box={box} />}
      {full ? <Labels model={model} box={box} /> : null}
    </svg>
  );
}

function Bar({ model, box }: { model: StripModel; box: Geometry }) {
  return (
    <>
      {model.parts.map((part) => (
        <Part key={part.kind} part={part} kept={model.kept} box={box} />
      ))}
      <Outline box={box} dashed={model.parts.every((part) => part.kind === "unknown")} />
      {model.fold === null ? null : <Fold at={model.fold} box={box} />}
      {model.fades.map((fade) => (
        <rect
          key={fade.from}
          x={percent(fade.from * box.width)}
          y={box.barY}
          width={percent((fade.to - fade.from) * box.width)}
          height={box.barH}
          fill="var(--surface)"
          fillOpacity=".72"
        />
      ))}
      <Marks model={model} box={box} />
    </>
  );
}

function Part({ part, kept, box }: { part: StripPart; kept: (number | null)[]; box: Geometry }) {
  const place = {
    x: percent(part.from * box.width),
    y: box.barY,
    width: percent((part.to - part.from) * box.width),
    height: box.barH,
  };
  if (part.kind === "unknown") return null;
  if (part.kind === "clean") {
    return (
      <>
        <rect {...place} fill="var(--clean-track)" />
        <svg
          {...place}
          viewBox={`0 0 ${Math.max(1, kept.length)} ${box.barH}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={columnPath(kept, box.barH)} fill="var(--clean)" />
        </svg>
      </>
    );
  }
  if (part.kind === "dirty" || part.kind === "held") return <rect {...place} fill={`url(#kf-${part.kind})`} />;
  return <rect {...place} fill="url(#kf-active)" stroke="var(--active)" strokeOpacity=".55" />;
}

/** All columns as one path: about 1 KB for 56 columns instead of 5 KB of rectangles. Height is the square root, so that 1 % shows. */
function columnPath(kept: (number | null)[], barH: number): string {
  return kept
    .map((share, index) => {
      if (share === null) return "";
      const height = Math.max(1, Math.sqrt(Math.min(1, share)) * barH).toFixed(1);
      return `M${index} ${barH}v-${height}h.78v${height}z`;
    })
    .join("");
}

function Outline({ box, dashed }: { box: Geometry; dashed: boolean }) {
  return (
    <rect
      x="0"
      y={box.barY - 0.5}
      width={percent(box.width)}
      height={box.barH + 1}
      fill="none"
      stroke="var(--line-2)"
      strokeDasharray={dashed ? "3 3" : undefined}
      rx="1.5"
    />
  );
}

/** A drawing in pixels at a place in percent. */
function At({ x, box, children }: { x: number; box: Geometry; children: ReactNode }) {
  return (
    <svg x={percent(x * box.width)} y="0" width="1" height="1" overflow="visible" aria-hidden="true">
      {children}
    </svg>
  );
}

function Fold({ at, box }: { at: number; box: Geometry }) {
  const step = (box.barH + 6) / 3;
  const zig = `${box.barY - 3}l4 ${step}l-4 ${step}l4 ${step}`;
  return (
    <At x={at} box={box}>
      <path d={`M-4 ${zig}`} fill="none" stroke="var(--surface)" strokeWidth="5" />
      <path d={`M-6 ${zig}M-1 ${zig}`} fill="none" stroke="var(--fg-3)" />
    </At>
  );
}

function Marks({ model, box }: { model: StripModel; box: Geometry }) {
  const { barY, barH, full } = box;
  const flagY = barY - (full ? 20 : 7);
  return (
    <>
      {model.cleanPoint === null ? null : (
        <At x={model.cleanPoint} box={box}>
          <path d={`M0 ${barY - 1}v${barH + 2}`} stroke="var(--fg)" strokeWidth="1.5" />
          <path d={`M-3.5 ${barY + barH + 4.5}l3.5-4 3.5 4z`} fill="var(--fg)" />
        </At>
      )}
      {model.due === null ? null : (
        <At x={model.due} box={box}>
          <path d={`M0 ${barY + barH + 1}v4`} stroke="var(--fg-2)" strokeWidth="2" />
        </At>
      )}
      {model.lastStable === null ? null : (
        <At x={model.lastStable} box={box}>
          <path d={`M0 ${flagY}v${barH + (full ? 24 : 10)}`} stroke="var(--txn)" strokeWidth="2" />
          <path d={`M0 ${flagY}h7l-2.2 2.8 2.2 2.8h-7z`} fill="var(--txn)" />
        </At>
      )}
    </>
  );
}

/** Offsets under the bar. Each has its own line and leans away from the edge that it would leave. */
function Labels({ model, box }: { model: StripModel; box: Geometry }) {
  const line = (index: number): number => box.barY + box.barH + 17 + index * 15;
  const lean = (at: number): "start" | "end" => (at > 0.5 ? "end" : "start");
  const find = (id: string) => model.positions.find((position) => position.id === id);
  const clean = find("clean-point");
  const held = find("last-stable");
  const active = find("active-segment");
  const start = find("log-start");
  const end = find("log-end");
  return (
    <g>
      {start === undefined ? null : (
        <text x="0" y={line(0)}>
          {describeOffset(start)}
        </text>
      )}
      {end === undefined ? null : (
        <text x={percent(box.width)} y={line(0)} textAnchor="end">
          {describeOffset(end)}
        </text>
      )}
      {clean === undefined || model.cleanPoint === null || clean.at < 0.02 ? null : (
        <text x={percent(clean.at * box.width)} y={line(1)} textAnchor={lean(clean.at)}>
          clean to {describeOffset(clean)}
        </text>
      )}
      {active === undefined || active.at < 0.02 ? null : (
        <text x={percent(active.at * box.width)} y={line(2)} textAnchor={lean(active.at)}>
          active segment from {describeOffset(active)}
        </text>
      )}
      {held === undefined ? null : (
        <text
          x={percent(held.at * box.width)}
          dx={lean(held.at) === "start" ? 11 : -5}
          y={box.barY - 9}
          textAnchor={lean(held.at)}
          style={{ fill: "var(--txn)", fontWeight: 600 }}
        >
          open transaction from {describeOffset(held)}
        </text>
      )}
    </g>
  );
}
