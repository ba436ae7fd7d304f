package retrieval

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// Query is a running retrieval of an area (thesis 5.2.2).
type Query struct {
	vote.Poll
	Began   machine.Time
	Answers int // messages
	Done    bool

	keys     []overlay.Area // the area in each zone
	missing  [][]missing    // of each zone: nodes that overlap the area and have not answered
	full     int            // zones that are complete, spoiled ones too
	results  vote.Tally     // of whole zones
	fetching bool           // it was decided; what was agreed on is fetched
	direct   directQuery
}

// missing is somebody whose answer is waited for.
type missing struct {
	node  *overlay.Contact
	named bool // by who has answered; otherwise because it answered the last time
}

// knows reports whether somebody of a zone who is named has answered or is waited for.
func (q *Query) knows(zone int, who id.ID) bool {
	for i := range q.missing[zone] {
		if m := &q.missing[zone][i]; m.node.ID == who {
			m.named = true
			return true
		}
	}
	return q.Zones[zone].Answered(who)
}

// close notes that nobody of a zone is waited for any more.
func (q *Query) close(zone int) {
	q.Zones[zone].Over = true
	q.full++
}

// zoneReached reports whether somebody has answered whose cell lies in the part of
// the zone that is asked for. Only then do the neighbours that are named lead to
// all others: who answered the last time may be elsewhere now, as when more nodes
// have come and its cell is smaller.
func (q *Query) zoneReached(zone int) bool {
	return slices.ContainsFunc(q.Zones[zone].Results, func(r *messages.Result) bool { return r.Around.Meets(&q.keys[zone]) })
}

func remove(list []missing, who id.ID) []missing {
	for i, x := range list {
		if x.node.ID == who {
			list[i] = list[len(list)-1]
			return list[:len(list)-1]
		}
	}
	return list
}
