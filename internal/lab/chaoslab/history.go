package chaoslab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// known is something that one player alone changes, a block or a text: what may be there,
// and what was asked for, from which follows what may be there after a loss.
type known[V comparable] struct {
	may   map[V]bool // what was acknowledged last, and what was asked for since without a clear answer
	first map[V]bool // what may have been there at the beginning
	asked []request[V]
}

// request is a change that was asked for.
type request[V comparable] struct {
	value       V
	from, to    time.Time // when it was asked for, and answered or given up
	done, clear bool      // neither: nobody knows
}

func knownTo[V comparable](values ...V) known[V] {
	k := known[V]{may: map[V]bool{}, first: map[V]bool{}}
	for _, v := range values {
		k.may[v], k.first[v] = true, true
	}
	return k
}

// ask notes that something is asked for, and answered what became of it.
func (k *known[V]) ask(v V) (answered func(clear, done bool)) {
	before := maps.Clone(k.may)
	k.may[v] = true
	r := request[V]{value: v, from: time.Now()}
	return func(clear, done bool) {
		r.to, r.clear, r.done = time.Now(), clear, done
		k.asked = append(k.asked, r)
		switch {
		case done:
			k.may = map[V]bool{v: true}
		case clear:
			k.may = before // for certain not done
		}
	}
}

// allows reports whether a value may be there now, after some losses that nodes have
// reported.
func (k *known[V]) allows(v V, lost []loss) bool { return k.may[v] || k.isLoss(v, time.Now(), lost) }

// isLoss reports whether a reported loss explains that a value is there at a moment.
func (k *known[V]) isLoss(v V, when time.Time, lost []loss) bool {
	return slices.ContainsFunc(lost, func(l loss) bool {
		return !l.from.After(when) && !k.changedAfter(l.to, when) && k.had(l.from, when)[v]
	})
}

// changedAfter reports whether a change was asked for after a moment and acknowledged
// before another: a loss before it does not matter any more.
func (k *known[V]) changedAfter(from, to time.Time) bool {
	return slices.ContainsFunc(k.asked, func(r request[V]) bool { return r.done && r.from.After(from) && !r.to.After(to) })
}

// had is what may have been there at some time between two moments.
func (k *known[V]) had(from, to time.Time) map[V]bool {
	out := maps.Clone(k.first)
	for _, r := range k.asked {
		switch {
		case r.clear && !r.done || r.from.After(to):
		case r.done && r.to.Before(from):
			out = map[V]bool{r.value: true}
		default:
			out[r.value] = true
		}
	}
	return out
}

// story is what was asked for last, and the answers.
func (k *known[V]) story() string {
	var out []string
	for _, r := range k.asked[max(0, len(k.asked)-6):] {
		end := "unclear"
		if r.done {
			end = "done"
		} else if r.clear {
			end = "refused"
		}
		out = append(out, fmt.Sprintf("%s–%s %v: %s", r.from.UTC().Format(storyTime), r.to.UTC().Format(storyTime), r.value, end))
	}
	return strings.Join(out, "; ")
}

const storyTime = "15:04:05.0"
