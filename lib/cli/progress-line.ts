/** A progress bar on a terminal's error stream; nothing where that is no terminal. */
import type { ScanProgress } from "#lib/compaction/scan/scan-progress.ts";
import { formatCount } from "#lib/platform/format-count.ts";
import { formatBytes, formatDuration } from "#lib/platform/format-figure.ts";

const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\u001b[2K";

export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #isShown: boolean;
  #isDrawn = false;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
    this.#isShown = Boolean(stream.isTTY);
  }

  drawScan(progress: ScanProgress): void {
    const { partitionsDone, partitionCount, recordsScanned, bytesRead, remainingMs } = progress;
    const left = remainingMs === null ? "" : `, about ${formatDuration(remainingMs)} left`;
    const what = `${formatCount(recordsScanned)} records, ${formatBytes(bytesRead)}`;
    this.#draw(
      progress.progress,
      `${what}, partition ${Math.min(partitionsDone + 1, partitionCount)} of ${partitionCount}${left}`,
    );
  }

  drawProbe(partitionsDone: number, partitionCount: number): void {
    this.#draw(partitionsDone / Math.max(1, partitionCount), `partition ${partitionsDone} of ${partitionCount}`);
  }

  clear(): void {
    if (this.#isDrawn) this.#stream.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  #draw(share: number, text: string): void {
    if (!this.#isShown) return;
    const filled = Math.round(share * BAR_WIDTH);
    const bar = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}`;
    const line = `${bar} ${Math.floor(share * 100)} %  ${text}`;
    this.#stream.write(`${CLEAR_LINE}${line.slice(0, (this.#stream.columns ?? 80) - 1)}`);
    this.#isDrawn = true;
  }
}
