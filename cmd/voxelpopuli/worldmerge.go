package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

const worldMergeLong = `Shows what nodes of the world that is open on this machine, its founder's, have put
aside: states of groups that gave way to another group of the same region, and changes that
could not be merged because others had changed the same blocks.

With the name of one of these it shows how many blocks of its region differ now, and where.
With --apply it makes these blocks as they are there,
while players are in the region. Players, what they carry and filled containers stay.`

// mergeTime is how long a node may take to answer; operatorAgain is when to ask again if it
// does not know yet that the console is an operator's.
const (
	mergeTime     = 15 * time.Second
	operatorAgain = 300 * time.Millisecond
)

func worldMerge(c *common) *cobra.Command {
	var apply bool
	var at string
	cmd := &cobra.Command{
		Use:     "merge [NAME]",
		Short:   "Shows and applies what nodes have put aside of the world that is open here",
		Long:    worldMergeLong,
		Example: "  voxelpopuli world merge\n  voxelpopuli world merge 3fa2c1d0\n  voxelpopuli world merge 3fa2c1d0 --apply",
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			line := "/states aside"
			switch {
			case len(args) == 1 && apply:
				line = "/states restore " + args[0]
			case len(args) == 1:
				line = "/states show " + args[0]
			case apply:
				return fmt.Errorf("%w: want the NAME of what is to be applied (usage: %s)", host.ErrUsage, cmd.UseLine())
			}
			var address []string
			if at != "" {
				address = append(address, at)
			}
			addr, local, err := c.openWorld(address)
			if err != nil {
				return err
			}
			console, err := host.DialConsole(cmd.Context(), addr, local)
			if err != nil {
				return err
			}
			defer console.Close()
			ctx, cancel := context.WithTimeout(cmd.Context(), mergeTime)
			defer cancel()
			answer, err := askConsole(ctx, console, line)
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), answer)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "make the region's blocks as they are there")
	cmd.Flags().StringVar(&at, "at", "", "address of the open world, if it is not the usual one")
	return cmd
}

// askConsole runs a command of this machine and waits for the answer.
func askConsole(ctx context.Context, console *host.Console, line string) (string, error) {
	if err := console.Say(ctx, line); err != nil {
		return "", err
	}
	for {
		e, _, err := console.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return "", fmt.Errorf("%w: the console has not answered within %v. Is this the founder's machine?", host.ErrNoNode, mergeTime)
		case err != nil:
			return "", errors.Join(host.ErrNoNode, err)
		case e.Event == "reply":
			return e.Line, nil
		case e.Event == "error": // it may not be known as an operator yet
			time.Sleep(operatorAgain)
			if err := console.Say(ctx, line); err != nil {
				return "", err
			}
		}
	}
}
