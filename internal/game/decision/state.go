package decision

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// IsOperator reports whether a player is an operator.
func (l *Log) IsOperator(who id.ID) bool {
	_, ok := l.ranks[who]
	return ok && who != l.root
}

// Rank is 1 for an operator whom the founder's node has made, one more for each
// operator in between; 0 for who is none.
func (l *Log) Rank(who id.ID) int { return l.ranks[who] }

// Operators are all operators.
func (l *Log) Operators() []id.ID {
	out := make([]id.ID, 0, len(l.ranks))
	for who := range l.ranks {
		if who != l.root {
			out = append(out, who)
		}
	}
	slices.SortFunc(out, func(a, b id.ID) int { return slices.Compare(a[:], b[:]) })
	return out
}

// Console is the name with which the founder's node makes the key of its consoles an
// operator's. No player is called so: brackets are not allowed in names.
const Console = "[Console]"

// Consoles are the keys of consoles that are operators'.
func (l *Log) Consoles() []id.ID {
	found := map[id.ID]bool{}
	for at, s := range l.latest {
		if at.topic == Operator && s.On && s.Name == Console && l.IsOperator(s.Subject) {
			found[s.Subject] = true
		}
	}
	return id.Sorted(found)
}

// Founded reports whether the founder's node has ever said which player is an operator.
func (l *Log) Founded() bool {
	for at, s := range l.latest {
		if at.issuer == l.root && at.topic == Operator && s.Name != Console {
			return true
		}
	}
	return false
}

// MayUndo reports whether an issuer can end somebody's being an operator: nobody
// above or beside the issuer has granted it.
func (l *Log) MayUndo(issuer, who id.ID) bool {
	rank, ok := l.ranks[issuer]
	return ok && l.IsOperator(who) && rank < l.ranks[who]
}

// Current is the statement that counts about a subject; nil: there is none.
func (l *Log) Current(t Topic, subject id.ID, name string) *Statement {
	return l.current[aboutOf(t, subject, name)]
}

// Each calls f with all statements that count on a topic, the oldest first.
func (l *Log) Each(t Topic, f func(*Statement)) {
	var list []*Statement
	for a, s := range l.current {
		if a.topic == t {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, compare)
	for _, s := range list {
		f(s)
	}
}

// Banned is the ban that keeps a player out; nil: none does. Operators are not
// kept out.
func (l *Log) Banned(player id.ID, name string, now time.Time) *Statement {
	if l.IsOperator(player) {
		return nil
	}
	for _, s := range []*Statement{l.Current(Ban, player, ""), l.Current(Ban, id.ID{}, name)} {
		if s != nil && s.On && !s.Over(now) {
			return s
		}
	}
	return nil
}

// Muted is the statement by which a player says nothing to others; nil: there is none.
func (l *Log) Muted(player id.ID, now time.Time) *Statement { return l.holds(Mute, player, now) }

// Jailed is the statement by which a player is in jail; nil: there is none.
func (l *Log) Jailed(player id.ID, now time.Time) *Statement { return l.holds(Jail, player, now) }

func (l *Log) holds(t Topic, player id.ID, now time.Time) *Statement {
	if s := l.Current(t, player, ""); s != nil && s.On && !s.Over(now) && !l.IsOperator(player) {
		return s
	}
	return nil
}

// IsListed reports whether a player is on the whitelist.
func (l *Log) IsListed(player id.ID) bool {
	s := l.Current(Listed, player, "")
	return s != nil && s.On
}

// Closed reports whether only the whitelist may enter.
func (l *Log) Closed() bool {
	s := l.Current(Whitelist, id.ID{}, "")
	return s != nil && s.On
}

// Holder is the operator who was granted that under a name; zero: none.
func (l *Log) Holder(name string) id.ID {
	want := aboutOf(Operator, id.ID{}, name).name
	for at, s := range l.latest {
		if at.topic == Operator && s.On && l.IsOperator(s.Subject) && aboutOf(Operator, id.ID{}, s.Name).name == want {
			return s.Subject
		}
	}
	return id.ID{}
}

// NameOf is the name with which a player was made an operator.
func (l *Log) NameOf(who id.ID) (name string) {
	var found *Statement
	for at, s := range l.latest {
		if at.topic == Operator && s.On && s.Subject == who && s.newer(found) {
			found, name = s, s.Name
		}
	}
	return name
}

// Next is the sequence number for an issuer's next statement.
func (l *Log) Next(issuer id.ID, now time.Time) uint64 {
	next := uint64(now.UnixMilli())
	for at, s := range l.latest {
		if at.issuer == issuer {
			next = max(next, s.Seq+1)
		}
	}
	return next
}
