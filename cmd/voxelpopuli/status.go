package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

func newStatus(c *common) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:     "status [ADDRESS|BOOKMARK]",
		Short:   "Asks a world that is open how it does",
		Example: "  voxelpopuli status\n  voxelpopuli status --all\n  voxelpopuli status 127.0.0.1:4747 --json",
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr, local, err := c.openWorld(args)
			if err != nil {
				return err
			}
			if asJSON {
				b, err := host.AskJSON(cmd.Context(), addr, local)
				if err == nil {
					_, err = cmd.OutOrStdout().Write(b)
				}
				return err
			}
			s, err := host.Ask(cmd.Context(), addr, local)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			printStatus(w, &s)
			if all {
				printAll(w, &s.Hosting)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the node's answer as it is")
	cmd.Flags().BoolVar(&all, "all", false, "print every shard, node and neighbour as well")
	return cmd
}

// openWorld is the address of a world that is open, which an argument may name, and the
// secret of this machine's data folder.
func (c *common) openWorld(args []string) (addr string, local keyring.LocalSecret, err error) {
	addr = fmt.Sprintf("%s:%d", host.DefaultListen, host.DefaultPort)
	if len(args) > 0 {
		addrs, err := host.Resolve(c.data, args[0])
		if err != nil {
			return "", "", err
		}
		addr = addrs[0]
	}
	local, err = keyring.ReadLocal(c.data)
	return addr, local, err
}

// printStatus prints what a person wants to know of a world that is open.
func printStatus(w io.Writer, s *gateway.Status) {
	fmt.Fprintf(w, "world\t%s (%s)\n", s.World.Name, s.World.ID)
	if s.Sharing != nil {
		printSharing(w, s.Sharing)
	}
	fmt.Fprintf(w, "players\t%d, %d connections\n", s.Players, s.Connections)
	fmt.Fprintf(w, "regions awake\t%d\n", s.Regions)
	fmt.Fprintf(w, "tick\t%d, %.2f ms median, %.2f ms p99\n", s.Tick, s.TickP50, s.TickP99)
	fmt.Fprintf(w, "disk\t%d writes in %d syncs, %d bytes, the slowest %.1f ms\n", s.Disk.Writes, s.Disk.Syncs, s.Disk.Bytes, s.Disk.MaxSyncMs)
	h := &s.Hosting
	if h.Node == "" {
		fmt.Fprintf(w, "node\tno other node can host this world\n")
		return
	}
	fmt.Fprintf(w, "node\t%s at %s\n", h.Node, h.Address)
	fmt.Fprintf(w, "hosts\tleads %d, has %d shards of the world; %d other nodes, %d links\n", h.Leads, h.Replicas, len(h.Peers), h.Links)
	printCapacity(w, h)
	if o := h.Overlay; o != nil {
		state := "looking for its neighbours"
		if o.Stable {
			state = "stable"
		}
		fmt.Fprintf(w, "overlay\tat %d,%d, %s, %d neighbours, %d links, revocations version %d\n", o.Place[0], o.Place[1], state, len(o.Neighbours), o.Links, o.Revocations)
	}
	if t := h.Storage; t != nil {
		fmt.Fprintf(w, "storage\tzone %d of %d, update %d, %d zones agreed, %d objects, %d cells unknown, %d updates failed\n", t.Zone, t.Zones, t.Update, t.Votes, t.Objects, t.Unknown, t.Failed)
		printMisconduct(w, t)
	}
}

// printSharing shows what to send to those who are to join.
func printSharing(w io.Writer, s *gateway.Sharing) {
	for _, page := range s.Pages {
		fmt.Fprintf(w, "friends\t%s\n", page)
	}
	if s.Invitation != "" {
		fmt.Fprintf(w, "to host\tvoxelpopuli play --join %s\n", s.Invitation)
	}
}

// maxShown bounds the reports on other nodes without --all.
const maxShown = 3

// printMisconduct shows the newest reports on nodes that did what they must not.
func printMisconduct(w io.Writer, t *gateway.Storage) {
	for _, c := range t.Accusations[max(0, len(t.Accusations)-maxShown):] {
		fmt.Fprintf(w, "accused\t%s, which ran region %d,%d at %s: it %s\n", c.Leader, c.Region[0], c.Region[1], c.Time.Format(time.RFC3339), c.What)
	}
	for _, a := range t.Accused[max(0, len(t.Accused)-maxShown):] {
		printAccused(w, &a)
	}
}

