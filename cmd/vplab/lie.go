package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

func newLie() *cobra.Command {
	var join string
	var l nodelab.Liar
	cmd := &cobra.Command{
		Use:   "lie",
		Short: "Hosts a share of a world and lies about a region, to see how that is caught",
		Long: "Joins a world as a host, by an invitation or an address of one of its nodes, and lies once\n" +
			"about a region that it leads and in which somebody is. Its folder is new and goes when it ends.\n" +
			"The lies:\n  " + strings.Join(nodelab.LieNames(), "\n  "),
		Example: `  vplab lie --join vp-...
  vplab lie --join 192.0.2.7 --lie "drops an acknowledged edit"`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			dir, err := os.MkdirTemp("", "voxelpopuli-liar-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			cfg := nodelab.LabConfig(dir, nil)
			cfg.Nodes = ":0"
			if strings.HasPrefix(join, "vp-") {
				if cfg.Invitation, err = invitation.Parse(join); err != nil {
					return fmt.Errorf("%w: %w", host.ErrUsage, err)
				}
				for _, at := range cfg.Invitation.Addrs {
					cfg.Join = append(cfg.Join, at.String())
				}
			} else {
				cfg.Join = []string{join}
			}
			l.Out = cmd.OutOrStdout()
			return l.Run(ctx, cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&join, "join", "", "an invitation to host, or the address of a node of the world (required)")
	f.StringVar(&l.Lie, "lie", nodelab.LieNames()[0], "what it does")
	f.DurationVar(&l.After, "after", 20*time.Second, "how long somebody must have been in a region that it leads")
	_ = cmd.MarkFlagRequired("join") // the flag is there
	return cmd
}
