import { h, setText } from './dom';

let ids = 0;

/** A labelled slider with its value in words. */
export function slider(label: string, value: number, min: number, max: number, step: number, say: (v: number) => string, change: (v: number) => void): HTMLElement {
  const id = `f${++ids}`;
  const out = h('output', { attr: { for: id } }, say(value));
  const input = h('input', {
    type: 'range', id, min: String(min), max: String(max), step: String(step), value: String(value), attr: { 'aria-valuetext': say(value) },
    on: {
      input: () => {
        const v = Number(input.value);
        setText(out, say(v));
        input.setAttribute('aria-valuetext', say(v));
        change(v);
      },
    },
  });
  return h('div', { class: 'setting' }, h('label', { htmlFor: id }, label), input, out);
}

/** A labelled choice. */
export function choice<T extends string>(label: string, value: T, options: Record<T, string>, change: (v: T) => void): HTMLElement {
  const id = `f${++ids}`;
  const select = h('select', { id, on: { change: () => change(select.value as T) } },
    ...Object.entries<string>(options).map(([v, text]) => h('option', { value: v, selected: v === value }, text)));
  return h('div', { class: 'setting' }, h('label', { htmlFor: id }, label), select);
}

/** A labelled switch. */
export function toggle(label: string, value: boolean, change: (v: boolean) => void): HTMLElement {
  const id = `f${++ids}`;
  const input = h('input', { type: 'checkbox', id, checked: value, attr: { role: 'switch' }, on: { change: () => change(input.checked) } });
  return h('div', { class: 'setting' }, h('label', { htmlFor: id }, label), input);
}
