import { modelLogStrip } from "#components/topics/log-strip-model.ts";
import { describeOffset, namePosition } from "#components/topics/log-strip-words.ts";
import { newestMeasurement } from "#components/topics/topic-readings.ts";
import type { PartitionView } from "#lib/topics/topic-view.ts";

/** Every position of every strip, as a table. */
export function LogTable({ partitions }: { partitions: readonly PartitionView[] }) {
  return (
    <table aria-label="Positions in the logs" className="grid-table mt-[6px]">
      <thead>
        <tr>
          <th scope="col" className="w-[90px]">
            Partition
          </th>
          <th scope="col">Position</th>
          <th scope="col" className="num">
            Offset
          </th>
        </tr>
      </thead>
      <tbody>
        {partitions
          .flatMap((partition) => positionsOf(partition))
          .map(({ key, partition, name, offset }) => (
            <tr key={key}>
              <td className="font-mono">{partition}</td>
              <th scope="row" className="!text-body !text-fg">
                {name}
              </th>
              <td className="num">{offset}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function positionsOf(view: PartitionView) {
  const measurement = newestMeasurement(view);
  if (measurement === null) return [];
  const { positions } = modelLogStrip(measurement, { scale: "offsets", columns: 1, dirtyRatioLimit: null });
  return positions.map((position) => ({
    key: `${view.partition}-${position.id}`,
    partition: view.partition,
    name: namePosition(position),
    offset: describeOffset(position),
  }));
}
