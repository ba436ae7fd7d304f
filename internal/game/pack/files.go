package pack

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Files are the files of a pack by their path, with / between folders.
type Files map[string][]byte

// FromFS reads a pack from a folder. Hidden files do not count.
func FromFS(from fs.FS) (Files, error) {
	var r report
	out, total := Files{}, 0
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(path.Base(name), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !validPath(name):
			r.add(name, 0, "file names have small letters, digits, _ - and . only")
			return nil
		case len(out) == MaxFiles:
			return fmt.Errorf("more than %d files", MaxFiles)
		}
		b, err := read(from, name)
		if err != nil {
			return err
		}
		if total += len(b); total > MaxTotal {
			return fmt.Errorf("more than %d bytes", MaxTotal)
		}
		out[name] = b
		return nil
	})
	if err != nil {
		r.add("the pack", 0, "%v", err)
	}
	return out, r.err()
}

// read reads a file, if it is small enough. What a zip file says of sizes may be
// untrue: only what comes is counted.
func read(from fs.FS, name string) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(b) > MaxFile {
		err = fmt.Errorf("%s: more than %d bytes", name, MaxFile)
	}
	return b, err
}

// validPath reports whether a path is one that means the same on every system.
func validPath(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.ContainsFunc(part, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
		}) {
			return false
		}
	}
	return len(name) <= 100
}

// Name is the pack's name, empty if it has none that is valid.
func (f Files) Name() string {
	r := &reader{files: f}
	if o, ok := r.parse(manifestFile, "pack"); ok {
		return o.name("name")
	}
	return ""
}
