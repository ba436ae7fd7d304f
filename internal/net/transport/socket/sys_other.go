//go:build !linux

package socket

import "net"

// kernelDrops: only Linux tells.
func kernelDrops(*net.UDPConn) uint64 { return 0 }

// segment: only Linux cuts packets.
func segment([]byte) int { return 0 }
