package decision

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestSettings: operators decide about settings and warps, nobody else does, and a value
// is within its bounds.
func TestSettings(t *testing.T) {
	root, ann, eve := someone("root"), someone("ann"), someone("eve")
	l := New(testWorld, root.public())
	merge(t, l, nil, root.op(ann))
	founded := world.Pos{X: 7, Y: 8, Z: 9}
	if l.Number(SetHomes) != 3 || l.Spawn(founded) != founded || l.SettingStatement(SetSpawn) != nil || l.Setting(SetRules) != "" {
		t.Error("nobody has decided anything")
	}
	says := func(p *person, topic Topic, on bool, name, text string, want error) {
		t.Helper()
		merge(t, l, want, p.says(Statement{Topic: topic, On: on, Name: name, Text: text}))
	}
	says(eve, Setting, true, SetHomes, "5", ErrAuthority)
	says(eve, Warp, true, "market", "1 2 3", ErrAuthority)
	says(ann, Setting, true, SetHomes, "5", nil)
	says(ann, Setting, true, SetSpawn, "-1 70 3", nil)
	says(ann, Warp, true, "market", "1 2 3", nil)
	for name, value := range map[string]string{
		SetHomes: "017", SetLands: "-1", SetHomes + "s": "01", SetSpawn: "1 2", SetRules: "", SetWelcome: "two\nlines", "colour": "red", SetHistory: "x",
	} {
		says(ann, Setting, true, name, value, ErrFormat)
	}
	for _, place := range []string{"", "1 2", "1 300 2", "1 -1 2", "9999999 3 3", "01 2 3", "1  2 3", "1 2 3 4"} {
		says(ann, Warp, true, "market", place, ErrFormat)
	}
	says(ann, Warp, true, "The Market", "1 2 3", ErrFormat)
	if at, ok := l.Warp("market"); l.Number(SetHomes) != 5 || l.Spawn(founded) != (world.Pos{X: -1, Y: 70, Z: 3}) || !ok || at != (world.Pos{X: 1, Y: 2, Z: 3}) {
		t.Errorf("%d homes, spawn %v, market %v", l.Number(SetHomes), l.Spawn(founded), at)
	}
	says(ann, Setting, false, SetHomes, "", nil)
	says(ann, Warp, false, "market", "", nil)
	if _, ok := l.Warp("market"); ok || l.Number(SetHomes) != 3 {
		t.Error("what was taken back still holds")
	}
	for _, name := range SettingNames {
		if _, ok := settings[name]; !ok {
			t.Errorf("%s is shown and does not exist", name)
		}
	}
}
