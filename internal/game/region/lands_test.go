package region

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func (b *bed) time() time.Time { return time.Unix(0, int64(b.now)) }

func (b *bed) rights(who id.ID) decision.Rights {
	r := b.log.Rights(who, b.time())
	switch {
	case b.operators[who]:
		r.Role, r.Appointed = decision.RoleOperator, true
	case r.Role >= decision.RoleOperator:
		r.Role, r.Appointed = decision.RolePlayer, false
	}
	return r
}

func (b *bed) landsIn(pos world.RegionPos) (out []decision.SignedLand) {
	for _, l := range b.log.Lands() {
		if l.Box().Meets(pos.Bounds()) {
			out = append(out, l)
		}
	}
	return out
}

// says lets the log of decisions know what somebody has signed, and the regions.
func (b *bed) says(key ed25519.PrivateKey, s decision.Statement) {
	b.Helper()
	s.World = bedWorld
	if s.Seq == 0 {
		s.Seq = b.log.Next(id.Of(key.Public().(ed25519.PublicKey)), b.time())
	}
	s.Sign(key)
	if _, err := b.log.Merge([]*decision.Statement{&s}, b.time()); err != nil {
		b.Fatal(err)
	}
	for _, pos := range b.awake {
		b.deliver(pos, Lobby, &Decided{})
	}
	b.run(200 * time.Millisecond)
}

func (b *bed) claims(c *client, name string, z world.Zone) {
	b.Helper()
	b.says(c.key, decision.Statement{Topic: decision.Land, On: true, Subject: c.player, Name: name, Text: decision.LandText(z, c.name)})
}

// tries lets a player place a block on another, and reports the refusal.
func (c *client) tries(at world.Pos) wire.Code {
	c.b.Helper()
	seq := c.place(at)
	c.b.until("an answer", func() bool { return c.results[seq] != nil })
	c.b.run(500 * time.Millisecond)
	return wire.Code(c.results[seq].Reason)
}

// TestLand: who owns land and whom the owner trusts build there, others do not, also from
// beyond the border, after a restart, and whatever they sign.
func TestLand(t *testing.T) {
	b := newBed(t)
	b.signed = true
	_, all := withChest(b, "ann", "eve")
	ann, eve := all[0], all[1]
	free, owned := world.Pos{X: 62, Y: flatTop, Z: 62}, func(i int32) world.Pos { return world.Pos{X: 65 + i, Y: flatTop, Z: 66} }
	box := world.Zone{Min: world.Pos{X: 64, Z: 64}, Max: world.Pos{X: 70, Y: world.Height - 1, Z: 70}}
	b.claims(ann, "home", box)
	if code := eve.tries(owned(0)); code != wire.Claimed {
		t.Errorf("a stranger on somebody's land: %q", code)
	}
	if code := eve.tries(free); code != "" {
		t.Errorf("beside it: %q", code)
	}
	if code := ann.tries(owned(0)); code != "" {
		t.Errorf("the owner: %q", code)
	}
	b.says(ann.key, decision.Statement{Topic: decision.Trust, On: true, Subject: eve.player, Name: "eve"})
	if code := eve.tries(owned(1)); code != "" {
		t.Errorf("a friend: %q", code)
	}
	b.says(ann.key, decision.Statement{Topic: decision.Trust, Subject: eve.player, Name: "eve"})
	if code := eve.tries(owned(2)); code != wire.Claimed {
		t.Errorf("a friend no more: %q", code)
	}
	// The stranger signs that the land was hers long before.
	b.says(eve.key, decision.Statement{Topic: decision.Land, On: true, Subject: eve.player, Name: "mine", Text: decision.LandText(box, "eve"), Seq: 1})
	if code := eve.tries(owned(2)); code != wire.Claimed {
		t.Errorf("who signs that it was hers before: %q", code)
	}
	b.crash()
	ann.enter()
	eve.enter()
	b.run(2 * time.Second)
	if code := eve.tries(owned(2)); code != wire.Claimed {
		t.Errorf("after a crash: %q", code)
	}
	b.says(ann.key, decision.Statement{Topic: decision.Land, Subject: ann.player, Name: "home"})
	if code := eve.tries(owned(2)); code != "" {
		t.Errorf("land that was given up: %q", code)
	}
}

// TestLandAcrossBorder: the block's region knows whose land it is, whatever the home of
// the player thinks.
func TestLandAcrossBorder(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "eve")
	owner := ed25519.NewKeyFromSeed([]byte("the key of who owns land, 32 by."))
	who := id.Of(owner.Public().(ed25519.PublicKey))
	z := world.Zone{Min: world.Pos{X: 128, Z: 60}, Max: world.Pos{X: 140, Y: world.Height - 1, Z: 70}}
	b.says(owner, decision.Statement{Topic: decision.Land, On: true, Subject: who, Name: "beyond", Text: decision.LandText(z, "Ann")})
	b.run(time.Second)
	if code := c.tries(world.Pos{X: 128, Y: flatTop, Z: 64}); code != wire.Claimed {
		t.Errorf("across the border: %q", code)
	}
}

// TestJail: who is in jail changes nothing, until the time is over.
func TestJail(t *testing.T) {
	b := newBed(t)
	_, all := withChest(b, "eve")
	eve := all[0]
	b.says(operatorKey, decision.Statement{Topic: decision.Jail, On: true, Subject: eve.player, Name: "eve", Until: b.time().Unix() + 5})
	if code := eve.tries(world.Pos{X: 62, Y: flatTop, Z: 62}); code != wire.Jailed {
		t.Errorf("in jail: %q", code)
	}
	b.run(8 * time.Second)
	if code := eve.tries(world.Pos{X: 62, Y: flatTop, Z: 62}); code != "" {
		t.Errorf("after it: %q", code)
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Appoint, On: true, Subject: eve.player, Name: "eve", Text: "visitor"})
	if code := eve.tries(world.Pos{X: 62, Y: flatTop, Z: 63}); code != wire.Visiting {
		t.Errorf("a visitor by role: %q", code)
	}
}
