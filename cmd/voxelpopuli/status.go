package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/host"
)

func newStatus(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status [ADDRESS|BOOKMARK]",
		Short:   "Asks a world that is open how it does",
		Example: "  voxelpopuli status\n  voxelpopuli status 127.0.0.1:4747 --json",
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr := fmt.Sprintf("%s:%d", host.DefaultListen, host.DefaultPort)
			if len(args) > 0 {
				addrs, err := host.Resolve(c.data, args[0])
				if err != nil {
					return err
				}
				addr = addrs[0]
			}
			if asJSON {
				b, err := host.AskJSON(cmd.Context(), addr)
				if err == nil {
					_, err = cmd.OutOrStdout().Write(b)
				}
				return err
			}
			s, err := host.Ask(cmd.Context(), addr)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "world\t%s (%s)\n", s.World.Name, s.World.ID)
			fmt.Fprintf(w, "players\t%d, %d connections\n", s.Players, s.Connections)
			fmt.Fprintf(w, "regions awake\t%d\n", s.Regions)
			fmt.Fprintf(w, "tick\t%d, %.2f ms median, %.2f ms p99\n", s.Tick, s.TickP50, s.TickP99)
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the node's answer as it is")
	return cmd
}
