package lobby

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/closest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const (
	locateTimeout = 2 * time.Second // a region that does not answer
)

// playCommands act on players in the world.
func playCommands() []*command {
	return []*command{
		{name: "spawn", help: "Brings you to where everybody begins.", run: (*call).spawn},
		{name: "tp", args: "[player] <player> | [player] <x> <y> <z>", help: "Brings you or another player to a player or a place; ~ is where the one who is brought stands.", needs: decision.MayOperate, run: (*call).tp},
		{name: "gamemode", args: "<survival|creative|spectator> [player]", help: "Changes how you or another player plays.", needs: decision.MayOperate, run: (*call).gamemode},
		{name: "give", args: "<player> <block> [count]", help: "Gives blocks to a player.", needs: decision.MayOperate, run: (*call).give},
	}
}

// request brings an Order to a player.
func (h *Lobby) errand(p *player, o Order) {
	o.Player = p.id
	h.whereabouts.send(&playerRequest{
		player: p, at: p.region,
		ask: func(at world.RegionPos, tag uint64) machine.Message {
			o := o
			o.Region, o.Tag = at, tag
			return &o
		},
	})
}

func (c *call) spawn() error {
	if s := c.cfg.Decisions.Jailed(c.from.id, c.Lobby.time()); s != nil {
		return userError(sentence("You are in jail", s))
	}
	c.order(c.from, decision.Order{Kind: decision.Spawn}, nil)
	return nil
}

// tp finds who and where by the number of arguments.
func (c *call) tp() error {
	who := c.from
	var err error
	place := c.args
	if n := len(c.args); n == 2 || n == 4 {
		if who, err = c.playerHere(c.arg(0)); err != nil {
			return err
		}
		place = c.args[1:]
	}
	switch len(place) {
	case 1:
		to, err := c.playerHere(place[0].Text)
		if err != nil {
			return err
		}
		return c.tpToPlayer(who, to)
	case 3:
		return c.tpToPlace(who, place)
	}
	return errUsage
}

func (c *call) tpToPlayer(who, to *player) error {
	if who == to {
		return userErrorf("%s is there already.", who.rec.Name)
	}
	c.locate(to, func(at world.Vec) {
		c.order(who, decision.Order{Kind: decision.Teleport, At: at}, func() {
			c.reply("%s is now with %s.", who.rec.Name, to.rec.Name)
			c.tellMoved(who, "to "+to.rec.Name)
		})
	})
	return nil
}

// tellMoved tells a player that somebody else has brought it somewhere.
func (c *call) tellMoved(who *player, where string) {
	if who != c.from {
		c.tell(who, wire.ChatSystem, "%s has brought you %s.", c.from.rec.Name, where)
	}
}

func (c *call) tpToPlace(who *player, place []decision.Word) error {
	go_ := func(from world.Vec) error {
		to, err := coordinates(place, from)
		if err != nil {
			return err
		}
		c.order(who, decision.Order{Kind: decision.Teleport, At: to}, func() {
			c.reply("%s is now at %s.", who.rec.Name, to.Block())
			c.tellMoved(who, "to "+to.Block().String())
		})
		return nil
	}
	relative := false
	for _, w := range place {
		relative = relative || strings.HasPrefix(w.Text, "~")
	}
	if !relative {
		return go_(world.Vec{})
	}
	c.locate(who, func(at world.Vec) {
		if err := go_(at); err != nil {
			c.fail("%v", err)
		}
	})
	return nil
}

// locate asks where a player is.
func (c *call) locate(p *player, then func(world.Vec)) {
	if p.console {
		c.fail("%s", nowhere)
		return
	}
	c.whereabouts.send(&playerRequest{
		player: p, at: p.region,
		ask: p.locate,
		then: func(m *Located) {
			if m == nil || !m.Found {
				c.fail("%s cannot be found at the moment.", p.rec.Name)
				return
			}
			then(m.Position)
		},
	})
}

