package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// Manifests are what Homebrew, Scoop and winget read: where the archives of a release are,
// and their checksums.

const (
	home    = "https://github.com/voxelpopuli/voxelpopuli"
	summary = "Voxel world that lives on its players' machines"
)

// release is what manifests are made from.
type release struct {
	Tag, Version string
	sums         map[string]string // of archives, by the system and machine
}

// newRelease reads the archives; a manifest names those for which there are programs.
func newRelease(version string, archives []string) (*release, error) {
	r := &release{Tag: version, Version: cmp.Or(strings.TrimPrefix(version, "v"), "0"), sums: map[string]string{}}
	for _, a := range archives {
		b, err := os.ReadFile(a)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(filepath.Base(a), "voxelpopuli-")
		name, _, _ = strings.Cut(name, ".")
		r.sums[name] = fmt.Sprintf("%x", sha256.Sum256(b))
	}
	return r, nil
}

// URL is where the archive for a system and machine is.
func (r *release) URL(of string) string {
	kind := ".tar.gz"
	if strings.HasPrefix(of, "windows") {
		kind = ".zip"
	}
	return home + "/releases/download/" + r.Tag + "/voxelpopuli-" + of + kind
}

// Sum is its checksum.
func (r *release) Sum(of string) (string, error) {
	if s := r.sums[of]; s != "" {
		return s, nil
	}
	return "", fmt.Errorf("there is no archive for %s", of)
}

