"use client";
import type { ReactNode } from "react";
import { CartesianGrid, Line, LineChart, ReferenceLine, ResponsiveContainer, XAxis, YAxis } from "recharts";
import { lastOf, type SeriesField, type SeriesPoint, spreadLabels } from "#components/topics/history-series.ts";
import { formatDay, formatInstant } from "#lib/platform/format-figure.ts";

export interface ChartLine {
  field: SeriesField;
  label: string;
  color: string;
  /** Lines differ without colour too. */
  dash?: string;
  width?: number;
}

interface TimeChartProps {
  points: SeriesPoint[];
  lines: readonly ChartLine[];
  /** The chart in one sentence. */
  summary: string;
  domain: [number, number];
  ticks: number[];
  logarithmic?: boolean;
  formatTick: (value: number) => string;
  limit?: { value: number; text: string } | null;
}

const HEIGHT = 164;
const MARGIN = { top: 8, right: 74, bottom: 0, left: 0 };
const AXIS_PX = 22;
const LABEL_GAP_PX = 14;
const DAY_MS = 86_400_000;

/** Lines over time with their names at their ends. No motion; what it shows is said in one sentence as well. */
export function TimeChart(props: TimeChartProps) {
  const { points, lines, summary, domain, ticks, logarithmic = false, formatTick, limit = null } = props;
  const first = points[0]?.at ?? 0;
  const last = points.at(-1)?.at ?? 0;
  const formatTime = last - first > 3 * DAY_MS ? formatDay : formatInstant;
  const ink = { fontSize: 11, fill: "var(--fg-3)" };
  return (
    <figure role="img" aria-label={summary} className="relative keep-colors" style={{ height: HEIGHT }}>
      <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width: 440, height: HEIGHT }}>
        <LineChart data={points} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="at"
            type="number"
            domain={[first, last]}
            ticks={first === last ? [first] : [first, last]}
            tickFormatter={formatTime}
            tick={<EdgeTick format={formatTime} first={first} />}
            height={AXIS_PX}
            axisLine={false}
            tickLine={false}
            interval={0}
          />
          <YAxis
            scale={logarithmic ? "log" : "linear"}
            domain={domain}
            ticks={ticks}
            allowDataOverflow
            tickFormatter={formatTick}
            tick={ink}
            width={48}
            axisLine={false}
            tickLine={false}
          />
          {limit === null ? null : (
            <ReferenceLine
              y={limit.value}
              stroke="var(--fg-2)"
              strokeDasharray="5 4"
              label={{ value: limit.text, position: "insideBottomLeft", fontSize: 11, fill: "var(--fg-3)", offset: 4 }}
            />
          )}
          {lines.map((line) => (
            <Line
              key={line.field}
              dataKey={line.field}
              stroke={line.color}
              strokeDasharray={line.dash}
              strokeWidth={line.width ?? 2}
              dot={
                points.filter((point) => point[line.field] !== null).length < 2
                  ? { r: 2.5, fill: line.color, strokeDasharray: "none" }
                  : false
              }
              connectNulls
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
      <EndLabels points={points} lines={lines} domain={domain} logarithmic={logarithmic} />
    </figure>
  );
}

interface EdgeTickProps {
  x?: number;
  y?: number;
  payload?: { value: number };
  format: (at: number) => string;
  first: number;
}

/** The first label begins at the axis and the last ends there: neither leaves the chart. */
function EdgeTick({ x = 0, y = 0, payload, format, first }: EdgeTickProps) {
  const at = payload?.value ?? 0;
  return (
    <text x={x} y={y + 8} fontSize={11} fill="var(--fg-3)" textAnchor={at === first ? "start" : "end"}>
      {format(at)}
    </text>
  );
}

function EndLabels({
  points,
  lines,
  domain,
  logarithmic,
}: Pick<TimeChartProps, "points" | "lines" | "domain" | "logarithmic">): ReactNode {
  const [low, high] = domain.map((value) => (logarithmic ? Math.log10(value) : value)) as [number, number];
  const room = HEIGHT - MARGIN.top - AXIS_PX;
  const shown = lines.flatMap((line) => {
    const last = lastOf(points, line.field);
    if (last === null) return [];
    const value = logarithmic ? Math.log10(Math.max(domain[0], last.value)) : last.value;
    return [{ line, place: 1 - (value - low) / (high - low) }];
  });
  const places = spreadLabels(
    shown.map(({ place }) => place),
    LABEL_GAP_PX / room,
  );
  return shown.map(({ line }, index) => (
    <span
      key={line.field}
      className="absolute -translate-y-1/2 text-[0.71875rem] leading-[14px] whitespace-nowrap"
      style={{
        color: line.color,
        top: MARGIN.top + (places[index] ?? 0) * room,
        left: `calc(100% - ${MARGIN.right - 6}px)`,
      }}
    >
      {line.label}
    </span>
  ));
}
