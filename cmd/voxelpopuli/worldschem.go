package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

func worldExportSchem(c *common) *cobra.Command {
	var from, to string
	version := 3
	cmd := &cobra.Command{
		Use:   "export-schem NAME FILE",
		Short: "Writes a box of a world as a schematic",
		Long: `Writes the blocks of a box of a world as a Sponge schematic (.schem), which Minecraft's
building tools read. What lies in chests is not in it. The world must not be open.`,
		Example: `  voxelpopuli world export-schem home house.schem --from "10 60 10" --to "30 80 40"`,
		Args:    exactly(2),
		RunE: withPacks(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			a, err := placeFlag("from", from)
			if err != nil {
				return err
			}
			b, err := placeFlag("to", to)
			if err != nil {
				return err
			}
			rep, err := host.ExportSchematic(f, args[0], args[1], world.ZoneBetween(a, b), version)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Exported %d blocks to %s.\n", rep.Blocks, args[1])
			sayUnmapped(cmd.OutOrStdout(), &rep)
			return nil
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", `a corner, "x y z"`)
	cmd.Flags().StringVar(&to, "to", "", `the opposite corner, "x y z"`)
	cmd.Flags().IntVar(&version, "version", version, "of the format: 2 or 3")
	return cmd
}

func worldImportSchem(c *common) *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "import-schem NAME FILE",
		Short: "Puts a schematic into a world",
		Long: `Puts a Sponge schematic (.schem, versions 1 to 3) into a world that is not open and
that no other node hosts, with its lowest north-western corner at a place. Where something lies in a chest
nothing is changed.`,
		Example: `  voxelpopuli world import-schem home house.schem --at "10 64 10"`,
		Args:    exactly(2),
		RunE: withPacks(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			p, err := placeFlag("at", at)
			if err != nil {
				return err
			}
			rep, changed, err := host.ImportSchematic(f, args[0], args[1], p)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has %d blocks; %d changed in %s.\n", args[1], rep.Blocks, changed, args[0])
			sayUnmapped(cmd.OutOrStdout(), &rep)
			return nil
		}),
	}
	cmd.Flags().StringVar(&at, "at", "", `where its lowest north-western corner comes, "x y z"`)
	return cmd
}

// placeFlag reads the place that a flag names.
func placeFlag(name, text string) (world.Pos, error) {
	p, ok := decision.Place(text)
	if !ok {
		return p, fmt.Errorf("%w: --%s %q: want a block in the world, as in \"10 64 -5\"", host.ErrUsage, name, text)
	}
	return p, nil
}
