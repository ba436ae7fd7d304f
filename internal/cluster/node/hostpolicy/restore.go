package hostpolicy

import (
	"slices"
	"time"
)

// Lost is what was found out about a shard whose hosts do not answer.
type Lost struct {
	Hosting        bool // somebody has the shard (Objection)
	Near, Answered int  // nodes near the key that are no hosts, those that answered; with this one
	Others, Silent int  // nodes of the last minutes that are no hosts, those that do not answer
	Hosts          int  // that the shard had
	Gone           bool // they have been away for hours
	Ended          bool // their machines say, to this node and to most that answer, that they have ended
}

// MayRestore reports whether the shard is given new hosts. If more nodes than its hosts
// have fallen silent, this node is more likely partitioned. So it is if the hosts are as
// many as those that answer: nobody can tell then which side is cut off, and what both
// sides acknowledge cannot be kept. Only hosts that have been away for hours, or that have
// ended by what their machines say (decision 166), are replaced by fewer.
func (l Lost) MayRestore() bool {
	answering := l.Others - l.Silent + 1 // with this node
	return !l.Hosting && 2*l.Answered > l.Near && 4*l.Silent <= l.Others && (l.Gone || l.Ended || answering > l.Hosts)
}

// Objection is what those say that have been asked for a shard whose hosts are silent, and
// that have a replica, or say so. Zero: nobody does.
type Objection struct {
	Most   bool          // most of its hosts: they can elect
	Backed time.Duration // for how long hosts have, or nodes of which most that they name do
	Bare   time.Duration // for how long others have, of whom nobody knows
}

// Holds reports whether the shard is not restored. One host that is left is waited for as
// long as a survivor is (ObjectionFor), a node that nothing backs as long as the last host
// waits for the others: if it is a host of which the directory does not know, others will
// have heard of it by then.
func (o Objection) Holds() bool {
	return o.Most || o.Backed != 0 && o.Backed < ObjectionFor || o.Bare != 0 && o.Bare < LastHostAfter
}

// Newest returns the index of the newest of several states, of equal ones the first; -1:
// there is none.
func Newest(states []Log) int {
	best := -1
	for i, s := range states {
		if s != (Log{}) && (best < 0 || s.Compare(states[best]) > 0) {
			best = i
		}
	}
	return best
}

// Compare orders states by how new they are.
func (l Log) Compare(o Log) int {
	if c := l.Gen.Compare(o.Gen); c != 0 {
		return c
	}
	return slices.Compare([]uint64{l.Term, l.Last}, []uint64{o.Term, o.Last})
}
