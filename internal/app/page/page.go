// Package page writes the browser client as static files that know no particular
// world: any web server serves them, and a link (host.Link) says which world is meant.
// They install as an app and start from the browser's cache when their server is away.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/web"
)

// head is what the page has beyond that of a node: the mark by which it knows that no
// node has served it (web/src/net/invited.ts), and what makes it an app.
const head = `<meta name="voxelpopuli-page" content="static">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; connect-src 'self'">
<meta name="referrer" content="no-referrer">
<link rel="manifest" href="app.webmanifest">
`

const manifest = `{
  "name": "Voxel Populi", "short_name": "Voxel Populi", "start_url": "./", "display": "fullscreen",
  "background_color": "#10141a", "theme_color": "#10141a",
  "icons": [{ "src": "icon.svg", "sizes": "any", "type": "image/svg+xml" }]
}
`

// worker keeps the page's files. The network is asked first, so that an update is never
// mixed with older files; without an answer the cache serves.
const worker = `const CACHE = 'voxelpopuli-%s', FILES = %s;
addEventListener('install', (e) => e.waitUntil(caches.open(CACHE).then((c) => c.addAll(FILES)).then(() => skipWaiting())));
addEventListener('activate', (e) => e.waitUntil(caches.keys().then((all) => Promise.all(
  all.filter((n) => n.startsWith('voxelpopuli-') && n !== CACHE).map((n) => caches.delete(n)))).then(() => clients.claim())));
addEventListener('fetch', (e) => {
  if (e.request.method !== 'GET' || new URL(e.request.url).origin !== location.origin) return;
  e.respondWith(fetch(e.request).catch(() => caches.match(e.request, { ignoreSearch: true }).then((r) => r || Response.error())));
});
`

// Write writes the page into a folder, which it makes if need be, over the files of an
// earlier version. It returns how many files there are.
func Write(client []web.File, dir string) (int, error) {
	all, err := contents(client)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for name, b := range all {
		if err := files.Write(filepath.Join(dir, name), b, 0o644); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

// contents are the page's files by name.
func contents(client []web.File) (map[string][]byte, error) {
	all := map[string][]byte{"app.webmanifest": []byte(manifest)}
	for _, f := range client {
		if !strings.HasPrefix(f.Name, "map.") && f.Name != "worldmap.js" { // a node's own page
			all[f.Name] = f.Plain
		}
	}
	before, after, ok := bytes.Cut(all["index.html"], []byte("<title>"))
	if !ok {
		return nil, fmt.Errorf("index.html has no title to put the page's mark before")
	}
	all["index.html"] = slices.Concat(before, []byte(head+"<title>"), after)
	worker, err := serviceWorker(all)
	all["sw.js"] = worker
	return all, err
}

func serviceWorker(all map[string][]byte) ([]byte, error) {
	names := []string{"./"}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		h.Write(all[name])
	}
	list, err := json.Marshal(names)
	return fmt.Appendf(nil, worker, hex.EncodeToString(h.Sum(nil)[:6]), list), err
}
