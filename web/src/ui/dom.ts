// A few lines instead of a framework.

type Child = Node | string | null | undefined | false;
type Props<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], 'style' | 'dataset'>> & {
  class?: string;
  style?: string;
  /** aria-*, role, data-* and whatever else is an attribute only */
  attr?: Record<string, string | number | boolean>;
  on?: { [E in keyof HTMLElementEventMap]?: (e: HTMLElementEventMap[E]) => void };
};

/** Makes an element. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props<K> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  const { class: cls, style, attr, on, ...rest } = props;
  if (cls) el.className = cls;
  if (style) el.style.cssText = style;
  for (const [k, v] of Object.entries(attr ?? {})) el.setAttribute(k, String(v));
  for (const [k, f] of Object.entries(on ?? {})) el.addEventListener(k, f as EventListener);
  Object.assign(el, rest);
  el.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return el;
}

/** A button with a text. */
export function button(text: string, click: () => void, cls = ''): HTMLButtonElement {
  return h('button', { type: 'button', class: cls, on: { click } }, text);
}

/** Sets text only if it differs: setting it anew makes screen readers speak and layout run. */
export function setText(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text;
}

/** A modal dialog with a heading; closing it (Esc included) calls `closed` once. */
export class Dialog {
  readonly el: HTMLDialogElement;
  readonly body: HTMLElement;
  private returnFocus: Element | null = null;
  private wanted = false;

  constructor(
    name: string,
    title: string,
    private readonly options: { closed?: () => void; /** false: a person cannot close it */ cancel?: boolean; header?: Node[] } = {},
  ) {
    const id = `dialog-${name}`;
    this.body = h('div', { class: 'dialog-body' });
    this.el = h(
      'dialog',
      { class: `dialog ${name}`, attr: { 'aria-labelledby': id } },
      h('header', {}, h('h2', { id }, title), ...(options.header ?? [])),
      this.body,
    );
    this.el.addEventListener('cancel', (e) => {
      if (e.target !== this.el) return; // a file or colour field's own
      e.preventDefault();
      if (options.cancel !== false) this.close();
    });
    this.el.addEventListener('close', () => this.forced());
    document.body.append(this.el);
  }

  get open(): boolean {
    return this.wanted;
  }

  show(): void {
    if (this.wanted) return;
    this.wanted = true;
    this.returnFocus = document.activeElement;
    this.el.showModal();
    this.el.querySelector<HTMLElement>('[autofocus]')?.focus();
  }

  close(): void {
    if (!this.wanted) return;
    this.dismiss();
    this.options.closed?.();
  }

  /** Closes it without calling `closed`: something else follows. */
  dismiss(): void {
    if (!this.wanted) return;
    this.wanted = false;
    this.el.close();
    if (this.returnFocus instanceof HTMLElement) this.returnFocus.focus({ preventScroll: true });
  }

  /** The browser closes a dialog at the second Esc, whatever we say. */
  private forced(): void {
    if (!this.wanted || this.el.open) return;
    if (this.options.cancel === false) this.el.showModal();
    else this.close();
  }

  setTitle(title: string): void {
    setText(this.el.querySelector('h2')!, title);
  }
}
