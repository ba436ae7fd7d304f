package kademlia

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// crowded reports whether a bucket has as many contacts from p's subnet as it
// may. One attacker with one network can then take no more than a share of any
// bucket. Loopback and the zero address (simulations, one machine) are not
// limited.
func (t *Table) crowded(b *bucket, p machine.Peer) bool {
	net, ok := subnetOf(p.Addr)
	if t.subnet == 0 || !ok {
		return false
	}
	n := 0
	for _, c := range b.contacts {
		if other, ok := subnetOf(c.peer.Addr); ok && other == net {
			n++
		}
	}
	return n >= t.subnet
}

// SameNetwork reports whether two addresses are of one /24 (IPv4) or /48 (IPv6). Loopback
// and the zero address are of none.
func SameNetwork(a, b machine.Addr) bool {
	x, known := subnetOf(a)
	y, also := subnetOf(b)
	return known && also && x == y
}

// subnet is the /24 of an IPv4 address or the /48 of an IPv6 address.
type subnet [16]byte

func subnetOf(a machine.Addr) (s subnet, limited bool) {
	ip := [16]byte(a[:16])
	v4 := [12]byte{10: 0xff, 11: 0xff}
	switch {
	case [12]byte(ip[:12]) == v4:
		copy(s[:15], ip[:15])
		return s, ip[12] != 127
	case ip == [16]byte{} || ip == [16]byte{15: 1}:
		return s, false
	}
	copy(s[:6], ip[:6])
	return s, true
}
