// The edges of what a few boxes are together.

export type Box = readonly [number, number, number, number, number, number];

/**
 * boxEdges lists the ends of the lines where the surface of some boxes bends, each box
 * grown a little: an edge between two boxes that is flat is none.
 */
export function boxEdges(boxes: readonly Box[], grow: number): number[] {
  const grown = boxes.map((b) => b.map((v, i) => v + (i < 3 ? -grow : grow)));
  // The boxes' planes divide space into cells that are wholly inside or outside.
  const planes = [0, 1, 2].map((axis) => [...new Set(grown.flatMap((b) => [b[axis]!, b[axis + 3]!]))].sort((a, b) => a - b));
  const middle = (axis: number, i: number): number => (planes[axis]![i]! + planes[axis]![i + 1]!) / 2;
  const solid = (cell: number[]): boolean => {
    const p = cell.map((i, axis) => middle(axis, i)); // NaN beyond the last plane: in no box
    return grown.some((b) => p.every((v, axis) => v > b[axis]! && v < b[axis + 3]!));
  };
  const out: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    for (let i = 0; i < planes[axis]!.length - 1; i++) {
      for (let j = 0; j < planes[u]!.length; j++) {
        for (let k = 0; k < planes[v]!.length; k++) {
          const around = [[0, 0], [1, 0], [0, 1], [1, 1]].map(([a, b]) => {
            const cell = [0, 0, 0];
            cell[axis] = i;
            cell[u] = j - a!;
            cell[v] = k - b!;
            return solid(cell);
          });
          const n = around.filter(Boolean).length;
          if (n % 2 === 0 && !(n === 2 && around[0] === around[3])) continue; // nothing, inside, or flat
          for (const end of [i, i + 1]) {
            const p = [0, 0, 0];
            p[axis] = planes[axis]![end]!;
            p[u] = planes[u]![j]!;
            p[v] = planes[v]![k]!;
            out.push(...p);
          }
        }
      }
    }
  }
  return out;
}
