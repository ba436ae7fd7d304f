package region

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestNearChatIsSigned: where players sign, neither the lobby nor a neighbour can have a
// region say something in a player's name.
func TestNearChatIsSigned(t *testing.T) {
	b := newBed(t)
	b.signed = true
	c := b.client("ada").enter()
	b.run(time.Second)
	signed := func(typed string) *line.Signature {
		s := &line.Signature{Key: [32]byte(c.key.Public().(ed25519.PublicKey)), Name: "ada", Tick: b.tick()}
		s.Sig = [64]byte(ed25519.Sign(c.key, wire.LineText(bedWorld, s.Tick, s.Name, typed)))
		return s
	}
	r, h := b.homeOf(c.player)
	near := func(typed string, s *line.Signature) *NearChat {
		return &NearChat{Player: c.player, Name: "ada", At: h.p.Body.Pos, Line: typed, Signed: s}
	}
	old := signed("/near hello")
	old.Tick += 2 * line.Age
	neighbour := PeerOf(world.RegionPos{X: r.Pos().X + 1, Z: r.Pos().Z})
	for _, x := range []struct {
		what string
		from machine.Peer
		m    machine.Message
		want string
	}{
		{"what was signed", Lobby, &Order{Player: c.player, Near: "/near hello", Line: signed("/near hello")}, "hello"},
		{"without a signature", Lobby, &Order{Player: c.player, Near: "/near hello"}, ""},
		{"other words", Lobby, &Order{Player: c.player, Near: "/near give up", Line: signed("/near hello")}, ""},
		{"what is not for those near", Lobby, &Order{Player: c.player, Near: "/msg Bo hello", Line: signed("/msg Bo hello")}, ""},
		{"of another time", Lobby, &Order{Player: c.player, Near: "/near hello", Line: old}, ""},
		{"of a neighbour", neighbour, near("/near hello", signed("/near hello")), "hello"},
		{"of a neighbour, without a signature", neighbour, near("/near hello", nil), ""},
		{"of a neighbour, other words", neighbour, near("/near give up", signed("/near hello")), ""},
	} {
		c.other = nil
		b.deliver(r.Pos(), x.from, x.m)
		b.run(time.Second)
		got := ""
		for _, m := range c.other {
			if h, ok := m.(*Heard); ok {
				got += h.Text
			}
		}
		if got != x.want {
			t.Errorf("%s: ada hears %q", x.what, got)
		}
	}
}
