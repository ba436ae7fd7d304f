// Package reach finds out how a node looks from outside, and whether anybody can
// reach it there. Other nodes say at which address they see it (each link and
// session tells), and it calls itself reachable only after a node that it has
// never sent anything to has reached it: an address translator lets in whom one
// has spoken to.
//
// Dialling back goes over three nodes. The node asks a helper (AskBack) for an
// address; the helper passes that on to a third node of its own choice (Back), if
// the address is the one that it sees the asker at; the third sends one Probe
// there, in a session of its own. The asker recognises it by the nonce.
//
// Invariants:
//   - a probe goes only to the IP address that the asker speaks from, and in the long
//     run not more often than Every, so that nobody is made to send to strangers;
//   - one observer, and all in one subnet together, have one voice.
//
// It is pure: time and randomness are passed in.
package reach

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

const (
	// Fresh is how long an observation counts.
	Fresh = time.Hour
	// Valid is how long a node that was dialled back counts as reachable.
	Valid = 30 * time.Minute
	// Patience is how long a probe may take.
	Patience = 10 * time.Second
	// Every is how often one IP address is dialled back in the long run, Burst how
	// often at once: several nodes of one home may start together.
	Every = 10 * time.Second
	Burst = 3

	maxSeen   = 64
	maxHelped = 1024
)

type sight struct {
	by   netip.Prefix // the observer's subnet
	addr netip.AddrPort
	at   machine.Time
}

// Reach is what a node knows of itself, and whom it has helped.
type Reach struct {
	seen   map[id.ID]sight
	asked  netip.AddrPort // waiting for a probe there
	nonce  uint64
	since  machine.Time
	opened netip.AddrPort // what a router says that it has opened
	proven netip.AddrPort // was dialled back there
	until  machine.Time
	helped map[netip.Addr]machine.Time // how far into the future its dial-backs reach, one each Every
}

// New returns what a new node knows.
func New() *Reach {
	return &Reach{seen: map[id.ID]sight{}, helped: map[netip.Addr]machine.Time{}}
}

// subnet is what counts as one voice: a home's or a small provider's addresses.
func subnet(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	n := 24
	if a.Is6() {
		n = 48
	}
	p, _ := a.Prefix(n) // no error: the length fits
	return p
}

// Seen notes at which address another node sees this one.
func (r *Reach) Seen(by id.ID, from netip.Addr, addr netip.AddrPort, now machine.Time) {
	if !addr.IsValid() || !from.IsValid() {
		return
	}
	if _, known := r.seen[by]; !known && len(r.seen) >= maxSeen {
		for who, s := range r.seen {
			if now.Sub(s.at) > Fresh {
				delete(r.seen, who)
			}
		}
		if len(r.seen) >= maxSeen {
			return
		}
	}
	r.seen[by] = sight{subnet(from), plain(addr), now}
}

func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// voices counts the subnets that see the node at each address.
func (r *Reach) voices(now machine.Time) map[netip.AddrPort]int {
	type voice struct {
		by   netip.Prefix
		addr netip.AddrPort
	}
	once := map[voice]bool{}
	count := map[netip.AddrPort]int{}
	for _, s := range r.seen {
		if v := (voice{s.by, s.addr}); now.Sub(s.at) <= Fresh && !once[v] {
			once[v] = true
			count[s.addr]++
		}
	}
	return count
}

// Opened takes what a router says that it has opened; the zero AddrPort: nothing
// any more.
func (r *Reach) Opened(addr netip.AddrPort) { r.opened = plain(addr) }

// Addr is the address at which others should reach the node: that at which most
// see it (of several with as many voices the lowest), or the port that a router
// has opened at the same IP address. There is none before anybody has said one:
// a router behind another router does not know.
func (r *Reach) Addr(now machine.Time) (netip.AddrPort, bool) {
	best, ok := r.most(now)
	if ok && r.opened.IsValid() && r.opened.Addr() == best.Addr() {
		return r.opened, true
	}
	return best, ok
}

func (r *Reach) most(now machine.Time) (best netip.AddrPort, ok bool) {
	most := 0
	for a, n := range r.voices(now) {
		if n > most || n == most && a.Compare(best) < 0 {
			best, most = a, n
		}
	}
	return best, most > 0
}

// Symmetric reports whether observers see the node at different ports of the same
// IP address: its translator gives each destination a port of its own, and what
// one sees is of no use to another.
func (r *Reach) Symmetric(now machine.Time) bool {
	best, _ := r.most(now)
	for a := range r.voices(now) {
		if a.Addr() == best.Addr() && a.Port() != best.Port() {
			return true
		}
	}
	return false
}

// Ask returns the request to be dialled back, if it is time for one: the address
// is known, and was not proven lately. nonce is random.
func (r *Reach) Ask(nonce uint64, now machine.Time) (AskBack, bool) {
	addr, ok := r.Addr(now)
	waiting := r.asked.IsValid() && now.Sub(r.since) < Patience
	proven := r.proven == addr && r.until.Sub(now) > Valid/2
	if !ok || waiting || proven {
		return AskBack{}, false
	}
	r.asked, r.nonce, r.since = addr, nonce, now
	return AskBack{addr, nonce}, true
}

// Again returns the request that still waits for its probe.
func (r *Reach) Again(now machine.Time) (AskBack, bool) {
	return AskBack{r.asked, r.nonce}, r.asked.IsValid() && now.Sub(r.since) < Patience
}

// Probed takes a probe; it reports whether it is the one that was asked for.
func (r *Reach) Probed(p Probe, now machine.Time) bool {
	if !r.asked.IsValid() || p.Nonce != r.nonce || now.Sub(r.since) > Patience {
		return false
	}
	r.proven, r.until = r.asked, now.Add(Valid)
	r.asked = netip.AddrPort{}
	return true
}

// Reachable is the address at which anybody can reach the node, if it was dialled
// back there and is still seen there.
func (r *Reach) Reachable(now machine.Time) (netip.AddrPort, bool) {
	addr, ok := r.Addr(now)
	return addr, ok && addr == r.proven && now < r.until
}

// Help decides whether a request is passed on: from is where the asker's messages
// come from.
func (r *Reach) Help(from netip.Addr, q AskBack, now machine.Time) (Back, bool) {
	if !q.Addr.IsValid() || q.Addr.Addr().Unmap() != from.Unmap() || !r.turn(from, now) {
		return Back{}, false
	}
	return Back(q), true
}

// Dial decides whether a probe is sent for another node that passed a request on.
func (r *Reach) Dial(b Back, now machine.Time) (Probe, bool) {
	if !b.Addr.IsValid() || b.Addr.Addr().IsMulticast() || b.Addr.Addr().IsUnspecified() || !r.turn(b.Addr.Addr(), now) {
		return Probe{}, false
	}
	return Probe{b.Nonce}, true
}

// turn reports whether an address is dialled back again.
func (r *Reach) turn(a netip.Addr, now machine.Time) bool {
	a = a.Unmap()
	until, known := r.helped[a]
	if until = max(until, now).Add(Every); until.Sub(now) > Burst*Every {
		return false
	}
	if !known && len(r.helped) >= maxHelped {
		for k, until := range r.helped {
			if until <= now {
				delete(r.helped, k)
			}
		}
		if len(r.helped) >= maxHelped {
			return false
		}
	}
	r.helped[a] = until
	return true
}
