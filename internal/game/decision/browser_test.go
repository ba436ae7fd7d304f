package decision

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

var update = flag.Bool("update", false, "write testdata again")

// line is what a player types, and what the lobby proposes then.
type line struct {
	Line     string `json:"line"`
	Proposal string `json:"proposal"` // in hexadecimal digits
	Asks     bool   `json:"asks"`
	Signed   string `json:"signed"` // by a key of 32 bytes of 7
}

// TestLines: a client signs what was typed and nothing else. The browser's tests
// read the same file.
func TestLines(t *testing.T) {
	bo, eve := id.Of([]byte("bo")), id.Of([]byte("eve"))
	st := func(topic Topic, on bool, who id.ID, name string) Statement {
		return Statement{World: testWorld, Seq: 1_800_000_000_000, Topic: topic, On: on, Subject: who, Name: name, Text: "x"}
	}
	player := someone("\x07")
	role, land := st(Appoint, true, bo, "Bo"), st(Land, true, player.id, "home")
	spawn, warp := st(Setting, true, id.ID{}, SetSpawn), st(Warp, true, id.ID{}, "mine")
	spawn.Text, warp.Text = "1 60 -5", "1 60 -5"
	rules, usual, gone := st(Setting, true, id.ID{}, SetRules), st(Setting, false, id.ID{}, SetHomes), st(Warp, false, id.ID{}, "mine")
	rules.Text, usual.Text, gone.Text = "be kind to all", "", ""
	role.Text, land.Text = "moderator", "1 60 -5 9 80 5 Ann"
	var lines []line
	for _, c := range []struct {
		line string
		s    Statement
		want bool
	}{
		{"/op Bo", st(Operator, true, bo, "Bo"), true},
		{"/op bO ", st(Operator, true, bo, "Bo"), true},
		{`/op "Bo Peep"`, st(Operator, true, bo, "Bo Peep"), true},
		{"/op Bo", st(Operator, true, eve, "Bodo"), false},
		{"/op Bo", st(Operator, true, eve, "Eve"), false},
		{"/op Bo", st(Operator, false, bo, "Bo"), false},
		{"/deop Bo", st(Operator, true, bo, "Bo"), false},
		{"/deop Bo undo", st(Operator, false, bo, "Bo"), true},
		{"op Bo", st(Operator, true, bo, "Bo"), false},
		{"hello", st(Operator, true, bo, "Bo"), false},
		{"", st(Ban, true, bo, "Bo"), false},
		{"/ban Bo 2h being rude", st(Ban, true, bo, "Bo"), true},
		{"/ban Bo 2h being rude", st(Ban, true, eve, "Eve"), false},
		{"/ban Z", st(Ban, true, bo, "Zoë"), true},
		{"/ban ZOË", st(Ban, true, bo, "Zoë"), true},
		{"/unban Bo", st(Ban, false, bo, "Bo"), true},
		{"/whitelist on", st(Whitelist, true, id.ID{}, ""), true},
		{"/whitelist off", st(Whitelist, true, id.ID{}, ""), false},
		{"/whitelist add Bo 00ff", st(Listed, true, bo, "Bo"), true},
		{"/whitelist remove Bo", st(Listed, false, bo, "Bo"), true},
		{"/whitelist remove Bo", st(Ban, true, bo, "Bo"), false},
		{"/kick Bo", st(Ban, true, bo, "Bo"), false},
		{"/banip 192.0.2.1 2h griefing", st(AddressBan, true, id.ID{}, "192.0.2.1"), true},
		{"/banip 2001:DB8::1", st(AddressBan, true, id.ID{}, "2001:DB8::1"), true},
		{"/banip 192.0.2.1", st(AddressBan, true, id.ID{}, "192.0.2.100"), false},
		{"/banip 192.0.2.100", st(AddressBan, true, id.ID{}, "192.0.2.1"), false},
		{"/banip 192.0.2.1 192.0.2.2", st(AddressBan, true, id.ID{}, "192.0.2.2"), false},
		{"/banip 192.0.2.1", st(Ban, true, id.ID{}, "192.0.2.1"), false},
		{"/unbanip 192.0.2.1", st(AddressBan, true, id.ID{}, "192.0.2.1"), false},
		{"/unbanip 192.0.2.1", st(AddressBan, false, id.ID{}, "192.0.2.1"), true},
		{"/op", st(Operator, true, bo, ""), false},
		{"/role Bo moderator", role, true},
		{"/role Bo builder", role, false},
		{"/role moderator", role, false},
		{"/mute Bo 2h swearing", st(Mute, true, bo, "Bo"), true},
		{"/unmute Bo", st(Mute, true, bo, "Bo"), false},
		{"/jail Bo", st(Jail, true, bo, "Bo"), true},
		{"/free Bo", st(Jail, false, bo, "Bo"), true},
		{"/trust Bo", st(Trust, true, bo, "Bo"), true},
		{"/trust Bo", st(Trust, true, eve, "Eve"), false},
		{"/untrust Bo", st(Trust, true, bo, "Bo"), false},
		{"/claim home 8", land, true},
		{"/claim home 1 60 -5 9 80 5", land, true},
		{"/claim home 9 80 5 1 60 -5", land, true},
		{"/claim home 1 60 -5 9 80 6", land, false},
		{"/claim home 1 60", land, false},
		{"/claim hom 8", land, false},
		{"/unclaim home", land, false},
		{"/unclaim home", st(Land, false, bo, "home"), true},
		{"/unclaim home Bo", st(Land, false, bo, "home"), true},
		{"/unclaim homer", st(Land, false, bo, "home"), false},
		{"/setspawn", spawn, true},
		{"/setspawn now", spawn, false},
		{"/setting spawn 1 60 -5", spawn, true},
		{"/setting spawn 1 60 -6", spawn, false},
		{"/setting rules be  kind to all", rules, true},
		{"/setting rules be kind", rules, false},
		{"/setting welcome be kind to all", rules, false},
		{"/setting homes default", usual, true},
		{"/setting homes 3", usual, false},
		{"/setwarp mine", warp, true},
		{"/setwarp min", warp, false},
		{"/delwarp mine", warp, false},
		{"/delwarp mine", gone, true},
		{"/warp mine", warp, false},
		{"/op mine", warp, false},
	} {
		if got := Asks(c.line, &c.s); got != c.want {
			t.Errorf("%q asks for %+v: %v", c.line, c.s, got)
		}
		proposal := hex.EncodeToString(c.s.Append(nil))
		c.s.Sign(player.key)
		lines = append(lines, line{c.line, proposal, c.want, hex.EncodeToString(c.s.Append(nil))})
	}
	lines = append(lines, orderLines(t, player)...)
	b, err := json.MarshalIndent(lines, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/lines.json"
	if *update {
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != string(b)+"\n" {
		t.Errorf("%s has other lines (%v): run with -update and look at the difference", file, err)
	}
}
