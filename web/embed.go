// Package web is the browser client as it is served: the committed bundle of
// the TypeScript in src. `go run ./bundle` in tools makes it anew, byte for
// byte the same from the same sources. Scripts and styles are compressed in it.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// File is one of the client's files.
type File struct {
	Name  string
	Plain []byte
	Gzip  []byte // nil: it is not compressed
}

// Files returns the client's files, by name: index.html, main.js, worker.js, styles and
// licences.txt. They must not be changed.
var Files = sync.OnceValue(func() []File {
	files, err := read()
	if err != nil {
		panic("web: embedded files: " + err.Error()) // they are embedded above
	}
	return files
})

func read() (out []File, err error) {
	const folder, compressed = "dist", ".gz"
	entries, err := dist.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		f := File{Name: e.Name()}
		if f.Plain, err = dist.ReadFile(folder + "/" + e.Name()); err != nil {
			return nil, err
		}
		if name, ok := strings.CutSuffix(e.Name(), compressed); ok {
			f = File{Name: name, Gzip: f.Plain}
			if f.Plain, err = unzip(f.Gzip); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

func unzip(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
