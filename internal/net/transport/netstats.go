package transport

import (
	"context"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// NetStats says how a node's network does, since it was started.
type NetStats struct {
	Socket     socket.Stats      // packets and bytes by class, and what was dropped
	Links      int               // to other nodes, those that are being opened included
	Opened     [2]uint64         // links that others and we have opened
	Pending    int               // link handshakes that others have begun
	Sessions   int               // of datagrams
	Handshakes [2]uint64         // of datagram sessions, begun by others and by us
	Batches    [2]uint64         // sent on datagram paths: with messages, and those that only acknowledge
	Kinds      []Kind            // messages by type, sorted by name
	Failures   map[string]uint64 // what went wrong, by reason
}

// NetStats reads the network's figures; they are zero without one.
func (l *Loop) NetStats(ctx context.Context) (s NetStats, err error) {
	n := l.net
	if n == nil {
		return s, nil
	}
	if err := l.Call(ctx, func() { s.Links = n.links }); err != nil {
		return s, err
	}
	s.Socket = n.cfg.Socket.Stats()
	s.Pending = n.guests.waiting()
	s.Sessions = n.sessions.Sessions()
	s.Handshakes = n.sessions.Handshakes()
	for i := range s.Batches {
		s.Batches[i] = n.tally.batches[i].Load()
	}
	s.Kinds, s.Failures, s.Opened = n.tally.read()
	return s, nil
}

// Linked returns the nodes that this one has an open link with, with their
// addresses as they are seen from here.
func (l *Loop) Linked(ctx context.Context) (peers []machine.Peer, err error) {
	err = l.Call(ctx, func() {
		for p, k := range l.links {
			if k.far != nil && k.far.conn != nil {
				peers = append(peers, p)
			}
		}
	})
	return peers, err
}

// Trips returns the smoothed round trip to each node that this one has an open
// link with (RFC 9002, 5.3).
func (l *Loop) Trips(ctx context.Context) (map[id.ID]time.Duration, error) {
	trips := map[id.ID]time.Duration{}
	err := l.Call(ctx, func() {
		for p, k := range l.links {
			if k.far == nil {
				continue
			}
			k.mu.Lock()
			conn := k.far.conn
			k.mu.Unlock()
			if conn != nil {
				trips[p.ID] = conn.ConnectionStats().SmoothedRTT
			}
		}
	})
	return trips, err
}
