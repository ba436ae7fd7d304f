package host_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// folderOf is the folder of worlds of a node.
func folderOf(t *testing.T, c host.Config) *worldfs.Folder {
	t.Helper()
	f, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// openHome opens the world "home" of a node that is not running.
func openHome(t *testing.T, c host.Config) *worldfs.World {
	t.Helper()
	w, err := folderOf(t, c).Open("home")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// unsigned makes a world as older versions left it: roles in the lobby's records.
func unsigned(t *testing.T, c host.Config, ann string) {
	t.Helper()
	w := openHome(t, c)
	defer w.Close()
	w.Signed = false
	if err := w.Save(); err != nil {
		t.Fatal(err)
	}
	x := machine.DiskWrite{Space: "hall"}
	for key, value := range map[string]string{
		"p/" + ann: `{"name":"Ann","entity":1,"operator":true,"home":{"X":0,"Z":0},"epoch":0,"since":1600000000}`,
		"p/0100000000000000000000000000000000000000": `{"name":"Bo","entity":2,"home":{"X":0,"Z":0},"epoch":0,"since":1600000000}`,
		"b/mallory": `{"name":"Mallory","player":"0000000000000000000000000000000000000000","by":"Ann","reason":"rude"}`,
		"l/bo":      `"Bo"`,
		"l/zoe":     `"Zoe"`,
		"w":         `{"timeOffset":7,"whitelist":false}`,
	} {
		x.Put = append(x.Put, machine.KV{Key: []byte(key), Value: []byte(value)})
	}
	if err := w.Store.Apply(x); err != nil {
		t.Fatal(err)
	}
}

// TestRolesOfOldWorlds: the founder's machine signs once what a world's records say
// of operators and bans; later changes of the records count for nothing, and what
// was signed survives an export and import by the founder, not by others.
func TestRolesOfOldWorlds(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := founder(t)
	stop(t, start(t, c))
	ann, mallory, eve := identity(t, "Ann"), identity(t, "Mallory"), identity(t, "Eve")
	unsigned(t, c, ann.Player().String())
	h := start(t, c)
	a := join(t, h, ann, "")
	if !a.Welcome().Operator {
		t.Error("the operator of an old world is none")
	}
	if _, _, err := h.Client().Join(t.Context(), mallory); refused(err) != wire.Banned {
		t.Errorf("who was banned in an old world hears %v", err)
	}
	if err := a.Say("/whitelist list"); err != nil {
		t.Fatal(err)
	}
	until(t, "the whitelist", func() bool { return a.heard(": The whitelist is off: Bo.") })
	if join(t, h, eve, "").Welcome().Operator {
		t.Error("another player of this machine is an operator too")
	}
	stop(t, h)

	// Records are not believed any more.
	w := openHome(t, c)
	if err := w.Store.Apply(machine.DiskWrite{Space: "hall", Put: []machine.KV{{
		Key: []byte("p/" + eve.Player().String()), Value: []byte(`{"name":"Eve","entity":9,"operator":true,"home":{"X":0,"Z":0},"epoch":0,"since":1}`),
	}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h = start(t, c)
	if join(t, h, eve, "").Welcome().Operator || !join(t, h, ann, "").Welcome().Operator {
		t.Error("an operator flag that somebody has written into the list of players counts")
	}
	stop(t, h)

	file := filepath.Join(t.TempDir(), "home.vpworld")
	f := folderOf(t, c)
	if _, err := f.ExportFile("home", file, false); err != nil {
		t.Fatal(err)
	}
	if _, err := host.ImportWorld(f, file, host.Import{Name: "copy", KeepOperators: true}); err != nil {
		t.Fatal(err)
	}
	c.World = "copy"
	h = start(t, c)
	if !join(t, h, ann, "").Welcome().Operator || join(t, h, eve, "").Welcome().Operator {
		t.Error("an import that keeps operators has others")
	}
	if _, _, err := h.Client().Join(t.Context(), mallory); refused(err) != wire.Banned {
		t.Errorf("who was banned hears %v after a restore", err)
	}

	// Somebody else's import has that one's operators.
	other := config(t)
	of := folderOf(t, other)
	if out, err := host.ImportWorld(of, file, host.Import{Name: "home"}); err != nil || !slices.Equal(out.Operators, []string{"Ann"}) {
		t.Fatal(out.Operators, err)
	}
	h = start(t, other)
	if !join(t, h, eve, "").Welcome().Operator {
		t.Error("the importer is no operator")
	}
	if join(t, h, ann, "").Welcome().Operator {
		t.Error("the author of an imported world is its operator")
	}
}

// TestDecideInASharedWorld: a player at another node is made an operator, and bans
// somebody, with signatures of their own.
func TestDecideInASharedWorld(t *testing.T) {
	c := founder(t)
	c.Nodes = "127.0.0.1:0"
	h := start(t, c)
	ann, bo, cy := join(t, h, identity(t, "Ann"), ""), join(t, h, identity(t, "Bo"), ""), join(t, h, identity(t, "Cy"), "")
	say := func(p *player, text string) {
		t.Helper()
		if err := p.Say(text); err != nil {
			t.Fatal(err)
		}
	}
	say(ann, "/op Bo")
	until(t, "Bo to be an operator", func() bool { return bo.Self().Operator })
	say(bo, "/ban Cy")
	if err := <-cy.end; refused(err) != wire.Banned {
		t.Errorf("Cy heard %v", err)
	}
	say(bo, "/deop Ann")
	until(t, "Bo to hear that this cannot be", func() bool { return bo.heard(": You cannot take that from Ann") })
	say(ann, "/deop Bo undo")
	until(t, "Bo to be no operator", func() bool { return !bo.Self().Operator })
	join(t, h, identity(t, "Dan"), "")
}

// TestTimeOfOldWorlds: the time of day of a world whose roles were signed before the time
// was goes on where it was; what the lobby's records say later counts for nothing.
func TestTimeOfOldWorlds(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := founder(t)
	stop(t, start(t, c))
	record := func(value string, change func(*worldfs.World)) {
		t.Helper()
		w := openHome(t, c)
		defer w.Close()
		change(w)
		err := w.Save()
		if err == nil {
			err = w.Store.Apply(machine.DiskWrite{Space: "hall", Put: []machine.KV{{Key: []byte("w"), Value: []byte(value)}}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	record(`{"timeOffset":7000}`, func(w *worldfs.World) { w.SignedTime = false })
	ann := identity(t, "Ann")
	for range 2 {
		h := start(t, c)
		if got := join(t, h, ann, "").TimeOffset(); got != 7000 {
			t.Errorf("the time of day is %d ticks ahead of the world's, want 7000", got)
		}
		stop(t, h)
		record(`{"timeOffset":9}`, func(*worldfs.World) {})
	}
	record(`{"timeOffset":9}`, func(w *worldfs.World) { w.SignedTime = false })
	h := start(t, c)
	if got := join(t, h, ann, "").TimeOffset(); got != 7000 {
		t.Errorf("a record counts for more than a decision: the time of day is %d ticks ahead", got)
	}
}
