// Command voxelpopuli hosts and joins worlds; see its --help and docs/host.md.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := newRoot(out, errs)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(errs, "voxelpopuli:", err)
	}
	return host.ExitCode(err)
}
