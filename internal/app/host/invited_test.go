package host_test

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// invited is the configuration of a founder of a world that only invited nodes host.
func invited(t *testing.T) host.Config {
	t.Helper()
	c := config(t)
	c.Nodes, c.Share = "127.0.0.1:0", true
	folder := folderOf(t, c)
	if _, err := host.CreateWorld(folder, host.NewWorld{
		Name: host.DefaultWorld, Seed: c.Seed, Mode: c.Mode, Genesis: worldfs.OpenGenesis(1),
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

// joiner is the configuration of a node that joins by an invitation.
func joiner(t *testing.T, i *invitation.Invitation) host.Config {
	t.Helper()
	c := config(t)
	c.Nodes, c.Invitation = "127.0.0.1:0", i
	for _, a := range i.Addrs {
		c.Join = append(c.Join, a.String())
	}
	return c
}

func invites(t *testing.T, c host.Config) *host.Invites {
	t.Helper()
	folder, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := host.OpenInvites(folder, host.DefaultWorld)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// enters tries to come in as a player and returns why not.
func enters(t *testing.T, h *host.Host, name, code string) wire.Code {
	t.Helper()
	_, why := visit(t, h, identity(t, name), code)
	return why
}

// visit comes in as a player from elsewhere, who does not know the secret of the data
// folder, and leaves again. It returns whether that player is an operator, or why it
// was refused.
func visit(t *testing.T, h *host.Host, who client.Identity, code string) (operator bool, why wire.Code) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, welcome, err := client.Dial(ctx, h.Addr().String(), who, code)
	if err != nil {
		return false, refused(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	return welcome.Operator, ""
}

// linked reports whether a node has a link to another.
func linked(t *testing.T, h *host.Host) bool {
	t.Helper()
	s, err := h.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(s.Linked) > 0
}

// TestStrangersGetNothing: without an invitation nobody learns how an invited world
// begins, joins it as a node, or enters it as a player; with one they do.
func TestStrangersGetNothing(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	one := start(t, invited(t))
	inv := one.Invitation()
	if inv == nil || len(inv.Addrs) != 1 {
		t.Fatalf("the founder shares %+v", inv)
	}
	stranger := config(t)
	stranger.Nodes, stranger.Join = "127.0.0.1:0", []string{one.NodeAddr().String()}
	if _, err := host.Start(stranger); err == nil || !strings.Contains(err.Error(), "invitation") {
		t.Errorf("a node without an invitation: %v", err)
	}
	if got, err := os.ReadDir(filepath.Join(stranger.Data, "worlds")); err == nil && len(got) > 0 {
		t.Errorf("a stranger has got %v", got)
	}
	if why := enters(t, one, "Eve", ""); why != wire.BadCode {
		t.Errorf("a player without an invitation: %q", why)
	}
	two := start(t, joiner(t, inv))
	until(t, "the invited node to have a link", func() bool { return linked(t, two) })
	if why := enters(t, one, "Ann", inv.Text()); why != "" {
		t.Errorf("an invited player is refused: %q", why)
	}
	if why := enters(t, two, "Bo", ""); why != "" { // at that node's own machine
		t.Errorf("a player of the invited node is refused: %q", why)
	}
}

// TestOwnerGoesOn: the owner of a joined node, who knows no code, gets one from it that
// lets this player in at the founder's node, and no other player.
func TestOwnerGoesOn(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	one := start(t, invited(t))
	two := start(t, joiner(t, one.Invitation()))
	until(t, "the invited node to have a link", func() bool { return linked(t, two) })
	bea := identity(t, "Bea")
	code := elsewhere(t, two, bea)
	if code == "" || invitation.Is(code) {
		t.Fatalf("the code for other nodes is %q: it has to be the player's own", code)
	}
	if _, why := visit(t, one, bea, ""); why != wire.BadCode {
		t.Errorf("without the code: %q", why)
	}
	if _, why := visit(t, one, bea, code); why != "" {
		t.Errorf("with the code: %q", why)
	}
	if why := enters(t, one, "Eve", code); why != wire.BadCode {
		t.Errorf("somebody else with the code: %q", why)
	}
}

// elsewhere comes in as a player of a node's own machine, asks where else that player
// can enter the world, and returns the code for it.
func elsewhere(t *testing.T, h *host.Host, who client.Identity) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := client.Dial(ctx, h.Addr().String(), who, "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send(wire.Encode(&wire.AskEntrances{})); err != nil {
		t.Fatal(err)
	}
	for {
		b, err := conn.Recv()
		if err != nil {
			t.Fatal(err)
		}
		var e wire.Entrances
		if wire.DecodeInto(b, &e) == nil {
			return e.Code
		}
	}
}

// TestHostsBringNobody: a node that is invited to host, and not to visit, cannot bring
// players in who have no invitation.
func TestHostsBringNobody(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := invited(t)
	one := start(t, c)
	m, err := invites(t, c).Create(invitation.Terms{Permits: invitation.Host}, "")
	if err != nil {
		t.Fatal(err)
	}
	two := start(t, joiner(t, m.At([]netip.AddrPort{one.NodeAddr()})))
	until(t, "a link", func() bool { return linked(t, two) })
	if why := enters(t, two, "Eve", ""); why != wire.NotInvited {
		t.Errorf("a player without an invitation: %q", why)
	}
	if why := enters(t, two, "Ann", one.Invitation().Text()); why != "" {
		t.Errorf("a player with one: %q", why)
	}
}

// TestRemoveHost: a removed node is cut off at once, also by others than the founder,
// and stays out after a restart and with another key; another node by the same
// invitation stays.
func TestRemoveHost(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := invited(t)
	one := start(t, c)
	inv := one.Invitation()
	bad := joiner(t, inv)
	two, three := start(t, bad), start(t, joiner(t, inv))
	self := func(h *host.Host) string {
		s, err := h.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Self.ID.String()
	}
	gone := self(two)
	v := invites(t, c)
	until(t, "the founder to have written down two nodes", func() bool {
		n, err := v.Nodes()
		if err != nil {
			t.Fatal(err)
		}
		return len(n) == 2
	})
	if _, err := v.Remove(gone); err != nil {
		t.Fatal(err)
	}
	until(t, "the removed node to be alone", func() bool { return !linked(t, two) })
	until(t, "the other to go on", func() bool { return linked(t, three) && linked(t, one) })
	stop(t, two)
	if _, err := host.Start(bad); err == nil || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("it has joined again: %v", err)
	}
	if _, err := host.Start(joiner(t, inv)); err == nil || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("it has joined again with another key: %v", err)
	}
}

// TestWorldsFromBefore: a world whose record does not say which nodes may host it stays
// open to any, and an import of it is a new world that only invited nodes host.
func TestWorldsFromBefore(t *testing.T) {
	c := invited(t)
	c.Share = false
	folder, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	old := host.BeforeInvitations(t, folder, host.DefaultWorld)
	one := start(t, c)
	if one.World().ID != old {
		t.Error("the world has another id")
	}
	next := config(t)
	next.Nodes, next.Join = "127.0.0.1:0", []string{one.NodeAddr().String()}
	two := start(t, next)
	until(t, "any node to join it", func() bool { return linked(t, two) })
	stop(t, two)
	stop(t, one)
	file := filepath.Join(t.TempDir(), "old.vpworld")
	if _, err := folder.ExportFile(host.DefaultWorld, file, false); err != nil {
		t.Fatal(err)
	}
	sum, err := host.ImportWorld(folder, file, host.Import{Name: "copy"})
	if err != nil || sum.Meta.Rules.Hosting != "invited" || sum.Meta.ID == old {
		t.Errorf("the copy: %+v, %v", sum.Meta, err)
	}
}

// TestOwnerLink: on a machine without a player the first who enters by the link is the
// operator, and nobody after that.
func TestOwnerLink(t *testing.T) {
	one := start(t, invited(t))
	code := one.OwnerCode()
	if operator, why := visit(t, one, identity(t, "Eve"), one.Invitation().Text()); operator || why != "" {
		t.Errorf("who enters by an invitation: operator %t, %q", operator, why)
	}
	if operator, why := visit(t, one, identity(t, "Ann"), code); code == "" || !operator {
		t.Errorf("who enters by the link %q: operator %t, %q", code, operator, why)
	}
	if why := enters(t, one, "Bo", code); why != wire.BadCode {
		t.Errorf("the link used again: %q", why)
	}
}

// TestStatusShowsInvitation: the owner reads in the status what to send to others, and
// nobody else does, even if everybody may read the status.
func TestStatusShowsInvitation(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := invited(t)
	c.OpenStatus = true
	one := start(t, c)
	s, err := host.Ask(t.Context(), one.Addr().String(), one.Local())
	if err != nil || s.Sharing == nil || s.Sharing.Invitation != one.Invitation().Text() {
		t.Errorf("the owner reads %+v, %v", s.Sharing, err)
	}
	s, err = host.Ask(t.Context(), one.Addr().String(), "")
	if err != nil || s.World.ID == "" || s.Sharing != nil {
		t.Errorf("a stranger reads %+v of %q, %v", s.Sharing, s.World.ID, err)
	}
	if _, err := invites(t, c).Revoke(one.Invitation().ID().String(), false); err != nil {
		t.Fatal(err)
	}
	until(t, "a revoked invitation not to be passed on", func() bool { return one.Invitation() == nil })
}

// TestOwnerKey: the player whose key was named becomes operator from another machine,
// others do not.
func TestOwnerKey(t *testing.T) {
	c := invited(t)
	ann := identity(t, "Ann")
	c.Owner = id.Of(ann.Public())
	one := start(t, c)
	code := one.Invitation().Text()
	if operator, why := visit(t, one, identity(t, "Eve"), code); operator || why != "" {
		t.Errorf("somebody else: operator %t, %q", operator, why)
	}
	if operator, why := visit(t, one, ann, code); !operator {
		t.Errorf("the owner: operator %t, %q", operator, why)
	}
}

// TestUses: an invitation for one player lets in the first who comes by it, as often as
// that one likes, and nobody else, also after a restart.
func TestUses(t *testing.T) {
	c := invited(t)
	one := start(t, c)
	m, err := invites(t, c).Create(invitation.Terms{Permits: invitation.Build, Uses: 1}, "")
	if err != nil {
		t.Fatal(err)
	}
	ann, code := identity(t, "Ann"), m.Text
	for i := range 2 {
		if _, why := visit(t, one, ann, code); why != "" {
			t.Errorf("the first player, round %d: %q", i, why)
		}
		if why := enters(t, one, "Bo", code); why != wire.NotInvited {
			t.Errorf("a second player, round %d: %q", i, why)
		}
		if i == 0 {
			stop(t, one)
			one = start(t, c)
		}
	}
	if why := enters(t, one, "Cleo", one.Invitation().Text()); why != "" {
		t.Errorf("by another invitation: %q", why)
	}
}
