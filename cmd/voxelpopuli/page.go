package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/page"
	"github.com/voxelpopuli/voxelpopuli/web"
)

func newPage() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "page --out DIR",
		Short: "Writes the game's page for a web server",
		Long: `Writes the game's page as static files for any web server. The page knows no particular
world: a link says which one, so one copy serves all worlds. Nodes print links to it with
--page URL. Browsers reach the nodes of a link directly, over encrypted data channels.`,
		Example: "  voxelpopuli page --out public",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := page.Write(web.Files(), out)
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %d files to %s.\n", n, out)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder that the files are written to")
	_ = cmd.MarkFlagRequired("out") // the flag is there
	return cmd
}
