package lobby

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// placeCommands are about places with names, and what operators decide about the world.
// Players order regions to take them to their homes and to warps; what regions know of
// these no client and no lobby says.
func placeCommands() []*command {
	return []*command{
		{name: "home", args: "[name]", help: "Brings you to a home of yours.", run: named(decision.ToHome)},
		{name: "sethome", args: "[name]", help: "Makes the place where you stand a home of yours, under a name.", run: named(decision.SetHome)},
		{name: "delhome", args: "[name]", help: "Forgets a home of yours.", run: named(decision.DelHome)},
		{name: "homes", help: "Lists your homes.", run: func(c *call) error { return c.orderSelf(decision.Order{Kind: decision.ListHomes}) }},
		{name: "warp", args: "<name>", help: "Brings you to a place that operators have named.", run: (*call).warp},
		{name: "warps", help: "Lists the places that operators have named.", run: (*call).warps},
		{name: "rules", help: "Shows the rules of this world.", run: (*call).rules},
		{name: "setwarp", args: "<name>", help: "Names the place where you stand, for everybody.", needs: decision.MayOperate, run: (*call).setWarp},
		{name: "delwarp", args: "<name>", help: "Takes the name of a place away.", needs: decision.MayOperate, run: (*call).delWarp},
		{name: "setspawn", help: "Lets players begin and come back to life where you stand.", needs: decision.MayOperate, run: (*call).setSpawn},
		{name: "setting", args: "[" + strings.Join(decision.SettingNames, "|") + "] [value]", help: "Shows or changes a setting of the world; default takes the change back.", needs: decision.MayOperate, run: (*call).setting},
		{name: "announce", args: "<message>", help: "Tells everybody something.", needs: decision.MayKick, run: (*call).announceText},
	}
}

// orderSelf orders something about the player who typed.
func (c *call) orderSelf(o decision.Order) error {
	if s := c.cfg.Decisions.Jailed(c.from.id, c.Lobby.time()); s != nil {
		return userError(sentence("You are in jail", s))
	}
	c.order(c.from, o, nil)
	return nil
}

// named is /home and the like: without a name it is about the usual home.
func named(kind decision.OrderKind) func(*call) error {
	return func(c *call) error {
		if len(c.args) > 1 {
			return errUsage
		}
		name := decision.UsualHome
		if len(c.args) == 1 {
			name = c.arg(0)
		}
		if err := placeName(name); err != nil {
			return err
		}
		return c.orderSelf(decision.Order{Kind: kind, Text: name})
	}
}

func placeName(name string) error {
	if !decision.IsLandName(name) {
		return userErrorf("%q cannot be a name of a place: up to %d small letters, digits, - and _.", name, decision.MaxLandName)
	}
	return nil
}

func (c *call) warp() error {
	if len(c.args) != 1 {
		return errUsage
	}
	if _, ok := c.cfg.Decisions.Warp(c.arg(0)); !ok {
		return userErrorf("There is no warp %q. /warps lists them.", c.arg(0))
	}
	return c.orderSelf(decision.Order{Kind: decision.ToWarp, Text: c.arg(0)})
}

func (c *call) warps() error {
	var lines []string
	c.cfg.Decisions.Each(decision.Warp, func(s *decision.Statement) {
		if s.On {
			lines = append(lines, s.Name+" at "+s.Text)
		}
	})
	if len(lines) == 0 {
		c.reply("There are no warps.")
		return nil
	}
	c.reply("%s", clip(strings.Join(lines, "\n")))
	return nil
}

func (c *call) rules() error {
	text := c.cfg.Decisions.Setting(decision.SetRules)
	if text == "" {
		text = "Nobody has written down rules of this world."
	}
	c.reply("%s", text)
	return nil
}

func (c *call) setWarp() error {
	if len(c.args) != 1 {
		return errUsage
	}
	name := c.arg(0)
	if err := placeName(name); err != nil {
		return err
	}
	c.locate(c.from, func(at world.Vec) {
		p := at.Block()
		c.propose(decision.Statement{Topic: decision.Warp, On: true, Name: name, Text: decision.PlaceText(p)}, fmt.Sprintf("/warp %s leads to %s now.", name, p))
	})
	return nil
}

func (c *call) delWarp() error {
	if len(c.args) != 1 {
		return errUsage
	}
	if _, ok := c.cfg.Decisions.Warp(c.arg(0)); !ok {
		return userErrorf("There is no warp %q. /warps lists them.", c.arg(0))
	}
	c.propose(decision.Statement{Topic: decision.Warp, Name: c.arg(0)}, c.arg(0)+" leads nowhere now.")
	return nil
}

func (c *call) setSpawn() error {
	if len(c.args) > 0 {
		return errUsage
	}
	c.locate(c.from, func(at world.Vec) {
		p := at.Block()
		c.propose(decision.Statement{Topic: decision.Setting, On: true, Name: decision.SetSpawn, Text: decision.PlaceText(p)}, fmt.Sprintf("Players begin at %s now.", p))
	})
	return nil
}

// setting shows all settings or one, or changes it.
func (c *call) setting() error {
	if len(c.args) < 2 {
		return c.showSettings(c.arg(0))
	}
	name, value := c.arg(0), c.rest(1)
	s := decision.Statement{Topic: decision.Setting, On: value != "default", Name: name}
	if s.On {
		s.Text = strings.Join(strings.Fields(value), " ")
	}
	if err := decision.CheckSetting(name, s.Text); s.On && err != nil {
		return userErrorf("%v.", err)
	}
	if len(s.Text) > decision.MaxText {
		return userErrorf("A setting has at most %d bytes.", decision.MaxText)
	}
	c.propose(s, fmt.Sprintf("%s: %s", name, cmp.Or(s.Text, "as in a new world")))
	return nil
}

func (c *call) showSettings(only string) error {
	var lines []string
	for _, name := range decision.SettingNames {
		if only == "" || only == name {
			lines = append(lines, name+": "+c.settingText(name))
		}
	}
	if len(lines) == 0 {
		return errUsage
	}
	c.reply("%s", strings.Join(lines, "\n"))
	return nil
}

func (c *call) settingText(name string) string {
	switch value := c.cfg.Decisions.Setting(name); {
	case value != "":
		return value
	case name == decision.SetSpawn:
		return decision.PlaceText(c.cfg.Spawn)
	case name == decision.SetRules || name == decision.SetWelcome:
		return "none"
	}
	return fmt.Sprint(c.cfg.Decisions.Number(name))
}

// announceText is /announce.
func (c *call) announceText() error {
	if len(c.args) == 0 {
		return errUsage
	}
	if c.silenced(c.from) {
		return nil
	}
	c.toAll(&Chat{Kind: wire.ChatSystem, Text: "Announcement by " + c.from.rec.Name + ": " + c.rest(0)})
	return nil
}
