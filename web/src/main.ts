// Entry of the browser client.
import { App } from './app';
import { SettingsStore } from './game/settings';
import { installHook } from './hook';
import { fromNowhere } from './net/invited';
import { t, useLanguage } from './ui/strings';

addEventListener('hashchange', () => location.reload()); // another link in the same tab
if (fromNowhere() && 'serviceWorker' in navigator) void navigator.serviceWorker.register('sw.js').catch(() => undefined); // it works when its server is away
try {
  sessionStorage.removeItem('voxelpopuli.loads'); // static/boot.js
} catch { /* a browser that keeps nothing */ }
const settings = new SettingsStore();
await useLanguage(settings.now.language);
const canvas = document.querySelector<HTMLCanvasElement>('#view')!;
try {
  const app = new App(settings, canvas);
  installHook(app);
  app.start();
} catch (e) {
  console.error(e);
  const p = document.createElement('p');
  p.className = 'fatal';
  p.setAttribute('role', 'alert');
  p.textContent = canvas.getContext('webgl2') ? String(e) : t.refusals.noWebgl!;
  document.body.append(p);
}
