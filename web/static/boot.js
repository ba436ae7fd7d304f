// Loads the page again if a script or a style sheet of it could not be fetched: browsers
// break off what is under way when the network changes, and the page would stay empty. At
// most three times; the client forgets the count when it has begun (src/main.ts).
let again = false;
addEventListener('error', ({ target }) => {
  const key = 'voxelpopuli.loads';
  const loads = Number(sessionStorage.getItem(key) ?? 0);
  if (again || loads >= 3 || !(target instanceof HTMLScriptElement || target.rel === 'stylesheet')) return;
  again = true;
  sessionStorage.setItem(key, String(loads + 1));
  setTimeout(() => location.reload(), 500);
}, true);
