package transport

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// refusedWithin is how long an answer is waited for, refusedAgain when the packet is sent
// once more.
const (
	refusedWithin = 400 * time.Millisecond
	refusedAgain  = 200 * time.Millisecond
)

// Refused reports at which addresses nothing listens: the machines there answer a packet
// with ICMP's port unreachable (RFC 1122, 4.1.3.1). Silence says nothing, and neither does
// what others answer for a machine, such as routers and firewalls. It is asked from a port of
// its own, because errors are only reported to sockets of one peer.
func Refused(at []netip.AddrPort) []bool {
	out := make([]bool, len(at))
	var all sync.WaitGroup
	for i, a := range at {
		all.Go(func() { out[i] = refused(a) })
	}
	all.Wait()
	return out
}

func refused(at netip.AddrPort) bool {
	if !at.IsValid() {
		return false
	}
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(at))
	if err != nil {
		return false
	}
	defer c.Close()
	hearErrors(c)
	for end := time.Now().Add(refusedWithin); time.Now().Before(end); {
		// A node that is there drops this packet: it is no session's, no link's and no probe of
		// a path.
		_, err := c.Write([]byte{0x80})
		if err == nil {
			_ = c.SetReadDeadline(time.Now().Add(refusedAgain))
			if _, err = c.Read(make([]byte, 64)); err == nil {
				return false // somebody answers
			}
		}
		if unreachableBy(c, at.Addr().Unmap()) {
			return true
		}
	}
	return false
}