// coordinates reads x y z; ~ is from's.
func coordinates(words []decision.Word, from world.Vec) (world.Vec, error) {
	var out world.Vec
	base := [3]fixed.Num{from.X, from.Y, from.Z}
	for i, dst := range []*fixed.Num{&out.X, &out.Y, &out.Z} {
		n, err := coordinate(words[i].Text, base[i], i != 1)
		if err != nil {
			return out, err
		}
		*dst = n
	}
	edge := fixed.Int(world.Limit - 2)
	if out.X.Abs() > edge || out.Z.Abs() > edge {
		return out, userErrorf("The world ends %d blocks from its middle.", world.Limit)
	}
	if out.Y < 0 || out.Y > fixed.Int(2*world.Height) {
		return out, userErrorf("y goes from 0 to %d.", 2*world.Height)
	}
	return out, nil
}

// coordinate reads one number in metres; a whole one means the middle of the
// block if centre is set.
func coordinate(s string, base fixed.Num, centre bool) (fixed.Num, error) {
	text, relative := strings.CutPrefix(s, "~")
	if relative && text == "" {
		return base, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 2*world.Limit {
		return 0, userErrorf("%q is no coordinate.", s)
	}
	n := fixed.Num(math.Round(v * float64(fixed.One)))
	if relative {
		return base + n, nil
	}
	if centre && !strings.ContainsAny(text, ".eEpP") {
		n += fixed.One / 2
	}
	return n, nil
}

func (c *call) gamemode() error {
	if len(c.args) < 1 || len(c.args) > 2 {
		return errUsage
	}
	mode := pick(decision.Modes, c.arg(0))
	if mode < 0 {
		return errUsage
	}
	who := c.from
	if len(c.args) == 2 {
		var err error
		if who, err = c.playerHere(c.arg(1)); err != nil {
			return err
		}
	}
	if c.earns() && world.Mode(mode) == world.Creative {
		return userErrorf("Nobody plays in creative mode in this world: what they placed would not last, for the other nodes keep count of what players have dug.")
	}
	c.order(who, decision.Order{Kind: decision.SetMode, Text: decision.Modes[mode]}, func() {
		c.reply("%s plays in %s mode now.", who.rec.Name, decision.Modes[mode])
	})
	return nil
}

// pick finds a word by its number or by a beginning that fits only one.
func pick(words []string, s string) int {
	found := -1
	for i, w := range words {
		switch {
		case s == w || s == strconv.Itoa(i):
			return i
		case s != "" && strings.HasPrefix(w, strings.ToLower(s)):
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// earns reports whether nodes replay what players win and place, and take what
// they have from elsewhere for a leader's lie.
func (c *call) earns() bool { return c.cfg.Stored && world.Mode(c.cfg.Mode) == world.Survival }

// itemNames are the names of all blocks that can be given.
func itemNames() (out []string) {
	for b := range world.AllBlocks() {
		if info := world.Info(b); info.Item {
			out = append(out, info.Name)
		}
	}
	return out
}

func (c *call) give() error {
	if len(c.args) < 2 || len(c.args) > 3 {
		return errUsage
	}
	who, err := c.playerHere(c.arg(0))
	if err != nil {
		return err
	}
	block, ok := world.BlockByName(strings.ToLower(c.arg(1)))
	if !ok || !world.Info(block).Item {
		return userErrorf("There is no block %q to give.%s", c.arg(1), closest.Question(c.arg(1), "", itemNames()))
	}
	count := 1
	if len(c.args) == 3 {
		if count, err = strconv.Atoi(c.arg(2)); err != nil || count < 1 || count > decision.MaxGive {
			return userErrorf("The count goes from 1 to %d.", decision.MaxGive)
		}
	}
	if c.earns() {
		return userErrorf("Nothing can be given in this world: it would not last, for the other nodes keep count of what players have dug.")
	}
	c.order(who, decision.Order{Kind: decision.Give, Text: world.Info(block).Name, Count: uint16(count)}, func() {
		c.reply("%s gets %d × %s.", who.rec.Name, count, world.Info(block).Title)
	})
	return nil
}
