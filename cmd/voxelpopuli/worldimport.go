package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

func worldImport(c *common) *cobra.Command {
	var o host.Import
	var megabytes int64
	cmd := &cobra.Command{
		Use:   "import FILE [NAME]",
		Short: "Makes a new world from an export or a backup",
		Long: `Makes a new world from an export or a backup. It has an id of its own, and this
machine's node as its founder: it is another world than the one that was exported.
Of a world with an authority the id stays.

The operators of the exported world are players of the new one, unless
--keep-operators is given. The first player who enters from this machine becomes the operator.`,
		Example: "  voxelpopuli world import home.vpworld home-again\n  voxelpopuli world import ours.vpworld --keep-operators",
		Args:    between(1, 2),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			if len(args) > 1 {
				o.Name = args[1]
			}
			if megabytes < 0 {
				return fmt.Errorf("%w: --max-size %d: want MB, 1 or more", host.ErrUsage, megabytes)
			}
			o.MaxSize = megabytes * 1e6
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
	return cmd
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