// printAll prints what printStatus leaves out or cuts.
func printAll(w io.Writer, s *gateway.Hosting) {
	if s.Node == "" {
		return
	}
	fmt.Fprintf(w, "network\t%d bytes sent, %d received, %d packets dropped\n", s.NetOut, s.NetIn, s.NetDrops)
	for _, p := range s.Peers {
		fmt.Fprintf(w, "peer\t%s at %s, %.2f ms\n", p.Node[:8], p.Address, p.Trip)
	}
	if o := s.Overlay; o != nil {
		fmt.Fprintf(w, "cell\t%s\n", cellText(o.Cell))
		for _, n := range o.Neighbours {
			fmt.Fprintf(w, "neighbour\t%s at %d,%d, cell %s\n", n.Node[:8], n.Place[0], n.Place[1], cellText(n.Cell))
		}
	}
	if t := s.Storage; t != nil {
		if v := t.Audit; v != nil {
			fmt.Fprintf(w, "audit\tupdate %d, %d edits agreed, %d waiting, %d given up, %d columns compared, %d blocks differ\n", v.Update, v.Taken, v.Waiting, v.Refused, v.Compared, v.Differing)
		}
		for _, c := range t.Accusations[:max(0, len(t.Accusations)-maxShown)] {
			fmt.Fprintf(w, "accused\t%s, which ran region %d,%d at %s: it %s\n", c.Leader, c.Region[0], c.Region[1], c.Time.Format(time.RFC3339), c.What)
		}
		printStorage(w, t)
	}
	for _, r := range s.Shards {
		state := "awake"
		if !r.Awake {
			state = "asleep"
		}
		fmt.Fprintf(w, "shard %s\t%s here, led by %s, replicas at %s, %s\n", r.Shard, r.Role, r.Leader, strings.Join(r.Members, " "), state)
	}
}

// printStorage shows who stores what of the world, how it is agreed on, and
// older proofs that somebody said otherwise.
func printStorage(w io.Writer, t *gateway.Storage) {
	for _, p := range t.Cells {
		fmt.Fprintf(w, "stores\t%s for zone %d, %s\n", p.Node[:8], p.Zone, cellText(p.Cell))
	}
	for _, l := range t.Observed {
		how := "disputed"
		if l.Agreed {
			how = "agreed"
		}
		var by []string
		for _, s := range l.Storers {
			by = append(by, fmt.Sprintf("%s (%d)", s.Node[:8], s.Zone))
		}
		fmt.Fprintf(w, "region %d,%d\t%s at update %d, stored by %s\n", l.Region[0], l.Region[1], how, t.ObservedAt, strings.Join(by, " "))
	}
	for _, a := range t.Accused[:max(0, len(t.Accused)-maxShown)] {
		printAccused(w, &a)
	}
}

// printAccused shows what was proven against a node.
func printAccused(w io.Writer, a *gateway.Accused) {
	state := "not cut off"
	if a.Cut {
		state = "cut off"
	}
	fmt.Fprintf(w, "tampered\t%s, %d proofs, last at %s: region %d,%d of update %d, against %d zones; %s\n",
		a.Node, a.Proofs, a.Time.Format(time.RFC3339), a.Region[0], a.Region[1], a.Update, a.Zones, state)
}

// printCapacity shows what a node carries of what it may.
func printCapacity(w io.Writer, s *gateway.Hosting) {
	c := &s.Capacity
	of := func(used, limit int) string {
		if limit == 0 {
			return fmt.Sprint(used)
		}
		return fmt.Sprintf("%d of %d", used, limit)
	}
	more := "takes on more"
	if c.Full {
		more = "takes on nothing more"
	}
	fmt.Fprintf(w, "capacity\t%s shards, %s players in those it leads, %s MB of memory, %s KB/s to other nodes: %s\n",
		of(s.Replicas, c.Regions), of(c.PlayersHere, c.Players), of(c.MemoryUsed, c.Memory), of(c.UploadUsed, c.Upload), more)
}

// cellText is the corners of a cell in metres.
func cellText(cell [][2]int32) string {
	var out []string
	for _, c := range cell {
		out = append(out, fmt.Sprintf("%d,%d", c[0], c[1]))
	}
	return strings.Join(out, " ")
}
