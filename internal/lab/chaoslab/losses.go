package chaoslab

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// If all hosts of a part are killed, or a disk is put back, what was acknowledged last may
// be gone. That is no violation if a node has said so, of that part and that time: what is
// there must then be what was there at some time since.

// loss is what a node has said: that what was changed in a part between two moments may be
// missing, or be as it was at a moment in between.
type loss struct {
	part     string
	from, to time.Time
	said     string
}

// oldDisk is a disk that was put back to how it was at a time.
type oldDisk struct {
	node int
	from time.Time
}

const (
	// clockError is how far the clocks of nodes may differ (clock_jumps): by them they say
	// from when a state is.
	clockError = 10 * time.Second
	// saidWithin is how long after a node has said what it does that may take.
	saidWithin = 2 * time.Second
)

var (
	logLine = regexp.MustCompile(`^time=(\S+) level=\S+ msg=(".*?[^\\]")`)
	part    = `(the lobby|region -?\d+,-?\d+)`
	// A state of some time goes on.
	stateOf = []*regexp.Regexp{
		regexp.MustCompile(part + ` lost .* hosts\. It was restored to its state of (\d\d:\d\d:\d\d)\.`),
		regexp.MustCompile(` of ` + part + ` have (?:lost|been).*: it goes on with what this node has, its state of (\d\d:\d\d:\d\d)\.`),
	}
	// The disk of the node that says so was put back, and nobody has what is missing there.
	diskPutBack = []*regexp.Regexp{
		regexp.MustCompile(`^Nobody who hosts ` + part + ` has more than this node, whose disk was put back`),
		regexp.MustCompile(`^Nobody has more of ` + part + ` than this node, whose disk was put back`),
	}
	// The disk of some host was put back.
	hostsPutBack = []*regexp.Regexp{
		regexp.MustCompile(`^Node \S+ has a copy of ` + part + ` that is newer than what its hosts have`),
		regexp.MustCompile(`^The hosts of ` + part + ` have gone on without entry \d+`),
	}
	// Of two groups of a part one has given way, and what was built there is merged.
	becomesOne = []*regexp.Regexp{
		regexp.MustCompile(`^Another group of ` + part + ` goes on`),
		regexp.MustCompile(`^\d+ changes of ` + part + `, which (?:were made here without its hosts|a host had that came back alone)`),
	}
)

// readLosses reads what the nodes have said was lost, in order of time.
func (c *chaos) readLosses() error {
	c.lost = map[string][]loss{}
	type line struct {
		node int
		at   time.Time
		text string
	}
	var lines []line
	for _, p := range c.nodes {
		f, err := os.Open(p.log.Name())
		if err != nil {
			return err
		}
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			if m := logLine.FindStringSubmatch(in.Text()); m != nil {
				at, err := time.Parse(time.RFC3339, m[1])
				text, terr := strconv.Unquote(m[2])
				if err == nil && terr == nil {
					lines = append(lines, line{p.number, at, text})
				}
			}
		}
		if err := cmp.Or(in.Err(), f.Close()); err != nil {
			return fmt.Errorf("the log of node %d: %w", p.number, err)
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	for _, l := range lines {
		c.hear(l.node, l.at, l.text)
	}
	return nil
}

// hear takes what a node has said.
func (c *chaos) hear(node int, at time.Time, text string) {
	for _, r := range stateOf {
		if m := r.FindStringSubmatch(text); m != nil {
			c.addLoss(loss{part: m[1], from: timeOfDay(m[2], at).Add(-clockError), to: at.Add(saidWithin), said: text})
		}
	}
	for _, r := range diskPutBack {
		if m := r.FindStringSubmatch(text); m != nil {
			c.addLoss(loss{part: m[1], from: c.diskOf(at, func(d oldDisk) bool { return d.node == node }), to: at.Add(saidWithin), said: text})
		}
	}
	for _, r := range hostsPutBack {
		if m := r.FindStringSubmatch(text); m != nil {
			c.addLoss(loss{part: m[1], from: c.diskOf(at, func(oldDisk) bool { return true }), to: at.Add(saidWithin), said: text})
		}
	}
	for _, r := range becomesOne {
		if m := r.FindStringSubmatch(text); m != nil {
			if all := c.lost[m[1]]; len(all) > 0 {
				all[len(all)-1].to = at.Add(saidWithin)
			}
		}
	}
}

// diskOf is from when the last disk is that was put back before a moment, of some; the
// moment itself, if there is none.
func (c *chaos) diskOf(at time.Time, of func(oldDisk) bool) time.Time {
	from := at
	for _, d := range c.putBack {
		if of(d) && d.from.Before(at) {
			from = d.from
		}
	}
	return from
}

func (c *chaos) addLoss(l loss) { c.lost[l.part] = append(c.lost[l.part], l) }

// timeOfDay is the last moment before at with some time of the day (15:04:05, UTC).
func timeOfDay(clock string, at time.Time) time.Time {
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		return at
	}
	y, m, d := at.UTC().Date()
	t = time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	if t.After(at.Add(time.Hour)) { // yesterday, not a clock that is ahead
		t = t.AddDate(0, 0, -1)
	}
	return t
}

// lostAt are the losses of the region that a place is in.
func (c *chaos) lostAt(at world.Pos) []loss { return c.lost[at.Column().Region().String()] }

// countLosses counts what the nodes have reported.
func (c *chaos) countLosses() {
	for name, all := range c.lost { // the order does not matter
		c.counts["losses_reported"] += len(all)
		for _, l := range all {
			c.logf("reported of %s: %s", name, l.said)
		}
	}
}

// sighting is something that a player saw and that was not acknowledged last.
type sighting struct {
	when time.Time
	who  string
	spot *chaosSpot
	has  world.Block
	may  string
}

func (c *chaos) see(s sighting) {
	c.wrong.mu.Lock()
	defer c.wrong.mu.Unlock()
	c.seen = append(c.seen, s)
}

// judge decides of what players saw whether a reported loss explains it.
func (c *chaos) judge() {
	for _, s := range c.seen {
		if s.spot.burns && len(c.lostAt(s.spot.at)) > 0 || s.spot.isLoss(s.has, s.when, c.lostAt(s.spot.at)) {
			c.counts["lost_seen"]++
		} else {
			c.wrong.add("%.1f s: %s sees %v, %s", s.when.Sub(c.begun).Seconds(), s.who, s.has, s.may)
		}
	}
}
