package pack

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed example
var exampleFiles embed.FS

// schemaFiles are JSON schemas for editors. A pack has them in a hidden folder: they
// are not part of it.
//
//go:embed schema
var schemaFiles embed.FS

// Template returns the files of a new pack with a name, and of the schemas beside it,
// by path. It is right as it is.
func Template(name string) (Files, error) {
	if !validName(name) {
		return nil, Problems{{File: name, Text: "the name of a pack has small letters, digits and _, a letter first"}}
	}
	out := Files{}
	copyTo := func(from fs.FS, root, into string) error {
		return fs.WalkDir(from, root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(from, file)
			out[path.Join(into, strings.TrimPrefix(file, root+"/"))] = b
			return err
		})
	}
	if err := copyTo(exampleFiles, "example", "."); err != nil {
		return nil, err
	}
	if err := copyTo(schemaFiles, "schema", ".schema"); err != nil {
		return nil, err
	}
	out[manifestFile] = bytes.ReplaceAll(out[manifestFile], []byte(`"example"`), []byte(`"`+name+`"`))
	return out, nil
}
