package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

func worldPacks(c *common) *cobra.Command {
	var add, restore []string
	cmd := &cobra.Command{
		Use:   "packs NAME",
		Short: "Shows the content packs of a world, and gives it others",
		Long: `Shows the content packs of a world, and gives it others (docs/packs.md). The world must
not be open.

--add gives it a pack, or a newer version of a pack of the same name that it has. What it has
keeps its ids; a version that lacks something that the world has is refused. Only the machine
that made the world can: its founder signs the list. Other nodes fetch the packs from this
one, and have to be started again.

--restore puts a pack that is missing or damaged here back: the very same one.`,
		Example: "  voxelpopuli world packs castle\n  voxelpopuli world packs castle --add quarry.zip",
		Args:    exactly(1),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			for _, from := range restore {
				p, err := packFiles(from)
				if err != nil {
					return err
				}
				if _, err := packfolder.In(f.Dir()).Put(p); err != nil {
					return err
				}
			}
			if len(add) > 0 {
				packs, err := packsOf(add)
				if err != nil {
					return err
				}
				if _, err := host.ChangePacks(f, args[0], packs); err != nil {
					return err
				}
			}
			i, err := f.Info(args[0])
			if err != nil {
				return err
			}
			l, err := host.PackList(&i.Meta)
			if err != nil {
				return err
			}
			return printPacks(cmd.OutOrStdout(), packfolder.In(f.Dir()), i.Name, l)
		}),
	}
	cmd.Flags().StringSliceVar(&add, "add", nil, "a pack, a folder or a zip file; may be given several times")
	cmd.Flags().StringSliceVar(&restore, "restore", nil, "a pack that is missing or damaged here, a folder or a zip file")
	return cmd
}

func printPacks(w io.Writer, folder packfolder.Folder, world string, l *packlist.List) error {
	if l == nil {
		_, err := fmt.Fprintf(w, "%s has the base pack alone.\n", world)
		return err
	}
	fmt.Fprintf(w, "%s has the base pack and, since change %d of its packs:\n", world, l.Version)
	for _, h := range l.Packs {
		p, err := folder.Get(h)
		if err != nil {
			fmt.Fprintf(w, "  %x  %v\n", h, err)
			continue
		}
		fmt.Fprintf(w, "  %x  %s\n", h, p.Name())
	}
	_, err := fmt.Fprintf(w, "%d blocks and items, %d mobs.\n", len(l.Names.Blocks), len(l.Names.Mobs))
	return err
}

// withPacks is inFolder for what decodes the world that is named first: this process gets the
// tables of its packs. Of a world whose settings are damaged the command itself says so.
func withPacks(c *common, do func(*cobra.Command, *worldfs.Folder, []string) error) func(*cobra.Command, []string) error {
	return inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
		if i, err := f.Info(args[0]); err == nil {
			if _, _, err := host.UsePacks(f, &i.Meta); err != nil {
				return err
			}
		}
		return do(cmd, f, args)
	})
}

// packsOf reads packs from folders and zip files.
func packsOf(from []string) (all []pack.Files, err error) {
	for _, name := range from {
		p, err := packFiles(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
