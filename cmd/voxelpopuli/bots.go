package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/bot"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

func newBots(common *common) *cobra.Command {
	var c bot.Config
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bots",
		Short: "Lets bots play in a world",
		Long: `Lets bots play in a world: through the same client library that browsers are
served with. Who finds the world full waits until there is room. Ctrl-C ends it
with the summary.

Their keys are kept in the data folder, so they are the same players the next
time. Bots of another machine, or with another --data, need another --name.`,
		Example: `  voxelpopuli bots --players 20 --behaviour build
  voxelpopuli bots --players 300 --behaviour crowd --duration 1m --join 192.168.1.5:4747 --join-code sesame`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if !asJSON {
				c.Progress = func(p bot.Progress) {
					waiting := ""
					if p.Waiting > 0 {
						waiting = fmt.Sprintf("%d waiting (full), ", p.Waiting)
					}
					fmt.Fprintf(cmd.ErrOrStderr(), "%4.0f s  %d in, %s%d failed, %.0f frames/s, %.1f kB/s, round trip %.1f ms\n",
						p.Elapsed.Seconds(), p.Joined, waiting, p.Failed, p.Frames, p.Bytes/1000, float64(p.RoundTrip)/float64(time.Millisecond))
				}
			}
			addrs, err := host.Resolve(common.data, c.Addr)
			if err != nil {
				return err
			}
			if c.Addr, err = host.OwnAddress(common.data, addrs[0]); err != nil {
				return err
			}
			ring, err := keyring.Open(common.data)
			if err != nil {
				return err
			}
			c.Identity = func(name string) (client.Identity, error) {
				k, err := ring.Player(name)
				return client.Identity{Name: name, Key: k.Private}, err
			}
			sum, err := bot.Run(ctx, c)
			var no *wire.Refused
			if errors.As(err, &no) && no.Code == wire.NameTaken {
				return fmt.Errorf("%w (--name calls all of these bots something else)", err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(sum)
			}
			sum.Print(cmd.OutOrStdout())
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Players, "players", 10, "how many")
	f.StringVar(&c.Behaviour, "behaviour", bot.Behaviours[0], "what they do: wander, build, crowd or mine")
	f.StringVar(&c.Addr, "join", fmt.Sprintf("%s:%d", host.DefaultListen, host.DefaultPort), "address of the world, or its bookmark")
	f.StringVar(&c.Code, "join-code", "", "join code of the world")
	f.DurationVar(&c.Duration, "duration", 0, "how long, from when all are in or wait for room (default until Ctrl-C)")
	f.Float64Var(&c.Ramp, "ramp", 20, "how many come in each second")
	f.IntVar(&c.View, "view", 0, "how far they see, in columns of 32 m (default 4, a crowd 3)")
	f.StringVar(&c.Name, "name", "Bot", "what their names begin with")
	f.DurationVar(&c.Chatter, "chatter", 0, "how often each says something; 0: never")
	f.Uint64Var(&c.Seed, "bot-seed", 1, "of what they do")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON, and nothing else")
	return cmd
}
