// Command blockgen writes what the base pack defines for those that cannot read it
// when they run: the ids of blocks as Go constants, which the generator of terrain and
// the rules name, and all tables as TypeScript for the browser client. Run it by
// `go generate` in internal/game/world after a change of the pack; a test says when it
// was forgotten.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

func main() {
	goFile := flag.String("go", "internal/game/world/blockids.go", "the file of Go constants")
	tsFile := flag.String("ts", "web/src/gen/blocks.ts", "the file of TypeScript tables")
	mobFile := flag.String("mobs", "web/src/gen/mobs.ts", "the file of the TypeScript table of mobs")
	flag.Parse()
	for name, b := range map[string][]byte{*goFile: constants(pack.Base()), *tsFile: typeScript(pack.Base()), *mobFile: mobs(pack.Base())} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "blockgen:", err)
			os.Exit(1)
		}
	}
}
