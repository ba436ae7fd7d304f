package region

import "slices"

// MaxActs is how many acts a player may have asked for since the oldest that has
// no answer.
const MaxActs = 512

// Acts is the session's side of what its player does: acts are numbered from 1
// and kept until they are answered, and what has no answer is sent again to
// whoever leads the player's home then. The home does each once and in order
// (docs/protocols/region.md, "Acts"). The zero value is ready.
type Acts struct {
	entry      uint32
	last       uint32
	unanswered []*Act
}

// ActsAbove returns the side of a session under whose name another has played
// before, and has counted no further.
func ActsAbove(n uint32) Acts { return Acts{entry: n, last: n} }

// EntriesAbove returns the side of a session whose Enters are numbered above n.
func EntriesAbove(n uint32) Acts { return Acts{entry: n} }

// Next is the number of the next act.
func (a *Acts) Next() uint32 { return a.last + 1 }

// Enter completes a message that enters a region: answers from before it do not
// count any more, for what is open is asked again.
func (a *Acts) Enter(m *Enter) *Enter {
	a.entry++
	m.Entry, m.Oldest = a.entry, a.oldest()
	return m
}

// Ask numbers an act and keeps it; it is to be sent to the home, if there is
// one at the moment. Nil: too many have no answer.
func (a *Acts) Ask(m *Act) *Act {
	if a.last+1-a.oldest() >= MaxActs {
		return nil
	}
	a.last++
	m.Seq = a.last
	a.unanswered = append(a.unanswered, m)
	m.Oldest = a.oldest()
	return m
}

// Resend returns what has no answer, to be sent again in this order. Any number
// of copies does no harm.
func (a *Acts) Resend() []*Act {
	out := make([]*Act, len(a.unanswered))
	for i, m := range a.unanswered {
		again := *m
		again.Oldest = a.oldest()
		out[i] = &again
	}
	return out
}

// Complete takes an answer; false if it is not one to an act that is open.
func (a *Acts) Complete(m *ActResult) bool {
	i := slices.IndexFunc(a.unanswered, func(o *Act) bool { return o.Seq == m.Seq })
	if i < 0 || m.Entry != a.entry {
		return false
	}
	a.unanswered = slices.Delete(a.unanswered, i, i+1)
	return true
}

// Discard gives up what has no answer, when nobody waits for it any more.
func (a *Acts) Discard() { a.unanswered = nil }

// Pending is how many acts have no answer.
func (a *Acts) Pending() int { return len(a.unanswered) }

func (a *Acts) oldest() uint32 {
	if len(a.unanswered) > 0 {
		return a.unanswered[0].Seq
	}
	return a.last + 1
}
