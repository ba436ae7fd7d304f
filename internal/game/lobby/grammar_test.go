package lobby

import (
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

func TestForms(t *testing.T) {
	for args, want := range map[string][]string{
		"":                 {""},
		"<text>":           {"<text>"},
		"<player> [count]": {"<player> <number>"},
		"[player] <player> | [player] <x> <y> <z>":   {"<player> <player>", "<player> <x> <y> <z>", "<x> <y> <z>"},
		"on | off | list | add <known player>":       {"on", "off", "list", "add <known player>"},
		"query | set <day|noon|ticks> | add <ticks>": {"query", "set day|noon|<number>", "add <number>"},
		"<known player> [30m|12h|7d] [reason]":       {"<known player> 30m|12h|7d <text>", "<known player> <text>"},
		"<survival|creative|spectator> [player]":     {"survival|creative|spectator <player>"},
	} {
		var got []string
		for _, f := range (&command{args: args}).forms() {
			got = append(got, strings.Join(f, " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

// What is sent can be decoded by a client, and every type in brackets is one that
// clients know.
func TestFormsOfAllCommands(t *testing.T) {
	for _, c := range commands {
		for _, f := range c.forms() {
			for _, arg := range f {
				for _, alt := range strings.Split(arg, "|") {
					known := slices.Contains([]string{"<player>", "<known player>", "<player id>", "<block>", "<command>", "<number>", "<x>", "<y>", "<z>", "<text>"}, alt)
					if alt == "" || strings.ContainsAny(alt, "<>[] ") && !known {
						t.Errorf("/%s: %q is no word and no type", c.name, alt)
					}
				}
			}
			m := wire.Encode(&wire.Commands{List: []wire.Command{{Name: c.name, Args: f, Help: c.help}}})
			if _, err := wire.DecodeNode(m); err != nil {
				t.Errorf("/%s: %v", c.name, err)
			}
		}
	}
}

func TestMeant(t *testing.T) {
	for line, want := range map[string]string{
		"gamemode survivl":     " Did you mean survival?",
		"gamemode creatvie":    " Did you mean creative?",
		"time sett noon":       " Did you mean set?",
		"time set midnigth":    "", // could be a number of ticks
		"whitelist ad eve":     " Did you mean add?",
		"whitelist add eve":    "",
		"whitelist remov eve":  " Did you mean remove?",
		"whitelist frobnicate": "",
		"tp":                   "",
	} {
		words := strings.Fields(line)
		c := &call{command: findCommand(words[0])}
		for _, w := range words[1:] {
			c.args = append(c.args, decision.Word{Text: w})
		}
		if got := c.meant(); got != want {
			t.Errorf("/%s: %q, want %q", line, got, want)
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	from := &player{}
	for name, want := range map[string]string{
		"hlep":   "There is no command /hlep. Did you mean /help? /help lists them.",
		"gvie":   "There is no command /gvie. /help lists them.", // not for who may not use it
		"banana": "There is no command /banana. /help lists them.",
	} {
		if got := unknown(from, nil, name); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	from.role = decision.RoleOperator
	if got, want := unknown(from, nil, "gvie"), "There is no command /gvie. Did you mean /give? /help lists them."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
