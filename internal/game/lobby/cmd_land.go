package lobby

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const maxRadius = decision.MaxLandSide/2 - 1

// landCommands are about land that players own. Regions enforce what is signed here
// (package region); what the lobby refuses is what its player would not want.
func landCommands() []*command {
	return []*command{
		{name: "claim", args: "<land> <count> | <land> <x> <y> <z> <x> <y> <z>", help: "Makes land yours, under a name: so far around you, from the bottom of the world to the top, or the box between two corners. Nobody else builds there.", needs: decision.MayClaim, run: (*call).claim},
		{name: "unclaim", args: "<land> [known player]", help: "Gives up your land of a name; operators end that of others.", needs: decision.MayClaim, run: (*call).unclaim},
		{name: "claims", args: "[known player]", help: "Lists your land, or a player's.", run: (*call).listLand},
		{name: "trust", args: "<known player>", help: "Lets a player build on all your land.", needs: decision.MayClaim, run: trust(true, "builds on your land now")},
		{name: "untrust", args: "<known player>", help: "Lets a player build on your land no more.", needs: decision.MayClaim, run: trust(false, "does not build on your land any more")},
	}
}

func (c *call) claim() error {
	name := c.arg(0)
	if !decision.IsLandName(name) && len(c.args) > 0 {
		return userErrorf("%q cannot be a name of land: up to %d small letters, digits, - and _.", name, decision.MaxLandName)
	}
	switch len(c.args) {
	case 2:
		radius, err := strconv.Atoi(c.arg(1))
		if err != nil || radius < 0 || radius > maxRadius {
			return userErrorf("Say how far your land goes around you: 0 to %d blocks.", maxRadius)
		}
		c.locate(c.from, func(at world.Vec) {
			p, r := at.Block(), int32(radius)
			c.claimBox(name, world.Zone{Min: world.Pos{X: p.X - r, Y: 0, Z: p.Z - r}, Max: world.Pos{X: p.X + r, Y: world.Height - 1, Z: p.Z + r}})
		})
	case 7:
		var words []string
		for _, w := range c.args[1:] {
			words = append(words, w.Text)
		}
		z, ok := decision.Corners(words)
		if !ok {
			return errUsage
		}
		c.claimBox(name, z)
	default:
		return errUsage
	}
	return nil
}

// claimBox proposes to own a box, unless that would not count.
func (c *call) claimBox(name string, z world.Zone) {
	s := decision.Statement{Topic: decision.Land, On: true, Subject: c.from.id, Name: name, Text: decision.LandText(z, c.from.rec.Name)}
	if _, _, ok := s.Box(); !ok {
		c.fail("Land has sides of up to %d blocks, within the world.", decision.MaxLandSide)
		return
	}
	if err := c.mayOwn(name, z); err != nil {
		c.fail("%v", err)
		return
	}
	c.propose(s, fmt.Sprintf("%s is yours: %d × %d blocks, from %s to %s.", name, z.Max.X-z.Min.X+1, z.Max.Z-z.Min.Z+1, z.Min, z.Max))
}

// mayOwn says why a player cannot own a box under a name.
func (c *call) mayOwn(name string, z world.Zone) error {
	operator := c.from.role >= decision.RoleOperator
	count, area := 1, areaOf(z)
	if c.from.visitor {
		return userErrorf("You are visiting: visitors own no land.")
	}
	if spawn := c.cfg.spawn(); !operator && z.Meets(world.Zone{Min: spawn, Max: spawn}) {
		return userErrorf("The spawn belongs to everybody.")
	}
	for _, l := range c.cfg.Decisions.Lands() {
		_, owner, _ := l.Land.Box()
		switch {
		case l.Land.Subject != c.from.id && l.Box().Meets(z):
			return userErrorf("%s owns %s there.", owner, l.Land.Name)
		case l.Land.Subject == c.from.id && l.Land.Name != name:
			count, area = count+1, area+areaOf(l.Box())
		}
	}
	lands, most := c.cfg.Decisions.Number(decision.SetLands), c.cfg.Decisions.Number(decision.SetLandArea)
	if !operator && (count > lands || area > most) {
		return userErrorf("A player owns up to %d pieces of land and %d square metres in all; this would be %d and %d.", lands, most, count, area)
	}
	return nil
}

func areaOf(z world.Zone) int { return int(z.Max.X-z.Min.X+1) * int(z.Max.Z-z.Min.Z+1) }

func (c *call) unclaim() error {
	if len(c.args) < 1 || len(c.args) > 2 {
		return errUsage
	}
	owner := c.from
	if len(c.args) == 2 {
		var err error
		if owner, err = c.playerKnown(c.arg(1)); err != nil {
			return err
		}
		if owner != c.from && !c.from.role.May(decision.MayOperate) {
			return userErrorf("Only operators end what others own.")
		}
	}
	s := c.cfg.Decisions.Current(decision.Land, owner.id, c.arg(0))
	if s == nil || !s.On {
		return userErrorf("%s owns no land called %q. /claims lists it.", owner.rec.Name, c.arg(0))
	}
	c.propose(decision.Statement{Topic: decision.Land, Subject: owner.id, Name: s.Name}, s.Name+" is nobody's now.")
	return nil
}

func (c *call) listLand() error {
	who := c.from
	if len(c.args) > 0 {
		var err error
		if who, err = c.playerKnown(c.arg(0)); err != nil {
			return err
		}
	}
	var lines []string
	for _, l := range c.cfg.Decisions.Lands() {
		if l.Land.Subject == who.id {
			lines = append(lines, fmt.Sprintf("%s: from %s to %s", l.Land.Name, l.Box().Min, l.Box().Max))
		}
	}
	if len(lines) == 0 {
		c.reply("%s owns no land.", who.rec.Name)
		return nil
	}
	c.reply("%s", clip(strings.Join(lines, "\n")))
	return nil
}

// trust is /trust or /untrust.
func trust(on bool, done string) func(*call) error {
	return func(c *call) error {
		if len(c.args) != 1 {
			return errUsage
		}
		p, err := c.playerKnown(c.arg(0))
		if err != nil {
			return err
		}
		if p == c.from {
			return userErrorf("You build on your own land.")
		}
		c.propose(decision.Statement{Topic: decision.Trust, On: on, Subject: p.id, Name: p.rec.Name}, p.rec.Name+" "+done+".")
		return nil
	}
}
