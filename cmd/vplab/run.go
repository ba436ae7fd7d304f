package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/campaign"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/catalog"
)

func newList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "Lists the experiments and their settings",
		Example: "  vplab list",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, e := range catalog.Experiments() {
				fmt.Fprintf(w, "%s\t%s\n", e.Name, e.Shows)
				for _, s := range e.Settings {
					fmt.Fprintf(w, "\t  --set %s=%s\t%s %s\n", s.Name, s.Default, s.Unit, s.Text)
				}
			}
			return w.Flush()
		},
	}
}

func newRun() *cobra.Command {
	var o lab.Options
	var set []string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Runs an experiment and prints its figures beside those of the sources",
		Example: `  vplab run terrain
  vplab run soak --set minutes=1 --json soak.json --out results`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			var err error
			if o.Set, err = pairs(set); err != nil {
				return err
			}
			o.Report = cmd.OutOrStdout()
			progress := func(s string) { fmt.Fprintln(cmd.ErrOrStderr(), s) }
			if quiet {
				progress = nil
			}
			e, err := catalog.Find(args[0])
			if err == nil {
				err = lab.Run(ctx, e, o, progress)
			}
			return usageError(err)
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&o.Seed, "seed", 1, "of the first run")
	f.IntVar(&o.Runs, "runs", 1, "how many runs, each with the next seed")
	f.IntVar(&o.Jobs, "jobs", 0, "runs at a time, where they are simulated (default: one for each core)")
	f.StringArrayVar(&set, "set", nil, "a setting: NAME=VALUE (see vplab list)")
	f.StringVar(&o.JSON, "json", "", "file to write the metrics to")
	f.StringVar(&o.Out, "out", "", "folder to write tables, plots and pictures to")
	f.BoolVar(&quiet, "quiet", false, "no progress")
	cmd.AddCommand(newRunAll())
	return cmd
}

// pairs reads NAME=VALUE.
func pairs(set []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%w: --set %s: want NAME=VALUE", host.ErrUsage, s)
		}
		out[name] = value
	}
	return out, nil
}

// interruptible is a command's context that ends with Ctrl-C.
func interruptible(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
}

// usageError gives errors in what was asked for their exit code.
func usageError(err error) error {
	if errors.Is(err, lab.ErrUnknown) || errors.Is(err, lab.ErrSetting) || errors.Is(err, campaign.ErrShard) {
		return fmt.Errorf("%w: %w", host.ErrUsage, err)
	}
	return err
}
