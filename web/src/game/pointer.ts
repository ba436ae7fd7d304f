/** Chrome refuses to lock the pointer again for about a second after Esc. */
const RELOCK_MS = 1300;
/** Some drivers report a leap of half a screen now and then. */
const LEAP = 400;

/** The mouse caught in the view. */
export class Pointer {
  /** the lock was lost without our asking: Esc, another window */
  lost: () => void = () => {};
  caught: () => void = () => {};
  moved: (dx: number, dy: number) => void = () => {};
  private released = -Infinity;
  /** let go by us; the event has not come yet */
  private letGo = false;
  /** what the last event said */
  private held = false;

  constructor(private readonly target: HTMLElement) {
    document.addEventListener('pointerlockchange', () => this.changed());
    target.addEventListener('mousemove', (e) => {
      if (!this.locked || Math.abs(e.movementX) > LEAP || Math.abs(e.movementY) > LEAP) return;
      this.moved(e.movementX, e.movementY);
    });
  }

  static get possible(): boolean {
    return 'requestPointerLock' in HTMLElement.prototype;
  }

  get locked(): boolean {
    return document.pointerLockElement === this.target;
  }

  /** Catches the mouse; waits out Chrome's delay. Says whether it worked. */
  async lock(): Promise<boolean> {
    if (this.locked && !this.letGo) return true;
    if (this.letGo) await this.gone();
    const wait = this.released + RELOCK_MS - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    try {
      await this.target.requestPointerLock();
    } catch {
      return false;
    }
    return this.locked || this.soon();
  }

  unlock(): void {
    if (!this.locked || this.letGo) return;
    this.letGo = true;
    document.exitPointerLock();
  }

  /** Older browsers answer by an event alone. */
  private soon(): Promise<boolean> {
    return new Promise((done) => setTimeout(() => done(this.locked), 300));
  }

  /** The event that says that the mouse is free again. */
  private gone(): Promise<void> {
    return new Promise((done) => {
      document.addEventListener('pointerlockchange', () => done(), { once: true });
      setTimeout(done, 1000);
    });
  }

  /** Events come late when the page is slow, and both may tell of the end. */
  private changed(): void {
    const was = this.held;
    const mine = this.letGo;
    this.held = this.locked;
    if (!this.held) this.letGo = false;
    if (this.held === was) return;
    if (this.held) {
      this.caught();
    } else if (!mine) {
      this.released = performance.now();
      this.lost();
    }
  }
}
