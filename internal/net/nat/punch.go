package nat

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/transport/v5"

	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// DefaultCheckTimeout is how long two nodes try to reach each other directly.
const DefaultCheckTimeout = 8 * time.Second

// Puncher finds paths to nodes behind address translators, by ICE (RFC 8445) over
// the node's one UDP port: once a path is found, that port can send to the
// address at its end and hear from it. There are no STUN servers: what a node
// looks like from outside its peers tell it (traversal.Reachability).
type Puncher struct {
	mux     *ice.UDPMuxDefault
	opts    []ice.AgentOption
	timeout time.Duration
}

// NewPuncher returns a puncher over a connection that gets the node's STUN
// packets and sends from the node's port (transport's Socket.Aux). network is
// nil but in simulations; patience 0 is DefaultCheckTimeout.
func NewPuncher(conn net.PacketConn, network transport.Net, patience time.Duration) *Puncher {
	if patience <= 0 {
		patience = DefaultCheckTimeout
	}
	quiet := &logging.DefaultLoggerFactory{Writer: io.Discard}
	p := &Puncher{timeout: patience}
	p.mux = ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: conn, Net: network, Logger: quiet.NewLogger("ice")})
	p.opts = []ice.AgentOption{
		ice.WithUDPMux(p.mux),
		ice.WithNetworkTypes([]ice.NetworkType{ice.NetworkTypeUDP4, ice.NetworkTypeUDP6}),
		ice.WithCandidateTypes([]ice.CandidateType{ice.CandidateTypeHost}),
		ice.WithMulticastDNSMode(ice.MulticastDNSModeDisabled),
		ice.WithDisableActiveTCP(),
		ice.WithDisconnectedTimeout(patience), ice.WithFailedTimeout(patience),
		ice.WithRemoteIPFilter(plausible),
		ice.WithLoggerFactory(quiet),
	}
	if network != nil {
		p.opts = append(p.opts, ice.WithNet(network))
	}
	return p
}

// plausible refuses addresses that no other node has.
func plausible(ip net.IP) bool {
	return !ip.IsUnspecified() && !ip.IsMulticast() && !ip.IsLoopback() && !ip.Equal(net.IPv4bcast)
}

// Close ends all attempts; the connection is the caller's.
func (p *Puncher) Close() error { return p.mux.Close() }

// Attempt is one try to find a path to another node.
type Attempt struct {
	agent   *ice.Agent
	offer   traversal.Offer
	timeout time.Duration
}

// Gather begins an attempt: its offer must reach the other node, by one that
// both know. seen are the addresses that others see this node's port at.
func (p *Puncher) Gather(ctx context.Context, seen ...netip.AddrPort) (*Attempt, error) {
	agent, err := ice.NewAgentWithOptions(p.opts...)
	if err != nil {
		return nil, fmt.Errorf("finding a path: %w", err)
	}
	a := &Attempt{agent: agent, timeout: p.timeout}
	if err := a.gather(ctx, seen); err != nil {
		a.Close()
		return nil, fmt.Errorf("finding a path: %w", err)
	}
	return a, nil
}

func (a *Attempt) gather(ctx context.Context, seen []netip.AddrPort) error {
	done := make(chan struct{})
	err := a.agent.OnCandidate(func(c ice.Candidate) {
		if c == nil { // that is all of them
			close(done)
		}
	})
	if err != nil {
		return err
	}
	if err := a.agent.GatherCandidates(); err != nil {
		return err
	}
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if a.offer.Ufrag, a.offer.Password, err = a.agent.GetLocalUserCredentials(); err != nil {
		return err
	}
	own, err := a.agent.GetLocalCandidates()
	if err != nil {
		return err
	}
	for _, addr := range seen {
		c, err := ice.NewCandidateServerReflexive(&ice.CandidateServerReflexiveConfig{
			Network: "udp", Address: addr.Addr().Unmap().String(), Port: int(addr.Port()),
			Component: ice.ComponentRTP, RelAddr: "0.0.0.0",
		})
		if err != nil {
			return err
		}
		a.offer.Candidates = append(a.offer.Candidates, c.Marshal())
	}
	for _, c := range own {
		if len(a.offer.Candidates) < traversal.MaxCandidates {
			a.offer.Candidates = append(a.offer.Candidates, c.Marshal())
		}
	}
	return nil
}

// Offer is what the other node must be told.
func (a *Attempt) Offer() traversal.Offer { return a.offer }

// Check looks for a path to the node that made an offer: one of the two, the
// one that asked first, leads. It returns the address at which the node's own
// port now reaches the other, or why there is none. The caller keeps the attempt
// open until it has heard from the other over the path.
func (a *Attempt) Check(ctx context.Context, theirs traversal.Offer, leads bool) (netip.AddrPort, error) {
	var none netip.AddrPort
	if !theirs.Valid() {
		return none, fmt.Errorf("finding a path: the other end's offer is malformed")
	}
	for _, s := range theirs.Candidates {
		c, err := ice.UnmarshalCandidate(s)
		if err != nil {
			return none, fmt.Errorf("finding a path: %w", err)
		}
		if c.NetworkType().IsTCP() || net.ParseIP(c.Address()) == nil { // no names: nobody makes us look up anything
			continue
		}
		if err := a.agent.AddRemoteCandidate(c); err != nil {
			return none, fmt.Errorf("finding a path: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	start := a.agent.Accept
	if leads {
		start = a.agent.Dial
	}
	if _, err := start(ctx, theirs.Ufrag, theirs.Password); err != nil {
		return none, fmt.Errorf("no direct path was found: %w", err)
	}
	pair, err := a.agent.GetSelectedCandidatePair()
	if err != nil {
		return none, fmt.Errorf("no direct path was found: %w", err)
	}
	if pair == nil {
		return none, fmt.Errorf("no direct path was found: the agent was closed")
	}
	ip, err := netip.ParseAddr(pair.Remote.Address())
	return netip.AddrPortFrom(ip.Unmap(), uint16(pair.Remote.Port())), err
}

// Close ends the attempt. The path stays as long as packets use it.
func (a *Attempt) Close() { _ = a.agent.Close() }
