package overlay

import (
	"crypto/ed25519"
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Signed views are evidence (thesis 4.8): they are signed for one world, with
// the key that the source's certificate names.

const viewContext = "voxelpopuli network view 1\n"

func (v *NetworkView) signed(world id.ID) []byte {
	b := append([]byte(viewContext), world[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(v.Stamp))
	b = v.Source.append(b)
	for _, c := range v.Neighbours {
		b = c.append(b)
	}
	return b
}

// append adds a contact in 46 bytes.
func (c *Contact) append(b []byte) []byte {
	b = append(append(b, c.ID[:]...), c.Addr[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(c.Pos.X))
	return binary.BigEndian.AppendUint32(b, uint32(c.Pos.Y))
}

// Sign signs the view with its source's key.
func (v *NetworkView) Sign(world id.ID, key ed25519.PrivateKey) {
	v.Signature = ed25519.Sign(key, v.signed(world))
}

// SignedBy reports whether the view bears a key's signature.
func (v *NetworkView) SignedBy(world id.ID, pub ed25519.PublicKey) bool {
	return v.Source != nil && len(v.Signature) == MaxSignature && ed25519.Verify(pub, v.signed(world), v.Signature)
}
