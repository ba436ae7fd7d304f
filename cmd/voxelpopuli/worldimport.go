package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/foreignworld"
)

func worldImport(c *common) *cobra.Command {
	var o host.Import
	var megabytes int64
	var offset int
	cmd := &cobra.Command{
		Use:   "import FILE [NAME]",
		Short: "Makes a new world from an export, a backup, or a world of Minecraft or ClassiCube",
		Long: `Makes a new world from an export or a backup. It has an id of its own, and this
machine's node as its founder: it is another world than the one that was exported.
Of a world with an authority the id stays.

The operators of the exported world are players of the new one, unless
--keep-operators is given. The first player who enters from this machine becomes the operator.

A folder is read as a world of Minecraft 1.18 or later (level.dat and region), a file
that ends with .cw as one of ClassiCube. Ours has its blocks (docs/formats/foreign.md),
without what lies in chests, and our terrain around them. Heights of Minecraft stay what
they are, and ours are 0 to 255: --offset 64 moves all of it up, for a flat world.
Ctrl-C ends it and leaves nothing.`,
		Example: "  voxelpopuli world import home.vpworld home-again\n  voxelpopuli world import ours.vpworld --keep-operators\n  voxelpopuli world import ~/.minecraft/saves/castle castle",
		Args:    between(1, 2),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			if len(args) > 1 {
				o.Name = args[1]
			}
			if megabytes < 0 {
				return fmt.Errorf("%w: --max-size %d: want MB, 1 or more", host.ErrUsage, megabytes)
			}
			o.MaxSize = megabytes * 1e6
			if foreignworld.Known(args[0]) {
				return importForeign(cmd, f, args[0], o.Name, offset)
			}
			in, err := host.ImportWorld(f, args[0], o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Imported %s: %d records of %d regions and lists, %s.\n%s", in.Meta.Name, in.Pairs, in.Spaces, size(in.Bytes), operatorsText(&o, in.Operators))
			return err
		}),
	}
	cmd.Flags().BoolVar(&o.KeepOperators, "keep-operators", false, "the operators of the exported world are this one's, too: they can ban you from it")
	cmd.Flags().Int64Var(&megabytes, "max-size", 0, fmt.Sprintf("how many MB of records the world may have (default %d, and at most 100 times the file)", worldfs.DefaultMaxSize/1_000_000))
	cmd.Flags().IntVar(&offset, "offset", 0, "how many blocks higher a world of another program lies here")
	return cmd
}

// importForeign makes a world of one of another program.
func importForeign(cmd *cobra.Command, f *worldfs.Folder, path, name string, offset int) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m, r, err := host.ImportForeign(ctx, f, path, host.NewWorld{Name: name, Searching: searchingOf(cmd)}, offset, func(done, of int) {
		fmt.Fprintf(cmd.ErrOrStderr(), "\r%d of %d parts ", done, of)
	})
	fmt.Fprintln(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "Imported %s: %d blocks in %d columns of 32 × 32. Height 0 there is %d here. Play: voxelpopuli play --world %q\n", m.Name, r.Blocks, r.Columns, offset, m.Name)
	if r.Unfinished > 0 {
		fmt.Fprintf(out, "%d chunks that Minecraft has not finished are our terrain.\n", r.Unfinished)
	}
	if r.Damaged > 0 {
		fmt.Fprintf(out, "%d chunks or files could not be read and are our terrain. The first: %v.\n", r.Damaged, r.FirstDamage)
	}
	sayUnmapped(out, &r.Report)
	return nil
}

// sayUnmapped says which blocks have no counterpart.
func sayUnmapped(out io.Writer, r *foreign.Report) {
	if r.Outside > 0 {
		fmt.Fprintf(out, "%d blocks lay below height 0 or above 255 and are not here (--offset moves all of it).\n", r.Outside)
	}
	if lines := r.Lines(); len(lines) > 0 {
		fmt.Fprintf(out, "Blocks without a counterpart, which are air: %s.\n", listed(lines))
	}
}

// operatorsText says what became of the operators of an exported world.
func operatorsText(o *host.Import, names []string) string {
	const first = "The first player who enters from this machine becomes the operator.\n"
	switch {
	case len(names) == 0:
		return first
	case o.KeepOperators:
		return fmt.Sprintf("Its operators are still: %s.\n", listed(names))
	}
	return fmt.Sprintf("Its operators are only players now (--keep-operators keeps them): %s. %s", listed(names), first)
}

// listed is a list of names, a long one cut.
func listed(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
