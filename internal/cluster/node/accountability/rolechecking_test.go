package accountability

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var (
	founderKey    = ed25519.NewKeyFromSeed([]byte("the key of the founder's node 00"))
	founderPublic = [32]byte(founderKey.Public().(ed25519.PublicKey))
)

// TestRoleChecking: what a follower knows of roles and orders, and what it suspects.
func TestRoleChecking(t *testing.T) {
	ann, op := id.Of([]byte("ann")), id.Of(founderPublic[:])
	roles := map[id.ID]decision.Rights{}
	var lands []decision.SignedLand
	z := world.Zone{Max: world.Pos{X: 9, Y: 99, Z: 9}}
	land, trust := ownLand(z), &decision.Statement{Topic: decision.Trust, On: true, Subject: ann}
	known := world.Land{Zone: z, Owner: op, Name: "home"}
	suspected := ""
	k := &roleChecking{
		Part: part.Part{}, rights: func(who id.ID) decision.Rights { return roles[who] }, lands: func(world.RegionPos) []decision.SignedLand { return lands },
	}
	k.suspect = func(what string) { suspected = what }
	area := world.NewArea(world.AreaConfig{}, world.RegionPos{}, nil)
	p := world.NewPlayer(ann, "Ann", world.Survival, world.Vec{})
	area.AddPlayer(p)
	at := machine.Time(time.Hour)
	for _, c := range []struct {
		what string
		does func()
		want bool // suspected after a while
	}{
		{"as everybody knows", func() {}, false},
		{"an operator whom nobody has made one", func() { p.Operator = true }, true},
		{"an operator", func() { roles[ann] = decision.Rights{Role: decision.RoleOperator} }, false},
		{"no prisoner, who should be one", func() { roles[ann] = decision.Rights{Role: decision.RoleOperator, Jailed: true} }, true},
		{"in jail", func() { p.Jailed = true }, false},
		{"muted, which nobody has decided", func() { p.Muted = true }, true},
		{"not muted, who should be", func() {
			p.Muted = false
			roles[ann] = decision.Rights{Role: decision.RoleOperator, Jailed: true, Muted: true}
		}, true},
		{"muted", func() { p.Muted = true }, false},
		{"an order by nobody who may", func() { k.onOrders(at, []*decision.Order{signedGive(1)}) }, true},
		{"an order by an operator", func() {
			roles[op] = decision.Rights{Role: decision.RoleOwner}
			k.onOrders(at, []*decision.Order{signedGive(2)})
		}, false},
		{"the same again", func() { k.onOrders(at, []*decision.Order{signedGive(2)}) }, true},
		{"land that is left out", func() { lands = []decision.SignedLand{{Land: land}} }, true},
		{"land that is heeded", func() { area.SetLands([]world.Land{known}) }, false},
		{"a friend of the owner", func() {
			lands[0].Trusts = []*decision.Statement{trust}
			known.Friends = []id.ID{ann}
			area.SetLands([]world.Land{known})
		}, false},
		{"a friend no more", func() { lands[0].Trusts = nil }, true},
		{"land that meets other land", func() {
			area.SetLands([]world.Land{{Zone: z, Owner: ann, Name: "mine"}})
		}, false},
	} {
		suspected = ""
		c.does()
		for range 40 {
			at = at.Add(time.Second)
			k.beat(at, area)
		}
		if (suspected != "") != c.want {
			t.Errorf("%s: suspected %q", c.what, suspected)
		}
	}
}

func ownLand(z world.Zone) *decision.Statement {
	s := &decision.Statement{Topic: decision.Land, On: true, Subject: id.Of(founderPublic[:]), Name: "home", Text: decision.LandText(z, "Ada")}
	s.Sign(founderKey)
	return s
}

func signedGive(seq uint64) *decision.Order {
	o := &decision.Order{Kind: decision.Give, Subject: id.Of([]byte("ann")), Seq: seq, Text: "stone", Count: 1}
	o.Sign(founderKey)
	return o
}
