// Command blockgen writes the block table as TypeScript, so that the browser
// client and the rules speak of the same blocks. Run it by `go generate` in
// internal/game/world after a change of the table; a test says when it was forgotten.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", "web/src/gen/blocks.ts", "the file to write")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "blockgen:", err)
		os.Exit(1)
	}
}

func write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, typeScript(), 0o644)
}
