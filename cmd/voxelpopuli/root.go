package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

const rootLong = `Voxel Populi: a world to build in that lives on its players' own machines.

Settings come from flags, then from environment variables (--join-code is
VOXELPOPULI_JOIN_CODE), then from config.json in the data folder
({"join-code": "..."}), then from the defaults shown here.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 port in use, 4 world open
elsewhere, 5 no such world or name taken, 6 disk full, 7 no node answers,
8 data that cannot be read.`

// common are the settings that every command has.
type common struct {
	data     string
	logLevel string
	logJSON  bool
}

func newRoot(out, errs io.Writer) *cobra.Command {
	c := &common{}
	root := &cobra.Command{
		Use:           "voxelpopuli",
		Short:         "A world to build in that lives on its players' own machines",
		Long:          rootLong,
		Example:       "  voxelpopuli            # plays in the world home\n  voxelpopuli play --share",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := configure(cmd, &c.data); err != nil {
				return err
			}
			return c.logging(errs)
		},
	}
	play := newPlay(c)
	// Without a command, as after a double click, the program plays.
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		play.SetContext(cmd.Context())
		if err := configure(play, &c.data); err != nil {
			return err
		}
		return play.RunE(play, nil)
	}
	root.SetOut(out)
	root.SetErr(errs)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: %w (see %s --help)%s", host.ErrUsage, err, cmd.CommandPath(), meantFlag(cmd, err))
	})
	f := root.PersistentFlags()
	f.StringVar(&c.data, "data", host.DefaultData(), "folder that worlds are kept in")
	f.StringVar(&c.logLevel, "log-level", "warn", "what to log: debug, info, warn or error")
	f.BoolVar(&c.logJSON, "log-json", false, "log as JSON, one object a line")
	root.AddCommand(play, newNode(c), newWorld(c), newInvite(c), newIdentity(c), newAuthority(c), newEvidence(), newBots(c), newPage(), newPack(), newStatus(c), newConsole(c), newVersion())
	return root
}

// logging sets up the log, which goes to the error output.
func (c *common) logging(errs io.Writer) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return fmt.Errorf("%w: --log-level %q: want debug, info, warn or error", host.ErrUsage, c.logLevel)
	}
	o := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(errs, o)
	if c.logJSON {
		h = slog.NewJSONHandler(errs, o)
	}
	slog.SetDefault(slog.New(h))
	return nil
}

// noArgs and exactly are cobra's, as errors of usage.
func noArgs(cmd *cobra.Command, args []string) error {
	err := usage(cmd, cobra.NoArgs(cmd, args))
	if meant := meantCommand(cmd, args); err != nil && meant != "" {
		return fmt.Errorf("%w.%s", err, meant)
	}
	return err
}

func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return usage(cmd, cobra.ExactArgs(n)(cmd, args)) }
}

func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return usage(cmd, cobra.RangeArgs(least, most)(cmd, args))
	}
}

func usage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w (usage: %s)", host.ErrUsage, err, cmd.UseLine())
}
