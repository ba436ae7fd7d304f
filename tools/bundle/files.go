package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// write makes dir hold exactly these files.
func write(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, b := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare tells how dir differs from files.
func compare(dir string, files map[string][]byte) error {
	left := maps.Clone(files)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		have, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		want, ok := left[name]
		if !ok {
			return fmt.Errorf("%s should not be there: run go run ./bundle", name)
		}
		if !bytes.Equal(have, want) {
			return fmt.Errorf("%s is not what the sources give: run go run ./bundle and commit it", name)
		}
		delete(left, name)
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return fmt.Errorf("%s is missing: run go run ./bundle", name)
	}
	return nil
}

// compressed has scripts and styles as NAME.gz: so they are embedded and served. The
// compressor is a module whose version is fixed, and not Go's, which may change with Go.
func compressed(files map[string][]byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, b := range files {
		if ext := filepath.Ext(name); ext != ".js" && ext != ".css" {
			out[name] = b
			continue
		}
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
		out[name+".gz"] = z.Bytes()
	}
	return out, nil
}

// report prints what a page load costs, and what is loaded later or on demand.
func report(files map[string][]byte, made outputs) {
	atOnce := slices.Concat(made.loads("main.js"), made.loads("worker.js"))
	total := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		script, ok := strings.CutSuffix(name, ".gz")
		_, bundled := made[script]
		later := name == "licences.txt" || strings.HasPrefix(name, "map.") || ok && bundled && !slices.Contains(atOnce, script)
		when := ""
		if later {
			when = "  later"
		} else {
			total += len(files[name])
		}
		fmt.Printf("%-26s %7.1f kB%s\n", name, float64(len(files[name]))/1000, when)
	}
	fmt.Printf("the page loads %.1f kB before somebody stands in the world\n", float64(total)/1000)
}
