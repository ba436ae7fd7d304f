package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

const partsSuffix = ".cdx.json"

// A list of parts as CycloneDX 1.5 has it, without what changes from run to run.
type (
	parts struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		URL     string `json:"purl,omitempty"`
	}
)

// writeParts lists the Go modules that were linked into a program, as the program itself
// says, and the packages of its page.
func writeParts(program, version string, page []component) (string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", err
	}
	b, err := json.MarshalIndent(partsOf(info, version, page), "", "  ")
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(program, ".exe") + partsSuffix
	return name, os.WriteFile(name, append(b, '\n'), 0o644)
}

func partsOf(info *debug.BuildInfo, version string, page []component) *parts {
	p := &parts{Format: "CycloneDX", Spec: "1.5", Version: 1}
	p.Metadata.Component = component{Type: "application", Name: info.Main.Path, Version: version}
	p.Components = []component{golang("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p.Components = append(p.Components, golang(m.Path, m.Version))
	}
	p.Components = append(p.Components, page...)
	return p
}

func golang(path, version string) component {
	return component{Type: "library", Name: path, Version: version, URL: "pkg:golang/" + path + "@" + version}
}

// pagePackages are the packages of npm that the page is bundled from.
func pagePackages(lockFile string) (out []component, err error) {
	b, err := os.ReadFile(lockFile)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version      string
			Dependencies map[string]string
		}
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", lockFile, err)
	}
	for _, name := range slices.Sorted(maps.Keys(lock.Packages[""].Dependencies)) {
		version := lock.Packages["node_modules/"+name].Version
		url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version
		out = append(out, component{Type: "library", Name: name, Version: version, URL: url})
	}
	return out, nil
}
