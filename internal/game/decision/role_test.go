package decision

import (
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func (p *person) appoints(who *person, role string, keep bool) *Statement {
	return p.says(Statement{Topic: Appoint, On: true, Keep: keep, Subject: who.id, Name: "x", Text: role})
}

func (p *person) mutes(who *person) *Statement {
	return p.says(Statement{Topic: Mute, On: true, Subject: who.id, Name: "x"})
}

// TestRoles: operators give roles; what a moderator decides counts while it is one, and
// afterwards if that is kept.
func TestRoles(t *testing.T) {
	root, ann, mod, eve, bo := someone("root"), someone("ann"), someone("mod"), someone("eve"), someone("bo")
	l := New(testWorld, root.public())
	merge(t, l, nil, root.op(ann), ann.appoints(mod, "moderator", false), mod.mutes(eve), mod.ban(bo, true), ann.appoints(eve, "visitor", false))
	for who, want := range map[*person]Role{root: RoleOwner, ann: RoleOwner, mod: RoleModerator, eve: RoleVisitor, bo: RolePlayer} {
		if got := l.RoleOf(who.id); got != want {
			t.Errorf("%v is a %v, want %v", who.id.Short(), got, want)
		}
	}
	if l.Muted(eve.id, start) == nil || l.Banned(bo.id, "", start) == nil || !l.Rights(eve.id, start).Visits(false) {
		t.Error("what a moderator and an operator have decided does not count")
	}
	merge(t, l, ErrAuthority, mod.appoints(eve, "moderator", false))
	merge(t, l, ErrAuthority, mod.says(Statement{Topic: AddressBan, On: true, Name: "192.0.2.1"}))
	merge(t, l, ErrAuthority, eve.mutes(bo))
	if merge(t, l, nil, mod.mutes(ann)); l.Muted(ann.id, start) != nil {
		t.Error("a moderator mutes an operator")
	}
	merge(t, l, nil, ann.appoints(mod, "player", true))
	if l.Muted(eve.id, start) == nil {
		t.Error("what a former moderator has decided is lost though it was kept")
	}
	merge(t, l, ErrAuthority, mod.mutes(bo))
	merge(t, l, nil, ann.appoints(mod, "builder", false))
	if l.Muted(eve.id, start) != nil || l.RoleOf(mod.id) != RoleBuilder {
		t.Error("what a former moderator has decided counts though it was not kept")
	}
	// An appointment by a player who was made an operator and is none any more goes too.
	merge(t, l, nil, ann.op(bo), bo.appoints(eve, "moderator", false))
	if l.RoleOf(eve.id) != RoleModerator {
		t.Error("an appointment by an operator does not count")
	}
	merge(t, l, nil, ann.deop(bo, false))
	if l.RoleOf(eve.id) != RoleVisitor {
		t.Error("an appointment by a former operator counts")
	}
}

func (p *person) owns(name string, x int32, owner *person) *Statement {
	z := world.Zone{Min: world.Pos{X: x}, Max: world.Pos{X: x + 9, Y: 255, Z: 9}}
	return p.says(Statement{Topic: Land, On: true, Subject: owner.id, Name: name, Text: LandText(z, "Ann")})
}

// TestLands: players say what is theirs, operators end it, and nobody fills the log.
func TestLands(t *testing.T) {
	root, op, ann, eve := someone("root"), someone("op"), someone("ann"), someone("eve")
	l := New(testWorld, root.public())
	trust := func(on bool) *Statement {
		return ann.says(Statement{Topic: Trust, On: on, Subject: eve.id, Name: "Eve"})
	}
	merge(t, l, nil, root.op(op), ann.owns("home", 0, ann), ann.owns("farm", 100, ann), trust(true))
	lands, v := l.Lands(), NewVerified()
	if len(lands) != 2 || lands[0].Land.Name != "home" || !lands[1].Admits(eve.id) || !lands[0].Admits(ann.id) || lands[0].Admits(op.id) {
		t.Fatalf("lands: %+v", lands)
	}
	if w, err := v.LandOf(testWorld, lands[0]); err != nil || w.Owner != ann.id || !w.Admits(eve.id) || w.OwnerName != "Ann" {
		t.Errorf("%+v %v", w, err)
	}
	forged := lands[0]
	forged.Trusts = []*Statement{eve.says(Statement{Topic: Trust, On: true, Subject: eve.id, Name: "Eve"})}
	if _, err := v.LandOf(testWorld, forged); err == nil {
		t.Error("a stranger says whom an owner trusts")
	}
	for range 2 { // what was verified is not believed with another signature
		if _, err := v.LandOf(testWorld, lands[0]); err != nil {
			t.Error(err)
		}
		changed := *lands[0].Land
		changed.Signature[0]++
		if _, err := v.LandOf(testWorld, SignedLand{Land: &changed}); !errors.Is(err, ErrSignature) {
			t.Errorf("a changed signature: %v", err)
		}
	}
	if _, err := v.LandOf(id.ID{1}, lands[0]); err == nil {
		t.Error("land of another world")
	}
	merge(t, l, ErrFormat, eve.owns("home", 0, ann))
	merge(t, l, ErrAuthority, eve.says(Statement{Topic: Land, Subject: ann.id, Name: "home"}))
	merge(t, l, nil, trust(false), op.says(Statement{Topic: Land, Subject: ann.id, Name: "home"}))
	if lands = l.Lands(); len(lands) != 1 || lands[0].Land.Name != "farm" || lands[0].Admits(eve.id) {
		t.Fatalf("lands: %+v", lands)
	}
	for i := range maxOfPlayer + 1 {
		_, err := l.Merge([]*Statement{eve.owns("x"+string(rune('a'+i/26))+string(rune('a'+i%26)), int32(i), eve)}, start.Add(time.Hour))
		if (err != nil) != (i == maxOfPlayer) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	merge(t, l, nil, op.appoints(eve, "visitor", false))
	if len(l.Lands()) != 1 {
		t.Error("a visitor owns land")
	}
	if l.ofPlayers != 4 {
		t.Errorf("%d statements about land are counted", l.ofPlayers)
	}
	for _, text := range []string{"", "1 2 3", "0 0 0 9 255 9", "9 0 0 0 255 9 Ann", "0 0 0 128 255 9 Ann", "0 -1 0 9 255 9 Ann", "00 0 0 9 255 9 Ann"} {
		merge(t, l, ErrFormat, ann.says(Statement{Topic: Land, On: true, Subject: ann.id, Name: "x", Text: text}))
	}
}
