package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// outputs are the files of a build and what they import, by name.
type outputs map[string]struct {
	EntryPoint string
	Imports    []struct {
		Path string
		Kind string
	}
}

// readOutputs reads them from esbuild's metafile.
func readOutputs(meta string) (outputs, error) {
	var m struct{ Outputs outputs }
	if err := json.Unmarshal([]byte(meta), &m); err != nil {
		return nil, fmt.Errorf("esbuild's metafile: %w", err)
	}
	out := outputs{}
	for file, o := range m.Outputs {
		for i := range o.Imports {
			o.Imports[i].Path = path.Base(o.Imports[i].Path)
		}
		out[path.Base(file)] = o
	}
	return out, nil
}

// loads returns the file and all that it cannot begin without, sorted.
func (o outputs) loads(file string) []string {
	all := map[string]bool{file: true}
	for left := []string{file}; len(left) > 0; left = left[1:] {
		for _, in := range o[left[0]].Imports {
			if in.Kind == "import-statement" && !all[in.Path] {
				all[in.Path] = true
				left = append(left, in.Path)
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// rename gives what several entries share a name of these entries (main-worker.js)
// instead of esbuild's hash, so that a change of the sources does not rename files.
func (o outputs) rename(files map[string][]byte) (outputs, map[string][]byte) {
	users := map[string][]string{}
	for _, file := range slices.Sorted(maps.Keys(o)) {
		if o[file].EntryPoint == "" {
			continue
		}
		for _, f := range o.loads(file) {
			users[f] = append(users[f], entryName(o[file].EntryPoint))
		}
	}
	var pairs []string
	for file, by := range users {
		name := strings.Join(by, "-")
		if e := o[file].EntryPoint; e != "" {
			name = entryName(e)
		}
		pairs = append(pairs, file, name+".js")
	}
	renamed := strings.NewReplacer(pairs...)
	out, named := outputs{}, map[string][]byte{}
	for file, is := range o {
		for i := range is.Imports {
			is.Imports[i].Path = renamed.Replace(is.Imports[i].Path)
		}
		out[renamed.Replace(file)] = is
		named[renamed.Replace(file)] = []byte(renamed.Replace(string(files[file])))
	}
	return out, named
}

// entryName is what an entry is called: that of src/ui/panels.ts is panels.
func entryName(entry string) string { return strings.TrimSuffix(path.Base(entry), ".ts") }

// preload has the page ask at once for all that its script cannot begin without.
func (o outputs) preload(page []byte) ([]byte, error) {
	const one = `<link rel="modulepreload" href="main.js">`
	var links []string
	for _, f := range o.loads("main.js") {
		links = append(links, strings.Replace(one, "main.js", f, 1))
	}
	if bytes.Count(page, []byte(one)) != 1 {
		return nil, fmt.Errorf("index.html must have one %s", one)
	}
	return bytes.Replace(page, []byte(one), []byte(strings.Join(links, "\n")), 1), nil
}
