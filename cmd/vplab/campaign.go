package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/campaign"
)

func newRunAll() *cobra.Command {
	var o campaign.Options
	var shard string
	cmd := &cobra.Command{
		Use:   "all",
		Short: "Runs all experiments, or continues where it was interrupted",
		Long: "Runs all experiments with the sources' sizes, the simulated ones side by side, and writes\n" +
			"their tables, plots and records to a folder. What is complete there is not done again.",
		Example: `  vplab run all --out results
  vplab run all --out results --size short --only overlay,storage
  vplab run all --out shard-2 --shard 2/8
  vplab run all --out shard-2 --shard 2/8 --from merged`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
			o.Say = func(s string) { fmt.Fprintln(cmd.ErrOrStderr(), s) }
			if shard != "" {
				var rest string
				if n, _ := fmt.Sscanf(shard+" .", "%d/%d %s", &o.Shard, &o.Shards, &rest); n != 3 || rest != "." {
					return fmt.Errorf("%w: --shard %s: want I/N, I from 0", host.ErrUsage, shard)
				}
			}
			return usageError(campaign.Run(ctx, o))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "", "folder for the results (required)")
	f.StringVar(&o.Size, "size", campaign.Full, campaign.Full+": the sources' sizes; "+campaign.Short+": small ones, which only show that all works")
	f.StringVar(&o.Only, "only", "", "only parts whose names begin so: PREFIX,… (default: all)")
	f.Uint64Var(&o.Seed, "seed", 1, "of the first run of each part")
	f.IntVar(&o.Jobs, "jobs", 0, "simulations at a time (default: one for each core)")
	f.IntVar(&o.MB, "memory", 0, "MB that they may take (default: most of what is free)")
	f.StringVar(&shard, "shard", "", "do only one share: I/N, I from 0 to N-1; then use vplab merge")
	f.StringSliceVar(&o.From, "from", nil, "folders of other shares, or of what was merged: DIR,…; their runs are not done again. Searches need it to go on")
	_ = cmd.MarkFlagRequired("out") // the flag is there
	return cmd
}

func newMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "merge DIR...",
		Short:   "Makes one folder of what the shares of a campaign have left",
		Example: "  vplab merge --out results shard-0 shard-1 shard-2",
		Args:    usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			return usageError(campaign.Merge(ctx, out, args, func(s string) { fmt.Fprintln(cmd.ErrOrStderr(), s) }))
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder for the results (required)")
	_ = cmd.MarkFlagRequired("out") // the flag is there
	return cmd
}
