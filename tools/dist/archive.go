package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// made is when everything in an archive was made, as far as it says: zip knows nothing
// before 1980.
var made = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

type file struct {
	name string
	mode int64
	data []byte
}

// pack writes the archive of a program beside it: zip for Windows, otherwise tar.gz.
func pack(program string) (archive string, err error) {
	base := strings.TrimSuffix(program, ".exe")
	windows, linux := strings.HasSuffix(program, ".exe"), strings.Contains(filepath.Base(program), "-linux-")
	files, err := filesOf(program, windows, linux)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if windows {
		archive, err = base+".zip", writeZip(&b, files)
	} else {
		archive, err = base+".tar.gz", writeTar(&b, files)
	}
	if err != nil {
		return "", err
	}
	return archive, os.WriteFile(archive, b.Bytes(), 0o644)
}

// filesOf reads what belongs to a program.
func filesOf(program string, windows, linux bool) (out []file, err error) {
	name := "voxelpopuli"
	if windows {
		name += ".exe"
	}
	add := func(name string, mode int64, path ...string) {
		b, readErr := os.ReadFile(filepath.Join(path...))
		err = errors.Join(err, readErr)
		out = append(out, file{name, mode, b})
	}
	add(name, 0o755, program)
	add("LICENSE", 0o644, root, "LICENSE")
	add("README.md", 0o644, root, "README.md")
	add("licences-of-the-page.txt", 0o644, root, "web", "dist", "licences.txt")
	if linux {
		add("voxelpopuli.service", 0o644, root, "deploy", "voxelpopuli.service")
	}
	return out, err
}

func writeTar(w io.Writer, files []file) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "voxelpopuli/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: made, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: "voxelpopuli/" + f.name, Method: zip.Deflate, Modified: made}
		h.SetMode(os.FileMode(f.mode))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
