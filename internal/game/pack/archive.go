package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// FromZip reads a pack from the bytes of a zip file.
func FromZip(b []byte) (Files, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, Problems{{File: "the zip file", Text: err.Error()}}
	}
	if len(z.File) > 2*MaxFiles { // files and folders
		return nil, Problems{{File: "the zip file", Text: fmt.Sprintf("more than %d files", MaxFiles)}}
	}
	return FromFS(z)
}

// Zip returns a pack as a zip file: the same bytes for the same files.
func (f Files) Zip() ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// Hash is the SHA-256 of names and bytes of all files, each behind its length: of a
// folder and of the zip file that is made of it the same.
func (f Files) Hash() [sha256.Size]byte {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		for _, part := range [][]byte{[]byte(name), f[name]} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			h.Write(part)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
