package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

func worldBookmarks(c *common) *cobra.Command {
	var asJSON, remove bool
	var world string
	cmd := &cobra.Command{
		Use:   "bookmarks [NAME [ADDRESS...]]",
		Short: "Lists, keeps and removes the addresses of worlds elsewhere",
		Long: `Lists, keeps and removes the addresses of worlds elsewhere. Where a command
takes an address of a world it takes the name of a bookmark as well.`,
		Example: `  voxelpopuli world bookmarks
  voxelpopuli world bookmarks friends 192.168.1.5:4747 example.org:4747
  voxelpopuli world bookmarks friends --remove`,
		Args: between(0, 17),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return printBookmarks(cmd, c, asJSON)
			case remove:
				return host.Forget(c.data, args[0])
			}
			m := host.Bookmark{Name: args[0], Addrs: args[1:]}
			if world != "" {
				var err error
				if m.World, err = id.Parse(world); err != nil {
					return fmt.Errorf("%w: --id: %w", host.ErrUsage, err)
				}
			}
			return m.Keep(c.data)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&remove, "remove", false, "remove it")
	f.StringVar(&world, "id", "", "the world's id, if you know it")
	return cmd
}

func printBookmarks(cmd *cobra.Command, c *common, asJSON bool) error {
	all, err := host.Bookmarks(c.data)
	if err != nil {
		return err
	}
	if asJSON {
		return encodeJSON(cmd.OutOrStdout(), append([]host.Bookmark{}, all...))
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, m := range all {
		world := ""
		if !m.World.IsZero() {
			world = m.World.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", m.Name, strings.Join(m.Addrs, ", "), world)
	}
	return w.Flush()
}
