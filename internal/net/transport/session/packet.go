package session

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Constants of the protocol.
const (
	// Version is that of the protocols between nodes, of datagrams and links:
	// a change that older nodes cannot read gets a new number.
	Version = 15
	// MaxPacket is the longest packet: it passes any path of IPv6.
	MaxPacket = 1280 - 48 // less the headers of IPv6 and UDP
	// MaxPlain is the longest message.
	MaxPlain = MaxPacket - dataHead - tagSize
	// MaxProof is the longest proof.
	MaxProof = 512

	helloSize  = 1200
	cookieSize = 16
	tagSize    = 16
	dhSize     = 32

	typeHello   = 0x80
	typeWelcome = 0x81
	typeConfirm = 0x82
	typeRetry   = 0x83
	typeUnknown = 0x84
	typeVersion = 0x85
	typeData    = 0x88

	helloHead   = 1 + 1 + 4 + 4
	helloNoise  = helloHead + cookieSize + 2
	welcomeHead = 1 + 4 + 4
	confirmHead = 1 + 4
	dataHead    = 1 + 4 + 8

	// MaxQuestion is the longest question that a hello takes, MaxAnswer the
	// longest answer beside credentials without a proof.
	MaxQuestion = helloSize - helloNoise - dhSize
	MaxAnswer   = helloSize - welcomeBare - credentialsHead
	// welcomeBare is a welcome without what its sender says in it.
	welcomeBare = welcomeHead + dhSize + dhSize + tagSize + tagSize
)

var (
	errPacket = errors.New("no packet of this protocol")
)

// header is what all packets say in the clear.
type header struct {
	kind     byte
	to, from uint32
	world    [4]byte
	cookie   [cookieSize]byte
	version  uint8
	number   uint64
	rest     []byte // the Noise message or the ciphertext
}

// parse reads a packet of any kind.
func parse(b []byte) (h header, err error) {
	if len(b) < 5 || len(b) > MaxPacket {
		return h, errPacket
	}
	h.kind = b[0]
	h.to = binary.BigEndian.Uint32(b[1:])
	switch h.kind {
	case typeHello:
		return parseHello(b)
	case typeWelcome:
		if len(b) < welcomeHead+dhSize {
			return h, errPacket
		}
		h.from, h.rest = binary.BigEndian.Uint32(b[5:]), b[welcomeHead:]
	case typeConfirm:
		h.rest = b[confirmHead:]
	case typeRetry:
		if len(b) != 5+cookieSize {
			return h, errPacket
		}
		h.cookie = [cookieSize]byte(b[5:])
	case typeUnknown:
		if len(b) != 5 {
			return h, errPacket
		}
	case typeVersion:
		if len(b) != 6 {
			return h, errPacket
		}
		h.version = b[5]
	case typeData:
		if len(b) < dataHead+tagSize {
			return h, errPacket
		}
		h.number, h.rest = binary.BigEndian.Uint64(b[5:]), b[dataHead:]
	default:
		return h, errPacket
	}
	return h, nil
}

func parseHello(b []byte) (h header, err error) {
	if len(b) != helloSize {
		return h, errPacket
	}
	h.kind, h.version = typeHello, b[1]
	copy(h.world[:], b[2:])
	h.from = binary.BigEndian.Uint32(b[6:])
	copy(h.cookie[:], b[helloHead:])
	size := dhSize + int(binary.BigEndian.Uint16(b[helloNoise-2:]))
	if size > helloSize-helloNoise {
		return h, errPacket
	}
	h.rest = b[helloNoise : helloNoise+size]
	return h, nil
}

// hello puts the first Noise message, with the question in it, into its packet.
func hello(world id.ID, from uint32, cookie [cookieSize]byte, noise []byte) []byte {
	b := make([]byte, 0, helloSize)
	b = append(b, typeHello, Version)
	b = append(b, world[:4]...)
	b = binary.BigEndian.AppendUint32(b, from)
	b = append(b, cookie[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(noise)-dhSize))
	b = append(b, noise...)
	return b[:helloSize]
}

func retry(to uint32, cookie [cookieSize]byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte{typeRetry}, to)
	return append(b, cookie[:]...)
}

func unknown(to uint32) []byte { return binary.BigEndian.AppendUint32([]byte{typeUnknown}, to) }

// ourVersion answers a hello of another one.
func ourVersion(to uint32) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{typeVersion}, to), Version)
}

// OtherVersion is the version that a node speaks if it is not ours.
type OtherVersion uint8

// Told is Error as the other end is to read it.
func (v OtherVersion) Told() string {
	return fmt.Sprintf("this node speaks version %d of the protocol between nodes, yours version %d: the older one must be updated", Version, uint8(v))
}

func (v OtherVersion) Error() string {
	return fmt.Sprintf("the node there speaks version %d of the protocol between nodes, this node %d: the older one must be updated", uint8(v), Version)
}
