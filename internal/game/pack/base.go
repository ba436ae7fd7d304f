package pack

import (
	"embed"
	"io/fs"
)

//go:embed base
var baseFiles embed.FS

var base = mustReadBase()

// Base is the content of the game without other packs.
func Base() *Content { return base }

func mustReadBase() *Content {
	folder, err := fs.Sub(baseFiles, "base")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	files, err := FromFS(folder)
	if err != nil {
		panic(err)
	}
	c, err := new(Content).Add(files)
	if err != nil {
		panic(err) // a test reads it first
	}
	return c
}
