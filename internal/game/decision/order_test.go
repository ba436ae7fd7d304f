package decision

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func testOrder(k OrderKind, who id.ID, name, text string) Order {
	o := Order{World: testWorld, Seq: uint64(start.UnixMilli()), Kind: k, Subject: who, Name: name, Text: text}
	switch k {
	case Give:
		o.Count = 3
	case Teleport:
		o.At = world.Vec{X: fixed.Int(10) + fixed.One/2, Y: fixed.Int(80), Z: fixed.Int(-5) + fixed.One/2}
	}
	return o
}

// orderLines are lines that a player types, with orders that the lobby proposes then.
func orderLines(t *testing.T, player *person) (lines []line) {
	bo := id.Of([]byte("bo"))
	late := testOrder(Kick, bo, "Bo", "")
	late.Seq += uint64(OrderWindow.Milliseconds()) + 1
	for _, c := range []struct {
		line string
		o    Order
		want bool
	}{
		{"/give Bo stone 3", testOrder(Give, bo, "Bo", "stone"), true},
		{`/give "bo peep" STONE 3`, testOrder(Give, bo, "Bo Peep", "stone"), true},
		{"/give Bo stone 4", testOrder(Give, bo, "Bo", "stone"), false},
		{"/give Bo stone", testOrder(Give, bo, "Bo", "stone"), false},
		{"/give Bo gold_ore 3", testOrder(Give, bo, "Bo", "stone"), false},
		{"/give Bo stone 3", testOrder(Give, bo, "Eve", "stone"), false},
		{"/gamemode c", testOrder(SetMode, player.id, "Ann", "creative"), true},
		{"/gamemode 2 Bo", testOrder(SetMode, bo, "Bo", "spectator"), true},
		{"/gamemode creative", testOrder(SetMode, bo, "Bo", "creative"), false},
		{"/gamemode creative Bo", testOrder(SetMode, bo, "Bo", "survival"), false},
		{"/kick Bo too loud", testOrder(Kick, bo, "Bo", "too loud"), true},
		{"/kick Bo", testOrder(Kick, bo, "Bo", "too loud"), false},
		{"/kick Bo", late, false},
		{"/ban Bo", testOrder(Kick, bo, "Bo", ""), false},
		{"/spawn", testOrder(Spawn, player.id, "Ann", ""), true},
		{"/spawn", testOrder(Spawn, bo, "Bo", ""), false},
		{"/tp 10 80 -5", testOrder(Teleport, player.id, "Ann", ""), true},
		{"/tp 10.2 ~ ~-3", testOrder(Teleport, player.id, "Ann", ""), true},
		{"/tp 12 80 -5", testOrder(Teleport, player.id, "Ann", ""), false},
		{"/tp 10 80 -5", testOrder(Teleport, bo, "Bo", ""), false},
		{"/tp Bo 10 80 -5", testOrder(Teleport, bo, "Bo", ""), true},
		{"/tp Bo Cy", testOrder(Teleport, bo, "Bo", ""), true},
		{"/tp Bo", testOrder(Teleport, player.id, "Ann", ""), true},
		{"/tp Bo", testOrder(Teleport, bo, "Bo", ""), false},
		{"/inspect 5", testOrder(Inspect, id.ID{}, "", "1 2 3 4 5 6 0"), true},
		{"/inspect", testOrder(Inspect, id.ID{}, "", "1 2 3 4 5 6 0"), false},
		{"/inspect 5", testOrder(Rollback, id.ID{}, "", "1 2 3 4 5 6 0"), false},
		{"/rollback Bo 2h 50", testOrder(Rollback, bo, "Bo", "1 2 3 4 5 6 77"), true},
		{"/rollback Bo 2h 50", testOrder(Rollback, id.ID{}, "", "1 2 3 4 5 6 77"), false},
		{"/rollback * 2h home", testOrder(Rollback, id.ID{}, "", "1 2 3 4 5 6 77"), true},
		{"/rollback * 2h home", testOrder(Restore, id.ID{}, "", "1 2 3 4 5 6 77"), false},
		{"/rollback * 2h 50 preview", testOrder(Rollback, id.ID{}, "", "1 2 3 4 5 6 77 preview"), true},
		{"/rollback * 2h 50 preview", testOrder(Rollback, id.ID{}, "", "1 2 3 4 5 6 77"), false},
		{"/restore Bo 2h 50", testOrder(Restore, bo, "Bo", "1 2 3 4 5 6 77"), true},
		{"/home", testOrder(ToHome, player.id, "Ann", "home"), true},
		{"/home mine", testOrder(ToHome, player.id, "Ann", "mine"), true},
		{"/home mine", testOrder(ToHome, player.id, "Ann", "home"), false},
		{"/home mine", testOrder(ToHome, bo, "Bo", "mine"), false},
		{"/home mine", testOrder(DelHome, player.id, "Ann", "mine"), false},
		{"/sethome mine", testOrder(SetHome, player.id, "Ann", "mine"), true},
		{"/delhome mine", testOrder(DelHome, player.id, "Ann", "mine"), true},
		{"/warp mine", testOrder(ToWarp, player.id, "Ann", "mine"), true},
		{"/warp mine now", testOrder(ToWarp, player.id, "Ann", "mine"), false},
		{"/homes", testOrder(ListHomes, player.id, "Ann", ""), true},
		{"/inspect 1 2 3 4 5 6", testOrder(Inspect, id.ID{}, "", "1 2 3 4 5 6 0"), true},
		{"/inspect 1 2 3 4 5 7", testOrder(Inspect, id.ID{}, "", "1 2 3 4 5 6 0"), false},
		{"/rollback Bo 2h 4 5 6 1 2 3", testOrder(Rollback, bo, "Bo", "1 2 3 4 5 6 77"), true},
		{"/rollback Bo 2h 1 2 3 4 5 6 preview", testOrder(Rollback, bo, "Bo", "1 2 3 4 5 6 77 preview"), true},
		{"/rollback Bo 2h 1 2 3 4 5 7", testOrder(Rollback, bo, "Bo", "1 2 3 4 5 6 77"), false},
		{"/fill 1 2 3 4 5 6 stone", testOrder(Build, id.ID{}, "", "fill 1 2 3 4 5 6 stone"), true},
		{"/fill STONE", testOrder(Build, id.ID{}, "", "fill 1 2 3 4 5 6 stone"), true},
		{"/fill", testOrder(Build, id.ID{}, "", "fill 1 2 3 4 5 6 stone"), false},
		{"/fill 1 2 3 4 5 7 stone", testOrder(Build, id.ID{}, "", "fill 1 2 3 4 5 6 stone"), false},
		{"/walls stone", testOrder(Build, id.ID{}, "", "fill 1 2 3 4 5 6 stone"), false},
		{"/copy", testOrder(Build, id.ID{}, "", "copy 1 2 3 4 5 6"), true},
		{"/copy 1 2 3 4 5 6", testOrder(Build, id.ID{}, "", "copy 1 2 3 4 5 6"), true},
		{"/copy 1 2 3 4 5 7", testOrder(Build, id.ID{}, "", "copy 1 2 3 4 5 6"), false},
		{"/copy", testOrder(Build, id.ID{}, "", "cut 1 2 3 4 5 6"), false},
		{"/paste 1 2 3", testOrder(Build, id.ID{}, "", "paste 1 2 3 4 5 6"), true},
		{"/paste 1 2 4", testOrder(Build, id.ID{}, "", "paste 1 2 3 4 5 6"), false},
		{"/paste", testOrder(Build, id.ID{}, "", "paste 1 2 3 4 5 6"), true},
		{"/rotate 90", testOrder(Build, id.ID{}, "", "paste 1 2 3 4 5 6"), false},
		{"/replace stone dirt", testOrder(Build, id.ID{}, "", "replace 1 2 3 4 5 6 stone dirt"), true},
		{"/undo", testOrder(Rollback, player.id, "Ann", "1 2 3 4 5 6 77"), true},
		{"/redo", testOrder(Rollback, player.id, "Ann", "1 2 3 4 5 6 77"), false},
		{"/undo", testOrder(Rollback, bo, "Bo", "1 2 3 4 5 6 77"), false},
		{`/tp "Bo`, testOrder(Teleport, player.id, "Ann", ""), false},
		{"tp Bo", testOrder(Teleport, player.id, "Ann", ""), false},
		{"", testOrder(Kick, bo, "Bo", ""), false},
	} {
		if got := c.o.AskedBy(c.line, player.id, start); got != c.want {
			t.Errorf("%q asks for %+v: %v", c.line, c.o, got)
		}
		proposal := hex.EncodeToString(c.o.Append(nil))
		c.o.Sign(player.key)
		lines = append(lines, line{c.line, proposal, c.want, hex.EncodeToString(c.o.Append(nil))})
	}
	return lines
}

