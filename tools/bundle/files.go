package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// report prints what a page load costs.
func report(files map[string][]byte) error {
	total := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var z bytes.Buffer
		w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(files[name]); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		fmt.Printf("%-14s %7.1f kB %7.1f kB gzip\n", name, float64(len(files[name]))/1000, float64(z.Len())/1000)
		if name != "licences.txt" {
			total += z.Len()
		}
	}
	fmt.Printf("the page loads %.1f kB gzip\n", float64(total)/1000)
	return nil
}
