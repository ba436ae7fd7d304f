//go:build !linux

package transport

import (
	"net"
	"net/netip"
)

func hearErrors(*net.UDPConn) {}

// unreachableBy: only Linux tells who has sent an ICMP message.
func unreachableBy(*net.UDPConn, netip.Addr) bool { return false }
