const adjectives = ['Brave', 'Calm', 'Clever', 'Gentle', 'Merry', 'Quick', 'Quiet', 'Sunny', 'Tidy', 'Wild'];
const nouns = ['Badger', 'Beaver', 'Fox', 'Hare', 'Heron', 'Lynx', 'Otter', 'Owl', 'Robin', 'Wren'];
/** With each try a number has one more digit: after so many nobody has had bad luck. */
const MAX_TRIES = 5;

/** A name for a player who has typed none. Another one is made if somebody has it already. */
export class ProposedName {
  private tries = 0;
  private name: string;

  constructor(private readonly random: () => number = Math.random) {
    this.name = this.words();
  }

  get value(): string {
    return this.name;
  }

  /** A name was taken: the one to try next, or null if the player has typed it. */
  next(taken: string): string | null {
    if (taken !== this.name || this.tries === MAX_TRIES) return null;
    this.tries++;
    const least = 10 ** this.tries;
    this.name = `${this.words()} ${least + Math.floor(this.random() * 9 * least)}`;
    return this.name;
  }

  private words(): string {
    return `${this.one(adjectives)} ${this.one(nouns)}`;
  }

  private one(list: readonly string[]): string {
    return list[Math.floor(this.random() * list.length)]!;
  }
}
