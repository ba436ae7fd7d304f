package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

func newInvite(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "invite",
		Short: "Makes, lists and revokes invitations to a world of this machine",
		Long: `Makes, lists and revokes invitations to a world that this machine has founded. What
is changed while the world is open is in force within seconds, also at its other nodes.`,
		Example: "  voxelpopuli invite list home",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(inviteCreate(c), inviteList(c), inviteRevoke(c))
	return cmd
}

// withInvites makes what is done with a world's invitations a command's RunE.
func withInvites(c *common, do func(*cobra.Command, *host.Invites, []string) error) func(*cobra.Command, []string) error {
	return inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
		v, err := host.OpenInvites(f, args[0])
		if err != nil {
			return err
		}
		return do(cmd, v, args[1:])
	})
}

func inviteCreate(c *common) *cobra.Command {
	var visit, build, hosts bool
	var days int
	var uses uint16
	var note string
	cmd := &cobra.Command{
		Use:   "create WORLD [ADDRESS...]",
		Short: "Makes an invitation",
		Long: `Makes an invitation. Whoever has it can use it until it ends or is revoked, and pass it
on: --uses limits how many players enter by it. ADDRESS is where nodes of the world are reached, IP:PORT.`,
		Example: `  voxelpopuli invite create home 192.0.2.7:4747 --build --host --note Ada
  voxelpopuli invite create home --visit --days 7 --uses 3`,
		Args: between(1, 1+invitation.MaxAddrs),
		RunE: withInvites(c, func(cmd *cobra.Command, v *host.Invites, args []string) error {
			terms := invitation.Terms{Uses: uses}
			switch {
			case visit && build:
				return fmt.Errorf("%w: --build permits to enter as well: give --visit or --build", host.ErrUsage)
			case visit:
				terms.Permits = invitation.Visit
			case build || !hosts:
				terms.Permits = invitation.Build
			}
			if hosts {
				terms.Permits |= invitation.Host
			}
			if hosts && uses > 0 {
				return fmt.Errorf("%w: --uses counts players: it cannot limit an invitation to --host", host.ErrUsage)
			}
			if days > 0 {
				terms.Until = time.Now().AddDate(0, 0, days).Unix()
			}
			addrs, err := host.InvitationAddrs(cmd.Context(), args)
			if err != nil {
				return err
			}
			m, err := v.Create(terms, note)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), m.At(addrs).Text())
			return err
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&visit, "visit", false, "it permits to enter the world and look around, and to change nothing")
	f.BoolVar(&build, "build", false, "it permits to enter the world and build (default unless --visit or --host is given)")
	f.BoolVar(&hosts, "host", false, "it permits to host the world as a node")
	f.IntVar(&days, "days", 0, "how many days it is valid; 0: until it is revoked")
	f.Uint16Var(&uses, "uses", 0, "how many players may enter by it; 0: any number")
	f.StringVar(&note, "note", "", "for whom it is, for the list")
	return cmd
}

func inviteList(c *common) *cobra.Command {
	return &cobra.Command{
		Use:     "list WORLD",
		Short:   "Lists the invitations to a world",
		Example: "  voxelpopuli invite list home",
		Args:    exactly(1),
		RunE: withInvites(c, func(cmd *cobra.Command, v *host.Invites, _ []string) error {
			all, err := v.List()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tPERMITS\tMADE\tSTATE\tNOTE")
			for _, m := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.ID().Short(), m.Permits, m.Created.Format(time.DateOnly), m.State(time.Now()), m.Note)
			}
			return w.Flush()
		}),
	}
}

func inviteRevoke(c *common) *cobra.Command {
	var stay bool
	cmd := &cobra.Command{
		Use:   "revoke WORLD ID",
		Short: "Revokes an invitation",
		Long: `Revokes an invitation, by the first digits of its id (invite list). Nobody enters or
joins by it any more. Players who are in the world stay until they leave; nodes that
joined by it are cut off, unless --keep-hosts is given.`,
		Example: "  voxelpopuli invite revoke home 2b2b4f1e --keep-hosts",
		Args:    exactly(2),
		RunE: withInvites(c, func(cmd *cobra.Command, v *host.Invites, args []string) error {
			m, err := v.Revoke(args[0], stay)
			if err != nil {
				return err
			}
			text := fmt.Sprintf("Revoked %s.\n", m.ID().Short())
			if m.Shared {
				text += "It was the one that --share hands out: a node that runs shares none until it starts again. To have one now: voxelpopuli invite create WORLD\n"
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		}),
	}
	cmd.Flags().BoolVar(&stay, "keep-hosts", false, "nodes that joined by it go on hosting the world")
	return cmd
}

func worldHosts(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hosts WORLD [list | remove ID]",
		Short: "Lists and removes the nodes that host a world of this machine",
		Long: `Lists the nodes that were let into a world that this machine has founded, or removes
one, by the first digits of its id. A removed node is cut off at once and stays out; the
invitation that it joined by is revoked, other nodes that joined by that one stay.`,
		Example: "  voxelpopuli world hosts home\n  voxelpopuli world hosts home remove c305427c",
		Args:    between(1, 3),
		RunE: withInvites(c, func(cmd *cobra.Command, v *host.Invites, args []string) error {
			switch {
			case len(args) == 0 || len(args) == 1 && args[0] == "list":
				return printHosts(cmd, v)
			case len(args) == 2 && args[0] == "remove":
				n, err := v.Remove(args[1])
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), n.RemovedText())
				}
				return err
			}
			return fmt.Errorf("%w: want list, or remove ID (usage: %s)", host.ErrUsage, cmd.UseLine())
		}),
	}
	return cmd
}

func printHosts(cmd *cobra.Command, v *host.Invites) error {
	nodes, err := v.Nodes()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	var ids []id.ID
	for _, n := range nodes {
		ids = append(ids, n.Node)
	}
	fmt.Fprintln(w, "NODE\tINVITATION\tFIRST SEEN\tLAST SEEN\tSTATE")
	for _, n := range nodes {
		by, state := "none", "admitted"
		if !n.Invitation.IsZero() {
			by = n.Invitation.Short()
		}
		if n.Removed {
			state = "removed"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", host.Digits(n.Node, ids), by, n.First.Format(time.DateTime), n.Last.Format(time.DateTime), state)
	}
	return w.Flush()
}
