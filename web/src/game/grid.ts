import { recipes } from '../gen/blocks';
import { isTool } from './inventory';

/** cells in a row of the crafting grid, and rows */
export const GRID_SIDE = 3;

/** A result that lies ready: a recipe by its number, and how often it can be made. */
export interface Result {
  recipe: number;
  times: number;
}

/**
 * The crafting grid. What lies in it stays among the player's things: a cell names a kind of which each
 * making takes one. So nothing can be lost in it, and the node sees only what is made. Recipes have no
 * shape: where things lie does not matter. Several recipes may take the same.
 */
export class Grid {
  /** kinds by cell, 0: empty */
  readonly cells: number[] = Array.from({ length: GRID_SIDE * GRID_SIDE }, () => 0);

  /** @param carried how much of a kind the player has */
  constructor(private readonly carried: (block: number) => number) {}

  /** How many cells have a kind. */
  laid(block: number): number {
    return this.cells.filter((b) => b === block).length;
  }

  /** Lays one of a kind into a cell, if there is one that does not lie in another. Nothing is made of tools. */
  lay(cell: number, block: number): boolean {
    if (this.cells[cell] === block || isTool(block) || this.laid(block) >= this.carried(block)) return false;
    this.cells[cell] = block;
    return true;
  }

  /** Takes out what lies in a cell. */
  clear(cell: number): void {
    this.cells[cell] = 0;
  }

  clearAll(): void {
    this.cells.fill(0);
  }

  /** Takes out what the player does not have any more. */
  trim(): void {
    for (let i = this.cells.length - 1; i >= 0; i--) {
      const b = this.cells[i]!;
      if (b && this.laid(b) > this.carried(b)) this.cells[i] = 0;
    }
  }

  /** What can be made of exactly what lies there. */
  results(): Result[] {
    const kinds = new Set(this.cells.filter((b) => b > 0));
    return recipes.flatMap((r, recipe) =>
      !r.ticks && r.in.length === kinds.size && r.in.every(([b, n]) => this.laid(b) === n)
        ? [{ recipe, times: Math.min(...r.in.map(([b, n]) => Math.floor(this.carried(b) / n))) }] : []);
  }
}
