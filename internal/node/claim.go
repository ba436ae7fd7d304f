package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/records"
)

// How a part gets its first hosts (dissertation, algorithm 3: GENERATE). The
// node nearest to the part's key coordinates. So that two that both believe to
// be the nearest do not both make a group, the coordinator needs the leave of a
// majority of the nodes nearest to the key, and each grants it to one at a time.

const (
	claimants    = 5 // nodes that are asked for leave
	claimTime    = 1500 * time.Millisecond
	grantTime    = 10 * time.Second
	maxGrants    = 1 << 12
	maxMaking    = 256
	answersAfter = 300 * time.Millisecond // a majority need not wait longer for the rest
)

// making is a search for the hosts of a part that this node coordinates.
type making struct {
	part    Part
	nonce   uint64
	asked   []machine.Peer // nearest first
	answers map[id.ID]*ClaimAnswer
	begun   machine.Time
}

// grant is a leave that this node has given.
type grant struct {
	to    id.ID
	nonce uint64
	until machine.Time
}

// claims are both sides of it.
type claims struct {
	making map[Part]*making
	grants map[Part]grant
}

func newClaims() claims { return claims{map[Part]*making{}, map[Part]grant{}} }

// coordinate begins to find hosts for a part that has none.
func (w *network) coordinate(p Part) {
	if w.hosted(p) != nil || w.claims.making[p] != nil || len(w.claims.making) >= maxMaking || w.closing {
		return
	}
	mk := &making{part: p, answers: map[id.ID]*ClaimAnswer{}}
	w.claims.making[p] = mk
	w.dir.lookup(w.dir.key(p), func(r kademlia.Result) { w.claim(mk, r.Closest) })
}

// claim asks the nodes nearest to the key. Those that were there a while ago are
// asked too and count for the majority, even if the directory has given them up:
// a node that has been cut off from the others must not begin a world of its own.
func (w *network) claim(mk *making, closest []machine.Peer) {
	key := w.dir.key(mk.part)
	all := append(w.remembered(), closest...)
	all = append(all, w.cfg.Self)
	nearestFirst(key, all)
	all = slices.CompactFunc(all, func(a, b machine.Peer) bool { return a.ID == b.ID })
	mk.asked = all[:min(len(all), claimants)]
	mk.nonce, mk.begun = w.n.env.Rand().Uint64(), w.n.env.Now()
	for _, p := range mk.asked {
		if p == w.cfg.Self {
			mk.answers[p.ID] = w.answerClaim(p.ID, &Claim{mk.part, mk.nonce})
		} else {
			w.n.env.Send(p, &Claim{mk.part, mk.nonce})
		}
	}
	w.judge(mk)
}

// remembered are the nodes that were there a while ago.
func (w *network) remembered() (out []machine.Peer) {
	for _, who := range sortedIDs(w.memory.heard) {
		if s := w.memory.heard[who]; w.n.env.Now().Sub(s.at) < remember {
			out = append(out, s.peer)
		}
	}
	return out
}

// answerClaim gives or refuses leave.
func (w *network) answerClaim(from id.ID, m *Claim) *ClaimAnswer {
	now := w.n.env.Now()
	out := &ClaimAnswer{Part: m.Part, Nonce: m.Nonce, Room: w.room(), Stored: w.stored[m.Part]}
	if h := w.hosted(m.Part); h != nil {
		h.rouse()
		out.Members = h.members()
		return out
	}
	g, held := w.claims.grants[m.Part]
	if held && g.until > now && g.to != from || !held && len(w.claims.grants) >= maxGrants {
		return out
	}
	w.claims.grants[m.Part] = grant{from, m.Nonce, now.Add(grantTime)}
	out.Granted = true
	return out
}

func (w *network) onClaimAnswer(f *farNode, m *ClaimAnswer) {
	mk := w.claims.making[m.Part]
	if mk == nil || mk.nonce != m.Nonce || mk.begun == 0 || len(m.Members) > records.MaxHosts ||
		!slices.ContainsFunc(mk.asked, func(p machine.Peer) bool { return p.ID == f.peer.ID }) {
		return
	}
	mk.answers[f.peer.ID] = m
	w.judge(mk)
}

