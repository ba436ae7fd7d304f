package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

const consoleLong = `Connects to a world that is open on this machine. It prints the chat, who comes and
goes, and deaths. It sends each line of its input to the chat, or runs it as an
operator's command if it begins with a slash. When the input ends, it waits for
answers (--wait) and exits; with --follow it keeps printing.`

func newConsole(c *common) *cobra.Command {
	var asJSON, follow bool
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "console [ADDRESS|BOOKMARK]",
		Short:   "Reads and writes the chat of a world that is open, and commands it",
		Long:    consoleLong,
		Example: "  voxelpopuli console\n  echo /list | voxelpopuli console\n  voxelpopuli console --json --follow </dev/null",
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr, local, err := c.openWorld(args)
			if err != nil {
				return err
			}
			console, err := host.DialConsole(cmd.Context(), addr, local)
			if err != nil {
				return err
			}
			defer console.Close()
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			go func() {
				if sayLines(ctx, console, cmd.InOrStdin()) == nil && !follow {
					time.Sleep(wait) // for answers
					cancel()
				}
			}()
			return printEvents(ctx, console, cmd.OutOrStdout(), asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print each event as a JSON object on a line")
	f.BoolVar(&follow, "follow", false, "go on after the end of the input")
	f.DurationVar(&wait, "wait", time.Second, "how long to wait for answers after the end of the input")
	return cmd
}

// sayLines says what comes, to its end.
func sayLines(ctx context.Context, console *host.Console, in io.Reader) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := console.Say(ctx, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// printEvents prints until the context or the console ends.
func printEvents(ctx context.Context, console *host.Console, out io.Writer, asJSON bool) error {
	for {
		e, text, err := console.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return errors.Join(host.ErrNoNode, err)
		case asJSON:
			_, err = fmt.Fprintf(out, "%s\n", text)
		default:
			_, err = fmt.Fprintf(out, "%s %s\n", e.Time.Local().Format("15:04:05"), e.Line)
		}
		if err != nil {
			return err
		}
	}
}
