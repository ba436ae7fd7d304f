// Package web is the browser client as it is served: the committed bundle of
// the TypeScript in src. `go run ./bundle` in tools makes it anew, byte for
// byte the same from the same sources.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the client's files: index.html, main.js, worker.js, style.css
// and licences.txt.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: embedded files: " + err.Error()) // the directory is embedded above
	}
	return files
}
