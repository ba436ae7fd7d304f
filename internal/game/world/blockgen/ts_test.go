package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

func TestCommittedFilesAreCurrent(t *testing.T) {
	for file, want := range map[string][]byte{
		"../blockids.go":                    constants(pack.Base()),
		"../../../../web/src/gen/blocks.ts": typeScript(pack.Base()),
		"../../../../web/src/gen/mobs.ts":   mobs(pack.Base()),
	} {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is older than the base pack: run `go generate ./internal/game/world`", file)
		}
	}
}
