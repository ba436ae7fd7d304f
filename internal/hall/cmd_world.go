package hall

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// saveTimeout is how long /save waits for a region.
const saveTimeout = 30 * time.Second

// Times of the day in 1/24ths of a day since sunrise.
var timeNames = []struct {
	name string
	hour int64
}{{"day", 1}, {"noon", 6}, {"night", 13}, {"midnight", 18}}

// worldCommands are about the world.
func worldCommands() []*command {
	return []*command{
		{name: "seed", help: "Shows what the world grew from.", run: func(c *call) error {
			c.reply("The seed of %s is %s.", c.cfg.Name, c.cfg.Seed)
			return nil
		}},
		{name: "time", args: "query | set <day|noon|night|midnight|ticks> | add <ticks>", help: "Shows or changes the time of day.", run: (*call).time},
		{name: "save", help: "Writes the whole world to disk now. What was acknowledged is there already.", operator: true, run: (*call).save},
	}
}

func (c *call) time() error {
	if c.arg(0) == "query" || len(c.args) == 0 {
		c.reply("It is %s.", c.clock())
		return nil
	}
	if len(c.args) != 2 {
		return errUsage
	}
	if !c.from.operator {
		return sorry("Only operators change the time.")
	}
	ticks, err := c.ticks(c.arg(1))
	if err != nil {
		return err
	}
	switch c.arg(0) {
	case "set":
		c.setTime(mod(ticks-c.tick(), c.cfg.Day))
	case "add":
		c.setTime(mod(c.world.TimeOffset+ticks, c.cfg.Day))
	default:
		return errUsage
	}
	return nil
}

// ticks reads a time of day or a number of ticks.
func (c *call) ticks(s string) (int64, error) {
	for _, t := range timeNames {
		if s == t.name {
			return t.hour * c.cfg.Day / 24, nil
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < -c.cfg.Day || n > c.cfg.Day {
		return 0, sorry("%q is no time: day, noon, night, midnight or up to %d ticks.", s, c.cfg.Day)
	}
	return n, nil
}

func (c *call) setTime(offset int64) {
	c.world.TimeOffset = offset
	c.writeWorld(func(err error) {
		c.toAll(&TimeOffset{Ticks: c.world.TimeOffset})
		c.lawsToAll()
		c.done(err, "It is %s now.", c.clock())
	})
}

// done answers a command that has changed something on disk.
func (c *call) done(err error, format string, args ...any) {
	if err != nil {
		c.fail("%s It could not be saved and holds until the node restarts: %v.", fmt.Sprintf(format, args...), err)
		return
	}
	c.reply(format, args...)
}

// clock is the time of day as on a clock: sunrise is at 6:00.
func (h *Hall) clock() string {
	minutes := mod(h.tick()+h.world.TimeOffset, h.cfg.Day) * 24 * 60 / h.cfg.Day
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

func (h *Hall) onSaved(m *Saved) {
	s := h.saves[m.Tag]
	if s == nil {
		return
	}
	if m.Err != "" {
		s.errors = append(s.errors, fmt.Sprintf("%s: %s", m.Region, m.Err))
	}
	if s.left--; s.left > 0 {
		return
	}
	delete(h.saves, m.Tag)
	if len(s.errors) > 0 {
		s.call.fail("Not everything could be saved: %s.", strings.Join(s.errors[:min(len(s.errors), 3)], "; "))
		return
	}
	s.call.reply("Saved %s.", plural(s.total, "region"))
}

func (h *Hall) onSaveLate(tag uint64) {
	if s := h.saves[tag]; s != nil {
		delete(h.saves, tag)
		s.call.fail("%s did not answer in %v.", plural(s.left, "region"), saveTimeout)
	}
}
