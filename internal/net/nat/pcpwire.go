package nat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Packets of PCP (RFC 6887) and NAT-PMP (RFC 6886). Options of PCP are neither sent nor
// read.

const (
	pcpVersion = 2
	opcodeMap  = 1
	isResponse = 0x80
	pcpHeader  = 24
	pcpSize    = pcpHeader + 36
	maxPCP     = 1100 // RFC 6887, 7
)

var (
	errPCP    = errors.New("no answer in PCP or NAT-PMP")
	errNATPMP = errors.New("the router speaks NAT-PMP")
)

// pcpMap is the opcode MAP, as it is requested and as it is answered (RFC 6887, 11.1).
type pcpMap struct {
	lifetime           uint32 // seconds
	nonce              [12]byte
	protocol           Protocol
	internal, external uint16
	address            netip.Addr // external; in answers
}

func (m *pcpMap) appendRequest(b []byte, from, suggested netip.Addr) []byte {
	b = append(b, pcpVersion, opcodeMap, 0, 0)
	b = binary.BigEndian.AppendUint32(b, m.lifetime)
	b = append16(b, from)
	b = append(b, m.nonce[:]...)
	b = append(b, byte(m.protocol), 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, m.internal)
	b = binary.BigEndian.AppendUint16(b, m.external)
	return append16(b, suggested)
}

func append16(b []byte, ip netip.Addr) []byte {
	a := ip.As16()
	return append(b, a[:]...)
}

// decodePCP reads an answer to MAP. errNATPMP: the router knows version 0 alone
// (RFC 6887, 9).
func decodePCP(b []byte) (m pcpMap, result pcpResult, err error) {
	switch {
	case len(b) < 4 || len(b) > maxPCP || len(b)%4 != 0:
		return m, 0, errPCP
	case b[0] == 0:
		return m, 0, errNATPMP
	case len(b) < pcpSize || b[0] != pcpVersion || b[1] != isResponse|opcodeMap:
		return m, 0, errPCP
	}
	of := b[pcpHeader:]
	m = pcpMap{
		lifetime: binary.BigEndian.Uint32(b[4:]), nonce: [12]byte(of[:12]), protocol: Protocol(of[12]),
		internal: binary.BigEndian.Uint16(of[16:]), external: binary.BigEndian.Uint16(of[18:]),
		address: netip.AddrFrom16([16]byte(of[20:36])).Unmap(),
	}
	return m, pcpResult(b[3]), nil
}

// pcpResult is a result code (RFC 6887, 7.4).
type pcpResult byte

var pcpResults = map[pcpResult]string{
	1: "its version of PCP is another", 2: "it does not let this machine open ports", 3: "it does not understand the request",
	4: "it does not know MAP", 5: "it does not know an option", 6: "it does not understand an option",
	7: "its network is down", 8: "it has no room for a port", 9: "it does not know the protocol",
	10: "this machine has too many ports", 11: "it cannot give such an address",
	12: "there is another router between this machine and it", 13: "there are too many remote peers",
}

func (r pcpResult) String() string {
	if text := pcpResults[r]; text != "" {
		return fmt.Sprintf("%s (code %d)", text, byte(r))
	}
	return fmt.Sprintf("code %d", byte(r))
}

// pmpMap is a mapping of NAT-PMP, as it is requested and as it is answered (RFC 6886, 3.3).
type pmpMap struct {
	protocol           Protocol
	internal, external uint16
	lifetime           uint32 // seconds
}

// Opcodes of NAT-PMP.
const (
	pmpAddress = 0
	pmpUDP     = 1
	pmpTCP     = 2
)

func (m *pmpMap) appendRequest(b []byte) []byte {
	opcode := byte(pmpUDP)
	if m.protocol == TCP {
		opcode = pmpTCP
	}
	b = append(b, 0, opcode, 0, 0)
	b = binary.BigEndian.AppendUint16(b, m.internal)
	b = binary.BigEndian.AppendUint16(b, m.external)
	return binary.BigEndian.AppendUint32(b, m.lifetime)
}

func decodePMP(b []byte) (m pmpMap, result uint16, err error) {
	if len(b) < 16 || b[0] != 0 {
		return m, 0, errPCP
	}
	switch b[1] {
	case isResponse | pmpUDP:
		m.protocol = UDP
	case isResponse | pmpTCP:
		m.protocol = TCP
	default:
		return m, 0, errPCP
	}
	m.internal, m.external = binary.BigEndian.Uint16(b[8:]), binary.BigEndian.Uint16(b[10:])
	m.lifetime = binary.BigEndian.Uint32(b[12:])
	return m, binary.BigEndian.Uint16(b[2:]), nil
}

// decodePMPAddress reads the answer to what the external address is (RFC 6886, 3.2).
func decodePMPAddress(b []byte) (ip netip.Addr, result uint16, err error) {
	if len(b) < 12 || b[0] != 0 || b[1] != isResponse|pmpAddress {
		return ip, 0, errPCP
	}
	return netip.AddrFrom4([4]byte(b[8:12])), binary.BigEndian.Uint16(b[2:]), nil
}
