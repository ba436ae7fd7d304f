package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/voxelpopuli/voxelpopuli/web"
)

// asset is a file of the browser client, compressed beforehand.
type asset struct {
	kind  string
	plain []byte
	gzip  []byte // nil if that would not be shorter
	etag  string
}

// types are those that matter; the system's table is not to be relied on.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".json": "application/json", ".webmanifest": "application/manifest+json",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".wasm": "application/wasm", ".map": "application/json",
}

// ownAssets are the files that are part of the program. They are compressed once
// for all gateways of a process.
var ownAssets = sync.OnceValues(func() (map[string]*asset, error) { return loadAssets(web.Files()) })

// loadAssets reads and compresses all files.
func loadAssets(files fs.FS) (map[string]*asset, error) {
	out := map[string]*asset{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		out["/"+name], err = newAsset(name, b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("browser client: %w", err)
	}
	if index := out["/index.html"]; index != nil {
		out["/"] = index
	}
	return out, nil
}

func newAsset(name string, b []byte) (*asset, error) {
	a := &asset{kind: types[path.Ext(name)], plain: b}
	if a.kind == "" {
		if a.kind = mime.TypeByExtension(path.Ext(name)); a.kind == "" {
			a.kind = "application/octet-stream"
		}
	}
	sum := sha256.Sum256(b)
	a.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if z.Len() < len(b) {
		a.gzip = z.Bytes()
	}
	return a, nil
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
