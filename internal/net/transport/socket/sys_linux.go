package socket

import (
	"encoding/binary"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelDrops asks the kernel how many packets did not fit into the receive
// buffer (SO_MEMINFO, its ninth value).
func kernelDrops(c *net.UDPConn) uint64 {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	var failed syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, failed = unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	})
	if err != nil || failed != 0 || size < uint32(unsafe.Sizeof(info)) {
		return 0
	}
	return uint64(info[8])
}

// segment is the size into which the kernel is asked to cut a packet; 0: none.
func segment(oob []byte) int {
	for len(oob) > 0 {
		h, body, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			return 0
		}
		if h.Level == unix.IPPROTO_UDP && h.Type == unix.UDP_SEGMENT && len(body) >= 2 {
			return int(binary.NativeEndian.Uint16(body))
		}
		oob = rest
	}
	return 0
}