// judge ends a search that has its answers, or none in time.
func (w *network) judge(mk *making) {
	waited := w.n.env.Now().Sub(mk.begun)
	granted := 0
	for _, p := range mk.asked {
		a := mk.answers[p.ID]
		if a != nil && len(a.Members) > 0 { // it has hosts already
			delete(w.claims.making, mk.part)
			r := w.route(mk.part)
			r.members = a.Members
			w.seek(r)
			return
		}
		if a != nil && a.Granted {
			granted++
		}
	}
	switch {
	case 2*granted > len(mk.asked) && (len(mk.answers) == len(mk.asked) || waited >= answersAfter):
		delete(w.claims.making, mk.part)
		w.appoint(mk)
	case len(mk.answers) == len(mk.asked) || waited >= claimTime:
		delete(w.claims.making, mk.part) // whoever needs the part asks again
	}
}

// appoint chooses the hosts: who has the part already, then the nearest that
// have room.
func (w *network) appoint(mk *making) {
	var hosts []machine.Peer
	for _, want := range []func(*ClaimAnswer) bool{
		func(a *ClaimAnswer) bool { return a.Stored },
		func(a *ClaimAnswer) bool { return a.Room && !a.Stored },
	} {
		for _, p := range mk.asked {
			if a := mk.answers[p.ID]; a != nil && a.Granted && want(a) {
				hosts = append(hosts, p)
			}
		}
	}
	if len(hosts) == 0 {
		return
	}
	hosts = hosts[:odd(min(len(hosts), w.cfg.Replicas))]
	w.route(mk.part).members = hosts
	m := &Found{mk.part, mk.nonce, hosts}
	if hosts[0] == w.cfg.Self {
		w.onFound(w.cfg.Self.ID, m)
	} else {
		w.n.env.Send(hosts[0], m)
	}
}

// odd is the largest odd number up to n: a group of two is lost with either of
// its members.
func odd(n int) int { return n - 1 + n&1 }

// onFound makes a group of which this node is the first member, once the
// directory has its record: there can be one only.
func (w *network) onFound(from id.ID, m *Found) {
	g, ok := w.claims.grants[m.Part]
	if !ok || g.to != from || g.nonce != m.Nonce || w.hosted(m.Part) != nil || !m.Part.inWorld() ||
		len(m.Members) == 0 || len(m.Members) > records.MaxHosts || m.Members[0].ID != w.cfg.Self.ID || w.closing {
		return
	}
	w.claims.grants[m.Part] = grant{to: w.cfg.Self.ID, nonce: g.nonce, until: g.until} // once
	w.dir.create(m.Part, m.Members, func(won bool, rival records.Hosts) {
		gone := w.allGone(rival.Members)
		switch {
		case w.hosted(m.Part) != nil || w.closing:
		case won:
			delete(w.stored, m.Part)
			w.create(m.Part, 0, m.Members)
		case gone:
			w.note(fmt.Sprintf("All %d hosts of %s have been gone for more than %v: it begins anew, as the world was made. "+
				"If they come back they put aside what they have.", len(rival.Members), m.Part, w.cfg.GoneAfter))
			w.create(m.Part, max(1, generationOf(rival.Term)), m.Members)
		case len(rival.Members) > 0:
			w.route(m.Part).members = rival.Members
		}
	})
}

// onGenerate finds hosts for a part that another node needs.
func (w *network) onGenerate(f *farNode, m *Generate) {
	if !m.Part.inWorld() || !w.dir.joined {
		return
	}
	w.coordinate(m.Part)
	w.tellWhere(f.peer, m.Part)
}

// claimBeat ends what takes too long.
func (w *network) claimBeat() {
	now := w.n.env.Now()
	for _, p := range sortedParts(w.claims.making) {
		if mk := w.claims.making[p]; mk.begun != 0 {
			w.judge(mk)
		}
	}
	for p, g := range w.claims.grants { // the order does not matter
		if g.until <= now {
			delete(w.claims.grants, p)
		}
	}
}
