package lobby

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// saveTimeout is how long /save waits for a region.
const saveTimeout = 30 * time.Second

// worldCommands are about the world.
func worldCommands() []*command {
	return []*command{
		{name: "seed", help: "Shows what the world grew from.", run: func(c *call) error {
			c.reply("The seed of %s is %s.", c.cfg.Name, c.cfg.Seed)
			return nil
		}},
		{name: "time", args: "query | set <day|noon|night|midnight|ticks> | add <ticks>", help: "Shows or changes the time of day.", run: (*call).time},
		{name: "save", help: "Writes the whole world to disk now. What was acknowledged is there already.", needs: decision.MayOperate, run: (*call).save},
	}
}

func (c *call) time() error {
	if c.arg(0) == "query" || len(c.args) == 0 {
		c.reply("It is %s.", c.clock(mod(c.tick()+c.timeOffset, c.cfg.Day)))
		return nil
	}
	if len(c.args) != 2 {
		return errUsage
	}
	if !c.from.role.May(decision.MayOperate) {
		return userErrorf("Only operators change the time.")
	}
	ticks, err := c.ticks(c.arg(1))
	if err != nil {
		return err
	}
	text := c.arg(1)
	switch c.arg(0) {
	case "set":
	case "add":
		ticks = mod(c.tick()+c.timeOffset+ticks, c.cfg.Day)
		text = strconv.FormatInt(ticks, 10)
	default:
		return errUsage
	}
	c.propose(decision.Statement{Topic: decision.Time, On: true, Text: text}, fmt.Sprintf("It is %s now.", c.clock(mod(ticks, c.cfg.Day))))
	return nil
}

// ticks reads a time of day or a number of ticks.
func (c *call) ticks(s string) (int64, error) {
	n, ok := decision.ParseTime(s, c.cfg.Day)
	if !ok || n < -c.cfg.Day || n > c.cfg.Day {
		return 0, userErrorf("%q is no time: day, noon, night, midnight or up to %d ticks.", s, c.cfg.Day)
	}
	return n, nil
}

// clock is a time of day, in ticks, as on a clock: sunrise is at 6:00.
func (h *Lobby) clock(ticks int64) string {
	minutes := ticks * 24 * 60 / h.cfg.Day
	minutes = (minutes + 6*60) % (24 * 60)
	return fmt.Sprintf("%d:%02d", minutes/60, minutes%60)
}

func mod(a, b int64) int64 { return (a%b + b) % b }

// save is a /save whose regions have not all answered.
type save struct {
	call   *call
	left   int
	total  int
	errors []string
}

func (c *call) save() error {
	regions := c.regionsAwake()
	if len(regions) == 0 {
		c.reply("Everything is saved.")
		return nil
	}
	tag := c.tag()
	c.saves[tag] = &save{call: c, left: len(regions), total: len(regions)}
	for _, r := range regions {
		c.toRegion(&SaveAll{Region: r, Tag: tag})
	}
	c.env.SetTimer(c.env.Now().Add(saveTimeout), machine.Timer{Kind: timerSave, Arg: tag})
	return nil
}

// saves are the ones that are going on, by tag.
type saves map[uint64]*save

// hear takes a region's answer.
func (all saves) hear(m *Saved) {
	s := all[m.Tag]
	if s == nil {
		return
	}
	if m.Err != "" {
		s.errors = append(s.errors, fmt.Sprintf("%s: %s", m.Region, m.Err))
	}
	if s.left--; s.left > 0 {
		return
	}
	delete(all, m.Tag)
	if len(s.errors) > 0 {
		s.call.fail("Not everything could be saved: %s.", strings.Join(s.errors[:min(len(s.errors), 3)], "; "))
		return
	}
	s.call.reply("Saved %s.", plural(s.total, "region"))
}

// expire ends a save that takes too long.
func (all saves) expire(tag uint64) {
	if s := all[tag]; s != nil {
		delete(all, tag)
		s.call.fail("%s did not answer in %v.", plural(s.left, "region"), saveTimeout)
	}
}
