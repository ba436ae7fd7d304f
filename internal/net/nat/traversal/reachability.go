package traversal

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	// observationLifetime is how long an observation counts.
	observationLifetime = time.Hour
	// confirmationLifetime is how long a node that was dialled back counts as reachable.
	confirmationLifetime = 30 * time.Minute
	// probeTimeout is how long a probe may take.
	probeTimeout = 10 * time.Second
	// DialBackInterval is how often one IP address (IPv6: a /64) is probed in the long run,
	// DialBackBurst how often at once: several nodes of one home may start together.
	DialBackInterval = 10 * time.Second
	DialBackBurst    = 3

	maxObservations = 64
	maxDialBacks    = 1024
)

type observation struct {
	observer netip.Prefix // the observer's subnet
	addr     netip.AddrPort
	seenAt   machine.Time
}

// Reachability is what a node knows of how others see it, and which probes it has
// helped with.
//
// A dial-back involves three nodes. The node asks a helper (DialBackRequest) for an
// address; the helper forwards the request to a prober of its own choice
// (ProbeRequest), if the address is the one that it sees the requester at; the prober
// sends one Probe there, in a session of its own. The requester recognises it by the
// nonce. It must not have contacted the prober before: an address translator lets in
// packets from addresses that its node has sent to.
type Reachability struct {
	observations   map[id.ID]observation
	probeAddr      netip.AddrPort // waiting for a probe there
	nonce          uint64
	probeSince     machine.Time
	portMapping    netip.AddrPort // what a router says that it has opened
	confirmed      netip.AddrPort // was dialled back there
	confirmedUntil machine.Time
	dialBacks      map[netip.Prefix]machine.Time // how far into the future its dial-backs reach, one each DialBackInterval
}

// NewReachability returns the state of a new node.
func NewReachability() *Reachability {
	return &Reachability{observations: map[id.ID]observation{}, dialBacks: map[netip.Prefix]machine.Time{}}
}

// observerSubnet is what has one vote: a home's or a small provider's addresses.
func observerSubnet(a netip.Addr) netip.Prefix {
	a = limit.Canonical(a)
	n := 24
	if a.Is6() {
		n = 48
	}
	p, _ := a.Prefix(n) // no error: the length fits
	return p
}

// Observe notes the address at which another node sees this one.
func (r *Reachability) Observe(by id.ID, from netip.Addr, addr netip.AddrPort, now machine.Time) {
	if !addr.IsValid() || !from.IsValid() {
		return
	}
	if _, known := r.observations[by]; !known && len(r.observations) >= maxObservations {
		for who, s := range r.observations {
			if now.Sub(s.seenAt) > observationLifetime {
				delete(r.observations, who)
			}
		}
		if len(r.observations) >= maxObservations {
			return
		}
	}
	r.observations[by] = observation{observerSubnet(from), limit.CanonicalPort(addr), now}
}

// observersByAddr counts the subnets that see the node at each address.
func (r *Reachability) observersByAddr(now machine.Time) map[netip.AddrPort]int {
	type vote struct {
		by   netip.Prefix
		addr netip.AddrPort
	}
	once := map[vote]bool{}
	count := map[netip.AddrPort]int{}
	for _, s := range r.observations {
		if v := (vote{s.observer, s.addr}); now.Sub(s.seenAt) <= observationLifetime && !once[v] {
			once[v] = true
			count[s.addr]++
		}
	}
	return count
}

// SetPortMapping takes what a router says that it has opened; the zero AddrPort: nothing
// any more.
func (r *Reachability) SetPortMapping(addr netip.AddrPort) { r.portMapping = limit.CanonicalPort(addr) }

// ReflexiveAddr is the address at which others should reach the node: that at which most
// see it (of several with as many voices the lowest), or the port that a router
// has opened at the same IP address. There is none before anybody has said one:
// a router behind another router does not know.
func (r *Reachability) ReflexiveAddr(now machine.Time) (netip.AddrPort, bool) {
	best, ok := r.mostObserved(now)
	if ok && r.portMapping.IsValid() && r.portMapping.Addr() == best.Addr() {
		return r.portMapping, true
	}
	return best, ok
}

