package host

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
)

// Who may reach this machine. Nothing listens beyond it unless that was asked for:
// by sharing the world (Share, or an address to Listen on), by joining nodes
// elsewhere, or earlier, when other machines came to host it (widen).

// everywhere listens on all addresses of this machine.
const everywhere = "0.0.0.0"

// openToOthers chooses what the ports for players and for nodes listen on.
func (r *Runner) openToOthers() error {
	if r.Share && r.Alone {
		return fmt.Errorf("%w: --share lets other nodes in and --alone does not: to let players in alone use --listen %s", ErrUsage, everywhere)
	}
	if r.Share && !r.TLS.wanted() && (r.Listen == "" || r.Loopback() && !strings.Contains(r.Listen, ":")) {
		r.Listen = everywhere
	}
	r.Share = r.Share || !r.Alone && !r.Loopback()
	return r.openToNodes()
}

// openToNodes chooses the port for other nodes: that of the players, unless it was
// chosen.
func (r *Runner) openToNodes() error {
	if r.Alone {
		r.MapPort = r.mapsPort()
		return nil
	}
	if r.Nodes == "" {
		addr, err := r.withDefaults().address()
		if err != nil {
			return err
		}
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			return err
		}
		name := "127.0.0.1"
		if r.Share || r.joinsElsewhere() {
			name = ""
		}
		r.Nodes, r.Widen = net.JoinHostPort(name, port), name != ""
	}
	r.MapPort = r.mapsPort()
	return nil
}

func (r *Runner) joinsElsewhere() bool {
	return slices.ContainsFunc(r.Join, func(a string) bool { return !near(a) })
}

// mapsPort reports whether a router is asked to open ports: if that is of use to
// others, because they may play here or it joins them.
func (r *Runner) mapsPort() bool {
	return !r.NoPortMapping && (!r.Loopback() || !near(r.Nodes) && (r.Share || r.joinsElsewhere()))
}

// near reports whether an address is of this machine only.
func near(addr string) bool {
	name, _, err := net.SplitHostPort(addr)
	if err != nil {
		name = strings.Trim(addr, "[]")
	}
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// accept takes an invitation to join by.
func (r *Runner) accept(text string) error {
	if r.Invitation != nil {
		return fmt.Errorf("%w: --join has two invitations", ErrUsage)
	}
	i, err := invitation.Parse(text)
	if err != nil {
		return fmt.Errorf("%w: --join: %w", ErrUsage, err)
	}
	if i.Permits&invitation.Host == 0 {
		return fmt.Errorf("%w: this invitation is to visit the world as a player, not to host it: open its link in a browser", ErrUsage)
	}
	if len(i.Addrs) == 0 && len(r.Join) == 1 {
		return fmt.Errorf("%w: this invitation names no address: add one of a node of the world (--join INVITATION,ADDRESS)", ErrUsage)
	}
	r.Invitation = i
	return nil
}

// reportHosting tells the person who started the world who may host it, if that is
// not what it would be in a new world.
func (r *Runner) reportHosting(h *Host) {
	p := h.peers
	if p == nil || p.record.Genesis.Verified() || p.access.Invited() {
		return
	}
	_, nodes := h.Listens()
	if p.record.Hosting == genesis.HostingBefore {
		r.say("\n%s was made before there were invitations: any node that reaches one of its nodes may host a share of it.", h.World().Name)
		r.say("From now on this machine lets nodes in only with --share or --listen (now: %s). To admit invited nodes only,", yesNo(nodes))
		r.say("make a copy that asks for invitations: voxelpopuli world export %q FILE, then voxelpopuli world import FILE NAME.", h.World().Name)
	}
	if nodes && r.JoinCode != "" {
		r.say("\nAny node may host this world, and players who enter through another node do not need this one's join code.")
	}
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
