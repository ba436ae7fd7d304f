// Deb makes Debian packages of the programs that `make dist` has built for Linux. The
// same programs give the same bytes.
//
//	go run . FOLDER VERSION     package FOLDER/voxelpopuli-linux-MACHINE
//
// It is a module of its own because of what nfpm brings along.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// root is the repository, seen from this module.
const root = "../.."

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run . FOLDER VERSION")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "deb:", err)
		os.Exit(1)
	}
}

func run(folder, version string) error {
	programs, err := filepath.Glob(filepath.Join(folder, "voxelpopuli-linux-*"))
	if err != nil {
		return err
	}
	made := 0
	for _, p := range programs {
		if strings.Contains(filepath.Base(p), ".") { // packed from one earlier
			continue
		}
		if err := pack(p, version); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		made++
	}
	if made == 0 {
		return fmt.Errorf("%s has no programs for Linux", folder)
	}
	return nil
}

// made is when everything was made, as far as the package says: that of the archives.
var made = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack writes the package of a program beside it.
func pack(program, version string) error {
	tmp, err := os.MkdirTemp("", "deb")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	unit := filepath.Join(tmp, "voxelpopuli.service")
	if err := writeUnit(unit); err != nil {
		return err
	}
	arch := program[strings.LastIndexByte(program, '-')+1:]
	scripts := filepath.Join(root, "deploy", "deb")
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "voxelpopuli", Arch: arch, Platform: "linux", Version: debVersion(version), VersionSchema: "none",
		Section: "games", Priority: "optional", Maintainer: "The Voxel Populi authors <voxelpopuli@users.noreply.github.com>",
		Homepage: "https://github.com/voxelpopuli/voxelpopuli", License: "MIT",
		Description: "voxel world that lives on its players' machines\nOne command opens a world and a browser to play in it; friends join by a link, as\nplayers or with a machine that hosts a share of the world.",
		MTime:       made, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Umask:    0o022,
			Depends:  []string{"adduser"},
			Suggests: []string{"www-browser"},
			Contents: files.Contents{
				file(program, "/usr/bin/voxelpopuli", 0o755),
				file(unit, "/usr/lib/systemd/system/voxelpopuli.service", 0o644),
				config(filepath.Join(scripts, "voxelpopuli.env"), "/etc/voxelpopuli.env", 0o600),
				file(filepath.Join(root, "LICENSE"), "/usr/share/doc/voxelpopuli/copyright", 0o644),
				file(filepath.Join(root, "README.md"), "/usr/share/doc/voxelpopuli/README.md", 0o644),
				file(filepath.Join(root, "web", "dist", "licences.txt"), "/usr/share/doc/voxelpopuli/licences-of-the-page.txt", 0o644),
			},
			Scripts: nfpm.Scripts{
				PostInstall: filepath.Join(scripts, "postinst"), PreRemove: filepath.Join(scripts, "prerm"), PostRemove: filepath.Join(scripts, "postrm"),
			},
		},
	})
	out, err := os.Create(program + ".deb")
	if err != nil {
		return err
	}
	if err := deb.Default.Package(info, out); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func file(from, to string, mode os.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: made}}
}

// config is a file that people change and that upgrades leave alone.
func config(from, to string, mode os.FileMode) *files.Content {
	c := file(from, to, mode)
	c.Type = files.TypeConfigNoReplace
	return c
}

// writeUnit writes the unit as the package has it: with the program where packages have
// theirs, and as a user that stays, so that commands can be run as that user too.
func writeUnit(to string) error {
	b, err := os.ReadFile(filepath.Join(root, "deploy", "voxelpopuli.service"))
	if err != nil {
		return err
	}
	text := string(b)
	if i := strings.Index(text, "[Unit]"); i >= 0 { // what is above says how to install it by hand
		text = text[i:]
	}
	for _, c := range [][2]string{{"ExecStart=/usr/local/bin/", "ExecStart=/usr/bin/"}, {"DynamicUser=yes\n", "User=voxelpopuli\n"}} {
		if strings.Count(text, c[0]) != 1 {
			return fmt.Errorf("the unit has %q %d times and not once", c[0], strings.Count(text, c[0]))
		}
		text = strings.Replace(text, c[0], c[1], 1)
	}
	return os.WriteFile(to, []byte(text), 0o644)
}

var (
	release   = regexp.MustCompile(`^v?([0-9]+(?:\.[0-9]+)+)(?:-((?:alpha|beta|rc)[0-9A-Za-z.]*))?(?:-(.*))?$`)
	forbidden = regexp.MustCompile(`[^0-9A-Za-z.+~]+`)
)

// debVersion is a version as Debian sorts it: candidates before the release, commits
// after it, and what is no release before all of them.
func debVersion(v string) string {
	m := release.FindStringSubmatch(v)
	if m == nil {
		return "0~" + forbidden.ReplaceAllString(v, "+")
	}
	out := m[1]
	if m[2] != "" {
		out += "~" + m[2]
	}
	if m[3] != "" {
		out += "+" + forbidden.ReplaceAllString(m[3], "+")
	}
	return out
}
