package transport

import (
	"encoding/binary"
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// hello is the first frame of a link in either direction.
type hello struct {
	world    id.ID
	instance uint64 // of the sender's process
	seq      uint64 // when the sender opened or accepted this link, among its others
	proof    []byte
}

// helloVersion is the first byte of a hello.
const helloVersion = 2

// maxHello bounds a hello's frame.
const maxHello = 1 + id.Size + 16 + MaxProof

var errHello = errors.New("the first frame of the link is no hello")

func (h *hello) frame() []byte {
	b := make([]byte, frameHead, frameHead+maxHello)
	b = append(b, helloVersion)
	b = append(b, h.world[:]...)
	b = binary.BigEndian.AppendUint64(b, h.instance)
	b = binary.BigEndian.AppendUint64(b, h.seq)
	b = append(b, h.proof...)
	putFrameHead(b)
	return b
}

func parseHello(b []byte) (h hello, err error) {
	if len(b) < maxHello-MaxProof || len(b) > maxHello || b[0] != helloVersion {
		return hello{}, errHello
	}
	b = b[1:]
	h.world = id.ID(b[:id.Size])
	b = b[id.Size:]
	h.instance, h.seq = binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	h.proof = append([]byte(nil), b[16:]...)
	return h, nil
}