func (r *Reachability) mostObserved(now machine.Time) (best netip.AddrPort, ok bool) {
	most := 0
	for a, n := range r.observersByAddr(now) {
		if n > most || n == most && a.Compare(best) < 0 {
			best, most = a, n
		}
	}
	return best, most > 0
}

// Symmetric reports whether observers see the node at different ports of the same
// IP address: its translator gives each destination a port of its own, and what
// one sees is of no use to another.
func (r *Reachability) Symmetric(now machine.Time) bool {
	best, _ := r.mostObserved(now)
	for a := range r.observersByAddr(now) {
		if a.Addr() == best.Addr() && a.Port() != best.Port() {
			return true
		}
	}
	return false
}

// RequestDialBack returns the request to be dialled back, if it is time for one: the address
// is known, and was not proven lately. nonce is random.
func (r *Reachability) RequestDialBack(nonce uint64, now machine.Time) (DialBackRequest, bool) {
	addr, ok := r.ReflexiveAddr(now)
	waiting := r.probeAddr.IsValid() && now.Sub(r.probeSince) < probeTimeout
	proven := r.confirmed == addr && r.confirmedUntil.Sub(now) > confirmationLifetime/2
	if !ok || waiting || proven {
		return DialBackRequest{}, false
	}
	r.probeAddr, r.nonce, r.probeSince = addr, nonce, now
	return DialBackRequest{addr, nonce}, true
}

// RepeatDialBack returns the request that still waits for its probe.
func (r *Reachability) RepeatDialBack(now machine.Time) (DialBackRequest, bool) {
	return DialBackRequest{r.probeAddr, r.nonce}, r.probeAddr.IsValid() && now.Sub(r.probeSince) < probeTimeout
}

// AcceptProbe takes a probe; it reports whether it is the one that was asked for.
func (r *Reachability) AcceptProbe(p Probe, now machine.Time) bool {
	if !r.probeAddr.IsValid() || p.Nonce != r.nonce || now.Sub(r.probeSince) > probeTimeout {
		return false
	}
	r.confirmed, r.confirmedUntil = r.probeAddr, now.Add(confirmationLifetime)
	r.probeAddr = netip.AddrPort{}
	return true
}

// Reachable is the address at which anybody can reach the node, if it was dialled
// back there and is still seen there.
func (r *Reachability) Reachable(now machine.Time) (netip.AddrPort, bool) {
	addr, ok := r.ReflexiveAddr(now)
	return addr, ok && addr == r.confirmed && now < r.confirmedUntil
}

// PermitDialBack decides whether a request is passed on: from is where the asker's messages
// come from.
func (r *Reachability) PermitDialBack(from netip.Addr, q DialBackRequest, now machine.Time) (ProbeRequest, bool) {
	if !q.Addr.IsValid() || limit.Canonical(q.Addr.Addr()) != limit.Canonical(from) || !r.allowDialBack(from, now) {
		return ProbeRequest{}, false
	}
	return ProbeRequest(q), true
}

// PermitProbe decides whether a probe is sent for another node that passed a request on.
func (r *Reachability) PermitProbe(b ProbeRequest, now machine.Time) (Probe, bool) {
	a := limit.Canonical(b.Addr.Addr())
	if !b.Addr.IsValid() || a.IsMulticast() || a.IsUnspecified() || !r.allowDialBack(a, now) {
		return Probe{}, false
	}
	return Probe{b.Nonce}, true
}

// allowDialBack reports whether an address is dialled back again. Those of an IPv6 /64
// are counted as one: a machine has all of them, and could else use up maxDialBacks.
func (r *Reachability) allowDialBack(a netip.Addr, now machine.Time) bool {
	key := limit.Key(a)
	until, known := r.dialBacks[key]
	if until = max(until, now).Add(DialBackInterval); until.Sub(now) > DialBackBurst*DialBackInterval {
		return false
	}
	if !known && len(r.dialBacks) >= maxDialBacks {
		for k, until := range r.dialBacks {
			if until <= now {
				delete(r.dialBacks, k)
			}
		}
		if len(r.dialBacks) >= maxDialBacks {
			return false
		}
	}
	r.dialBacks[key] = until
	return true
}
