// Command vplab runs the project's experiments; see its --help and docs/lab.md.
// It is a program of its own so that the player's program carries neither the
// experiments nor their profiler.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/catalog"
)

func main() {
	catalog.Become() // experiments with several processes start this program again
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := newRoot(out, errs)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(errs, "vplab:", err)
	}
	return host.ExitCode(err)
}

func newRoot(out, errs io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "vplab",
		Short:         "Runs the experiments of Voxel Populi",
		Example:       "  vplab list\n  vplab run terrain --json terrain.json",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          usage(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(out)
	root.SetErr(errs)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: %w (see %s --help)", host.ErrUsage, err, cmd.CommandPath())
	})
	root.AddCommand(newList(), newRun(), newMerge(), newLie())
	return root
}

// usage turns an error about positional arguments into one of usage, which has
// an exit code of its own.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%w: %w (usage: %s)", host.ErrUsage, err, cmd.UseLine())
		}
		return nil
	}
}
