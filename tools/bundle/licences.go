package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// inPackage finds a package's name; node_modules may be a link to another folder.
var inPackage = regexp.MustCompile(`(?:^|/)node_modules/((?:@[^/]+/)?[^/]+)/`)

// licences collects the notices of every package that a bundle has code of.
func licences(root, metafile string) ([]byte, error) {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, fmt.Errorf("metafile: %w", err)
	}
	var names []string
	for input := range meta.Inputs {
		if m := inPackage.FindStringSubmatch(input); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the bundle contains no package of node_modules: their licences would be missing")
	}
	slices.Sort(names)
	var out bytes.Buffer
	out.WriteString("The client contains code of these packages.\n")
	for _, name := range names {
		text, err := licence(filepath.Join(root, "node_modules", filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&out, "\n---- %s ----\n\n%s\n", name, bytes.TrimSpace(text))
	}
	return out.Bytes(), nil
}

func licence(dir string) ([]byte, error) {
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENCE", "LICENSE.txt"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), nil
		}
	}
	return nil, fmt.Errorf("no licence file")
}
