package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/web"
)

// asset is a file of the browser client.
type asset struct {
	kind  string
	plain []byte
	gzip  []byte // nil: it is not compressed
	etag  string
}

// types are those that matter; the system's table is not to be relied on.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".json": "application/json", ".webmanifest": "application/manifest+json",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".wasm": "application/wasm", ".map": "application/json",
}

// assetsOf are files by their paths.
func assetsOf(files []web.File) map[string]*asset {
	out := map[string]*asset{}
	for _, f := range files {
		out["/"+f.Name] = newAsset(f)
	}
	if index := out["/index.html"]; index != nil {
		out["/"] = index
	}
	return out
}

func newAsset(f web.File) *asset {
	a := &asset{kind: types[path.Ext(f.Name)], plain: f.Plain, gzip: f.Gzip}
	if a.kind == "" {
		if a.kind = mime.TypeByExtension(path.Ext(f.Name)); a.kind == "" {
			a.kind = "application/octet-stream"
		}
	}
	sum := sha256.Sum256(f.Plain)
	a.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return a
}

// serve answers with the file. A browser asks again each time, and is told
// with a few bytes if nothing has changed: an update must not meet old pieces.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.etag)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if a.gzip != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.gzip
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the browser may have gone
	}
}
