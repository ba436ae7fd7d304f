package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const downloads = "https://github.com/voxelpopuli/voxelpopuli/releases/download/v1.2.3/voxelpopuli-"

// checkManifests checks what was made of archives with these checksums, as v1.2.3.
func checkManifests(t *testing.T, folder string, sums map[string]string) {
	t.Helper()
	checkFormula(t, filepath.Join(folder, "homebrew", "voxelpopuli.rb"), sums)
	checkScoop(t, filepath.Join(folder, "scoop", "voxelpopuli.json"), sums)
	checkWinget(t, filepath.Join(folder, "winget"), sums)
}

func checkFormula(t *testing.T, name string, sums map[string]string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	pairs := regexp.MustCompile(`(?m)^ +url "(.*)"\n +sha256 "(.*)"$`).FindAllStringSubmatch(text, -1)
	found := map[string]string{}
	for _, p := range pairs {
		found[p[1]] = p[2]
	}
	for _, of := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		if sum := found[downloads+of+".tar.gz"]; sum == "" || sum != sums[of] {
			t.Errorf("%s has the checksum %q, want %q:\n%s", of, sum, sums[of], text)
		}
	}
	if !strings.Contains(text, `version "1.2.3"`) || strings.Contains(text, "no value") {
		t.Errorf("the formula:\n%s", text)
	}
	if _, err := exec.LookPath("ruby"); err == nil {
		if b, err := exec.Command("ruby", "-c", name).CombinedOutput(); err != nil {
			t.Errorf("%s\n%s", b, text)
		}
	}
}

func checkScoop(t *testing.T, name string, sums map[string]string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// What Scoop's schema.json requires, and what is of use here.
	var m struct {
		Version, Homepage, License, Bin string
		Dir                             string `json:"extract_dir"`
		Architecture                    map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	if m.Version != "1.2.3" || m.Homepage == "" || m.License != "MIT" || m.Bin != "voxelpopuli.exe" || m.Dir != "voxelpopuli" {
		t.Errorf("%+v", m)
	}
	for bits, of := range map[string]string{"64bit": "windows-amd64", "arm64": "windows-arm64"} {
		if a := m.Architecture[bits]; a.URL != downloads+of+".zip" || a.Hash != sums[of] || len(a.Hash) != 64 {
			t.Errorf("%s: %+v, want the checksum %q", bits, a, sums[of])
		}
	}
}

// checkWinget checks what the schemas of winget's manifests require.
func checkWinget(t *testing.T, folder string, sums map[string]string) {
	t.Helper()
	read := func(name, kind string, into any) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			ID      string `yaml:"PackageIdentifier"`
			Version string `yaml:"PackageVersion"`
			Type    string `yaml:"ManifestType"`
			Schema  string `yaml:"ManifestVersion"`
		}
		if err := yaml.Unmarshal(b, &head); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if head.ID != "VoxelPopuli.VoxelPopuli" || head.Version != "1.2.3" || head.Type != kind || head.Schema != "1.9.0" {
			t.Errorf("%s: %+v", name, head)
		}
		if err := yaml.Unmarshal(b, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var version struct {
		Locale string `yaml:"DefaultLocale"`
	}
	read("VoxelPopuli.VoxelPopuli.yaml", "version", &version)
	var locale map[string]string
	read("VoxelPopuli.VoxelPopuli.locale.en-US.yaml", "defaultLocale", &locale)
	for _, field := range []string{"Publisher", "PackageName", "License", "ShortDescription"} {
		if locale[field] == "" {
			t.Errorf("%s is missing: %v", field, locale)
		}
	}
	if version.Locale != "en-US" || locale["PackageLocale"] != version.Locale {
		t.Errorf("locales %q and %q", version.Locale, locale["PackageLocale"])
	}
	var installer struct {
		Type       string              `yaml:"InstallerType"`
		Nested     string              `yaml:"NestedInstallerType"`
		Files      []map[string]string `yaml:"NestedInstallerFiles"`
		Installers []map[string]string `yaml:"Installers"`
	}
	read("VoxelPopuli.VoxelPopuli.installer.yaml", "installer", &installer)
	if installer.Type != "zip" || installer.Nested != "portable" || len(installer.Files) != 1 || installer.Files[0]["RelativeFilePath"] != `voxelpopuli\voxelpopuli.exe` || len(installer.Installers) != 2 {
		t.Fatalf("%+v", installer)
	}
	for _, i := range installer.Installers {
		of := map[string]string{"x64": "windows-amd64", "arm64": "windows-arm64"}[i["Architecture"]]
		if i["InstallerUrl"] != downloads+of+".zip" || i["InstallerSha256"] != strings.ToUpper(sums[of]) || len(i["InstallerSha256"]) != 64 {
			t.Errorf("%v, want the checksum %s", i, sums[of])
		}
	}
}