// writeManifests writes all of them into a folder.
func writeManifests(folder string, r *release) error {
	for _, write := range []func(string, *release) error{writeFormula, writeScoop, writeWinget} {
		if err := write(folder, r); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(b []byte, path ...string) error {
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o644)
}

// formula is Homebrew's: `brew install ./voxelpopuli.rb`, or in a tap.
var formula = template.Must(template.New("formula").Parse(`class Voxelpopuli < Formula
  desc "` + summary + `"
  homepage "` + home + `"
  version "{{.Version}}"
  license "MIT"
{{range $system, $name := .Systems}}
  on_{{$name}} do
{{- range $machine, $called := $.Machines}}
    on_{{$called}} do
      url "{{$.URL (printf "%s-%s" $system $machine)}}"
      sha256 "{{$.Sum (printf "%s-%s" $system $machine)}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "voxelpopuli"
    doc.install "README.md", "licences-of-the-page.txt"
    generate_completions_from_executable(bin/"voxelpopuli", "completion")
  end

  service do
    run [opt_bin/"voxelpopuli", "node"]
    keep_alive crashed: true
    log_path var/"log/voxelpopuli.log"
    error_log_path var/"log/voxelpopuli.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/voxelpopuli version")
  end
end
`))

// Systems and Machines are what Homebrew calls them, by what Go does.
func (r *release) Systems() map[string]string {
	return map[string]string{"darwin": "macos", "linux": "linux"}
}
func (r *release) Machines() map[string]string {
	return map[string]string{"amd64": "intel", "arm64": "arm"}
}

func writeFormula(folder string, r *release) error {
	var b bytes.Buffer
	if err := formula.Execute(&b, r); err != nil {
		return err
	}
	return writeFile(b.Bytes(), folder, "homebrew", "voxelpopuli.rb")
}

// writeScoop writes the manifest for a bucket of Scoop.
func writeScoop(folder string, r *release) error {
	type download struct {
		URL  string `json:"url"`
		Hash string `json:"hash,omitempty"`
	}
	archs, updates := map[string]download{}, map[string]download{}
	for bits, of := range map[string]string{"64bit": "windows-amd64", "arm64": "windows-arm64"} {
		sum, err := r.Sum(of)
		if err != nil {
			return err
		}
		archs[bits] = download{r.URL(of), sum}
		updates[bits] = download{URL: home + "/releases/download/v$version/voxelpopuli-" + of + ".zip"}
	}
	b, err := json.MarshalIndent(struct {
		Version      string              `json:"version"`
		Description  string              `json:"description"`
		Homepage     string              `json:"homepage"`
		License      string              `json:"license"`
		Architecture map[string]download `json:"architecture"`
		Dir          string              `json:"extract_dir"`
		Bin          string              `json:"bin"`
		Check        string              `json:"checkver"`
		Update       struct {
			Architecture map[string]download `json:"architecture"`
			Hash         map[string]string   `json:"hash"`
		} `json:"autoupdate"`
	}{
		Version: r.Version, Description: summary, Homepage: home, License: "MIT", Architecture: archs,
		Dir: "voxelpopuli", Bin: "voxelpopuli.exe", Check: "github",
		Update: struct {
			Architecture map[string]download `json:"architecture"`
			Hash         map[string]string   `json:"hash"`
		}{updates, map[string]string{"url": "$baseurl/SHA256SUMS"}},
	}, "", "    ")
	if err != nil {
		return err
	}
	return writeFile(append(b, '\n'), folder, "scoop", "voxelpopuli.json")
}

// Manifests of winget, version 1.9.0: https://aka.ms/winget-manifest.singleton.1.9.0.schema.json
// and its likes.
const (
	wingetID      = "VoxelPopuli.VoxelPopuli"
	wingetVersion = "1.9.0"
)

type wingetHead struct {
	ID      string `yaml:"PackageIdentifier"`
	Version string `yaml:"PackageVersion"`
}

type wingetFoot struct {
	Type    string `yaml:"ManifestType"`
	Version string `yaml:"ManifestVersion"`
}

type wingetInstaller struct {
	Architecture string `yaml:"Architecture"`
	URL          string `yaml:"InstallerUrl"`
	SHA256       string `yaml:"InstallerSha256"`
}

type wingetNested struct {
	Path  string `yaml:"RelativeFilePath"`
	Alias string `yaml:"PortableCommandAlias"`
}

func writeWinget(folder string, r *release) error {
	head := wingetHead{wingetID, r.Version}
	var installers []wingetInstaller
	for _, m := range [][2]string{{"x64", "windows-amd64"}, {"arm64", "windows-arm64"}} {
		sum, err := r.Sum(m[1])
		if err != nil {
			return err
		}
		installers = append(installers, wingetInstaller{m[0], r.URL(m[1]), strings.ToUpper(sum)})
	}
	for kind, manifest := range map[string]any{
		"version": struct {
			wingetHead `yaml:",inline"`
			Locale     string `yaml:"DefaultLocale"`
			wingetFoot `yaml:",inline"`
		}{head, "en-US", wingetFoot{"version", wingetVersion}},
		"installer": struct {
			wingetHead `yaml:",inline"`
			Type       string            `yaml:"InstallerType"`
			Nested     string            `yaml:"NestedInstallerType"`
			Files      []wingetNested    `yaml:"NestedInstallerFiles"`
			Installers []wingetInstaller `yaml:"Installers"`
			wingetFoot `yaml:",inline"`
		}{head, "zip", "portable", []wingetNested{{`voxelpopuli\voxelpopuli.exe`, "voxelpopuli"}}, installers, wingetFoot{"installer", wingetVersion}},
		"locale.en-US": struct {
			wingetHead `yaml:",inline"`
			Locale     string `yaml:"PackageLocale"`
			Publisher  string `yaml:"Publisher"`
			Name       string `yaml:"PackageName"`
			URL        string `yaml:"PackageUrl"`
			License    string `yaml:"License"`
			LicenseURL string `yaml:"LicenseUrl"`
			Short      string `yaml:"ShortDescription"`
			wingetFoot `yaml:",inline"`
		}{head, "en-US", "Voxel Populi", "Voxel Populi", home, "MIT", home + "/blob/main/LICENSE", summary, wingetFoot{"defaultLocale", wingetVersion}},
	} {
		b, err := yaml.Marshal(manifest)
		if err != nil {
			return err
		}
		name := wingetID + "." + kind + ".yaml"
		if kind == "version" {
			name = wingetID + ".yaml"
		}
		if err := writeFile(b, folder, "winget", name); err != nil {
			return err
		}
	}
	return nil
}
