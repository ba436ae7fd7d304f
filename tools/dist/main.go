// Dist packs the programs that `make dist` has built: an archive for each system, the
// list of what each program contains (CycloneDX), manifests for Homebrew, Scoop and winget,
// and the checksums of all of it. The same programs give the same bytes.
//
//	go run ./dist FOLDER VERSION     pack FOLDER/voxelpopuli-SYSTEM-MACHINE
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// root is the repository, seen from the module of the tools.
const root = ".."

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./dist FOLDER VERSION")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(folder, version string) error {
	programs, err := filepath.Glob(filepath.Join(folder, "voxelpopuli-*-*"))
	if err != nil {
		return err
	}
	programs = slices.DeleteFunc(programs, func(p string) bool { return isPacked(p) })
	if len(programs) == 0 {
		return fmt.Errorf("%s has no programs", folder)
	}
	page, err := pagePackages(filepath.Join(root, "web", "package-lock.json"))
	if err != nil {
		return err
	}
	made, archives := slices.Clone(programs), []string{}
	for _, p := range programs {
		if err := checkSize(p); err != nil {
			return err
		}
		archive, err := pack(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		list, err := writeParts(p, version, page)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		made, archives = append(made, archive, list), append(archives, archive)
	}
	r, err := newRelease(version, archives)
	if err != nil {
		return err
	}
	if err := writeManifests(filepath.Join(folder, "manifests"), r); err != nil {
		return err
	}
	debs, err := filepath.Glob(filepath.Join(folder, "voxelpopuli-*.deb")) // the module deb's
	if err != nil {
		return err
	}
	return writeSums(folder, append(made, debs...))
}

// maxSize bounds a stripped program for 64-bit PCs with Linux, in bytes. Those for other
// systems differ a little.
const maxSize = 30_000_000

func checkSize(program string) error {
	s, err := os.Stat(program)
	if err == nil && strings.HasSuffix(program, "-linux-amd64") && s.Size() > maxSize {
		err = fmt.Errorf("%s has %d bytes, at most %d are wanted: go build -ldflags=-dumpdep says what brings in what", program, s.Size(), maxSize)
	}
	return err
}

// isPacked reports whether a file was made by an earlier run.
func isPacked(name string) bool {
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".deb") || strings.HasSuffix(name, partsSuffix)
}

// writeSums writes what `sha256sum -c` reads.
func writeSums(folder string, files []string) error {
	slices.Sort(files)
	var sums strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), filepath.Base(f))
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