// TestOrderVerify: an order counts in its world, in its time, of an operator.
func TestOrderVerify(t *testing.T) {
	ann, eve, bo := someone("ann"), someone("eve"), someone("bo")
	mod := someone("moderator")
	roles := map[id.ID]Role{ann.id: RoleOperator, mod.id: RoleModerator, eve.id: RolePlayer, bo.id: RolePlayer}
	operator := func(who id.ID) Role { return roles[who] }
	for what, c := range map[string]struct {
		change func(*Order)
		by     *person
		want   error
	}{
		"in good order":               {func(*Order) {}, ann, nil},
		"of a player":                 {func(*Order) {}, eve, ErrAuthority},
		"another world":               {func(o *Order) { o.World[0]++ }, ann, ErrWorld},
		"too late":                    {func(o *Order) { o.Seq -= uint64(OrderWindow.Milliseconds()) + 1 }, ann, ErrExpired},
		"too early":                   {func(o *Order) { o.Seq += uint64(OrderWindow.Milliseconds()) + 1 }, ann, ErrExpired},
		"spawn of others":             {func(o *Order) { *o = testOrder(Spawn, bo.id, "Bo", "") }, eve, ErrAuthority},
		"one's own spawn":             {func(o *Order) { *o = testOrder(Spawn, eve.id, "Eve", "") }, eve, nil},
		"a moderator gives":           {func(*Order) {}, mod, ErrAuthority},
		"a moderator kicks":           {func(o *Order) { *o = testOrder(Kick, bo.id, "Bo", "") }, mod, nil},
		"a moderator kicks operators": {func(o *Order) { *o = testOrder(Kick, ann.id, "Ann", "") }, mod, ErrAuthority},
		"no block":                    {func(o *Order) { o.Text = "nonsense" }, ann, ErrFormat},
	} {
		o := testOrder(Give, bo.id, "Bo", "stone")
		c.change(&o)
		o.Sign(c.by.key)
		if err := o.Verify(testWorld, start, operator); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	o := testOrder(Give, bo.id, "Bo", "stone")
	o.Sign(ann.key)
	o.Count++
	if err := o.Verify(testWorld, start, operator); !errors.Is(err, ErrSignature) {
		t.Errorf("a changed order: %v", err)
	}
	s := ann.ban(bo, true)
	if _, err := DecodeOrder(s.Append(nil)); err == nil {
		t.Error("a statement is an order")
	}
	if _, err := Decode(o.Append(nil)); err == nil {
		t.Error("an order is a statement")
	}
}

// TestExecuted: each number counts once, whatever comes in between, and what is
// forgotten does not count again.
func TestExecuted(t *testing.T) {
	var e Executed
	for round := range 2 {
		for seq := uint64(100); seq < 200; seq++ {
			next, err := e.Add(seq)
			if (err == nil) != (round == 0) {
				t.Fatalf("%d in round %d: %v", seq, round, err)
			}
			e = next
		}
	}
	if _, err := e.Add(50); err == nil {
		t.Error("an old number counts")
	}
	got, err := DecodeExecuted(e.Append(nil))
	if err != nil || len(got) != maxExecuted || got[0] != 200-maxExecuted {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range [][]byte{make([]byte, 7), make([]byte, 16), make([]byte, MaxExecutedSize+8)} {
		if _, err := DecodeExecuted(bad); err == nil {
			t.Errorf("%d bytes were read", len(bad))
		}
	}
}

// TestTimeOfDay: the latest statement says what time it was when it was issued.
func TestTimeOfDay(t *testing.T) {
	root := someone("root")
	l := New(testWorld, root.public())
	const day = 24000
	tickAt := func(t machine.Time) int64 {
		return int64(t.Sub(machine.Time(start.UnixNano())) / (50 * time.Millisecond))
	}
	if got := l.TimeOffset(day, tickAt); got != 0 {
		t.Errorf("nobody has said anything: %d", got)
	}
	for i, c := range []struct {
		text string
		want int64
	}{{"noon", 6000 - 20}, {"0", day - 40}, {"-10", day - 70}} {
		merge(t, l, nil, root.says(Statement{Topic: Time, On: true, Text: c.text, Seq: uint64(start.UnixMilli()) + uint64(i+1)*1000}))
		if got := l.TimeOffset(day, tickAt); got != c.want {
			t.Errorf("%s: %d, want %d", c.text, got, c.want)
		}
	}
	merge(t, l, ErrFormat, root.says(Statement{Topic: Time, On: true, Text: "later"}))
}

func FuzzDecodeOrder(f *testing.F) {
	for _, o := range []Order{testOrder(Give, id.Of([]byte("bo")), "Bo", "stone"), testOrder(Teleport, id.Of([]byte("bo")), "Bo", "")} {
		o.Sign(someone("ann").key)
		f.Add(o.Append(nil), "/give Bo stone 3")
	}
	f.Fuzz(func(t *testing.T, b []byte, line string) {
		_ = Unsigned(b)
		if e, err := DecodeExecuted(b); err == nil && !bytes.Equal(e.Append(nil), b) {
			t.Errorf("%x has two encodings", b)
		}
		o, err := DecodeOrder(b)
		if err != nil {
			return
		}
		if !bytes.Equal(o.Append(nil), b) {
			t.Errorf("%x has two encodings", b)
		}
		o.AskedBy(line, o.Subject, time.UnixMilli(int64(o.Seq)))
		_ = o.Verify(o.World, start, func(id.ID) Role { return RoleOwner })
	})
}
