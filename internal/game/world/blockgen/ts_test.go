package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCommittedFileIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../../../web/src/gen/blocks.ts")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, typeScript()) {
		t.Error("web/src/gen/blocks.ts is older than the block table: run `go generate ./internal/game/world`")
	}
}
