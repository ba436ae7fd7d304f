package evidence

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Statement is a line of evidence in plain words. What it says is proven only if
// Explain returned no error with it.
type Statement struct {
	World id.ID // zero: the line does not say of which
	By    id.ID // the accused
	Text  string
}

// Explain says who is accused of what, where and when. It takes the world's genesis from
// the line itself: whoever reads the statement must know that the world is theirs. The
// error says why the line proves nothing: it wraps ErrWeak or ErrNone.
func Explain(b []byte) (Statement, error) {
	var l Line
	if err := json.Unmarshal(b, &l); err != nil {
		return Statement{}, fmt.Errorf("%w: it is no line of evidence: %w", ErrNone, err)
	}
	s := Statement{By: l.By}
	switch {
	case l.Charge == Absent && l.Node != nil:
		s.Text = fmt.Sprintf("%s: somebody saw that node %s counted node %s among its neighbours, which could not be reached.", stamp(l.Time), l.By, *l.Node)
		return s, fmt.Errorf("%w: only who tried to reach that node knows that it was not there", ErrWeak)
	case l.Charge == Missing && l.Node != nil:
		s.Text = fmt.Sprintf("%s: somebody saw that node %s did not count node %s among its neighbours, which is one.", stamp(l.Time), l.By, *l.Node)
		return s, fmt.Errorf("%w: either of the two may lie", ErrWeak)
	case !l.ofLeader() && (l.Charge != Tampered || l.Cell == nil):
		return s, fmt.Errorf("%w: the charge is %.20q", ErrNone, l.Charge)
	}
	g, err := groundOf(l.Record)
	if err != nil {
		return s, err
	}
	s.World = g.record.World()
	if l.ofLeader() {
		s.Text, err = l.explainFalseState(g)
		return s, err
	}
	c, err := l.contradiction(g)
	if err != nil {
		return s, err
	}
	if c.Accused.By() != l.By {
		return s, fmt.Errorf("%w: the answer is that of node %s, not of node %s", ErrNone, c.Accused.By(), l.By)
	}
	at := Rules(g.record).RegionOf(c.X, c.Y)
	var others []string
	for _, a := range c.Others {
		others = append(others, a.By().String())
	}
	s.Text = fmt.Sprintf(`Node %s keeps a false copy of the world %q.
It has signed that the region %d,%d (x %d to %d, z %d to %d) is otherwise at update %d than the nodes of %d of the %d zones say, which is more than half of them. It was noticed at %s.
Signed by %s.`,
		l.By, g.record.Name, at.X, at.Z, at.X*world.RegionSize, (at.X+1)*world.RegionSize-1, at.Z*world.RegionSize, (at.Z+1)*world.RegionSize-1,
		c.Of, len(c.Others), g.space.Zones(), stamp(l.Time), strings.Join(others, ", "))
	return s, nil
}

// explainFalseState says what the leader of a region, or of the lobby, has done.
func (l *Line) explainFalseState(g *Ground) (string, error) {
	e, found, err := l.falseState(g)
	if err != nil {
		return "", err
	}
	from, to := e.Span()
	if found.Shown {
		at := to.Region
		return fmt.Sprintf(`Node %s showed players of another node the region %d,%d of the world %q (x %d to %d, z %d to %d) otherwise than it was between %s and %s, by its own clock.
It led the region, and has signed both what it had sent them and what the region was. What was shown otherwise: %s.`,
			l.By, at.X, at.Z, g.record.Name, at.X*world.RegionSize, (at.X+1)*world.RegionSize-1, at.Z*world.RegionSize, (at.Z+1)*world.RegionSize-1,
			stamp(time.Unix(0, int64(from.Time))), stamp(time.Unix(0, int64(to.Time))), found), nil
	}
	what := "Replayed by the rules, what happened there leads to another state than the signed one. What is false: " + found.String() + "."
	if found.Rule != "" {
		what = "What happened there breaks the rules: " + found.Rule + "."
	}
	if to.Lobby {
		return fmt.Sprintf(`Node %s led the lobby of the world %q, and changed who has which name against the rules between %s and %s, by its own clock.
It has signed the names at both times and all that happened in between. %s`,
			l.By, g.record.Name, stamp(time.Unix(0, int64(from.Time))), stamp(time.Unix(0, int64(to.Time))), what), nil
	}
	at := to.Region
	return fmt.Sprintf(`Node %s changed the region %d,%d of the world %q (x %d to %d, z %d to %d) against its rules between %s and %s, by its own clock.
It led the region, and has signed its state at both times and all that happened in between. %s`,
		l.By, at.X, at.Z, g.record.Name, at.X*world.RegionSize, (at.X+1)*world.RegionSize-1, at.Z*world.RegionSize, (at.Z+1)*world.RegionSize-1,
		stamp(time.Unix(0, int64(from.Time))), stamp(time.Unix(0, int64(to.Time))), what), nil
}

// stamp is a time as people read it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
