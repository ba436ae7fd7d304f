package transport

import (
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// hearErrors lets the kernel keep who has sent an ICMP message (ip(7), IP_RECVERR).
func hearErrors(c *net.UDPConn) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_RECVERR, 1)
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_RECVERR, 1)
		})
	}
}

// unreachableBy reports whether a machine itself has said that the port is unreachable.
func unreachableBy(c *net.UDPConn, machine netip.Addr) (says bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) {
		for {
			oob := make([]byte, 256)
			_, n, _, _, err := unix.Recvmsg(int(fd), make([]byte, 64), oob, unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
			if err != nil {
				return
			}
			messages, err := unix.ParseSocketControlMessage(oob[:n])
			if err != nil {
				return
			}
			for _, m := range messages {
				says = says || unreachable(m.Data, machine)
			}
		}
	})
	return says
}

// unreachable reports whether a sock_extended_err is a port unreachable of a machine: type
// and code of ICMP or ICMPv6, and then the address of who has sent it.
func unreachable(b []byte, machine netip.Addr) bool {
	const header, origin, kind, code = 16, 4, 5, 6
	if len(b) < header {
		return false
	}
	by := b[header:]
	switch {
	case b[origin] == unix.SO_EE_ORIGIN_ICMP && b[kind] == 3 && b[code] == 3 && len(by) >= 8:
		return netip.AddrFrom4([4]byte(by[4:8])) == machine
	case b[origin] == unix.SO_EE_ORIGIN_ICMP6 && b[kind] == 1 && b[code] == 4 && len(by) >= 24:
		return netip.AddrFrom16([16]byte(by[8:24])).Unmap() == machine
	}
	return false
}
