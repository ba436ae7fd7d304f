// Package evidence is what nodes of a world with an authority write down against
// each other, for the authority and for whoever else wants to see it: lines of
// JSON that hold all that is needed to check them
// (docs/formats/evidence.md).
//
// Two kinds of it differ in weight. A node that keeps the world otherwise than
// more than half of the zones is guilty by one line (thesis outlook: proofs of
// misbehaviour). A false view of a neighbourhood counts against its sender, for
// whoever believes the one who has written it down (thesis 4.8, overlay.MisbehaviourScore).
package evidence

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// Errors.
var (
	// ErrNone: a line proves nothing.
	ErrNone = errors.New("this proves nothing")
	// ErrWeak: a line may count, but proves nothing alone: only who has written it
	// knows that a node was not there.
	ErrWeak = errors.New("this proves nothing by itself")
)

// Ground is what answers of a world's storage are read and signed with: all of
// it follows from the record that the world begins with.
type Ground struct {
	record *genesis.Record
	hash   [32]byte
	codec  *codec.Codec
	space  overlay.Space
}

// NewGround returns that of a world; without a storage nothing is signed.
func NewGround(r *genesis.Record) *Ground {
	g := &Ground{record: r, hash: sha256.Sum256(r.Append(nil)), codec: codec.New()}
	if r.Truth != (genesis.Truth{}) {
		world := r.World()
		g.space = overlay.SpaceFor(int(r.Genesis.Zones))
		g.codec = codec.NewVerified(codec.Verified{
			Rules: Rules(r), Bounds: g.space.Bounds(),
			Check: func(a *state.Action) bool { return voxelrules.CheckAction(world, a) },
		})
	}
	return g
}

// Rules are the rules of a world's storage; each user needs its own.
func Rules(r *genesis.Record) *voxelrules.Rules {
	return voxelrules.New(voxelrules.Config{Seed: worldfs.SeedNumber(r.Seed), Regions: r.Truth.Regions, Mode: world.Mode(r.Mode)})
}

// Codec reads and writes the messages of the world's nodes.
func (g *Ground) Codec() *codec.Codec { return g.codec }

// Kept reads what a node has kept of the stored world on its disk.
func (g *Ground) Kept(b []byte) (*messages.Push, error) {
	m, err := g.codec.Decode(b)
	if err != nil {
		return nil, err
	}
	if kept, ok := m.(*messages.Push); ok && kept.Seen != nil {
		return kept, nil
	}
	return nil, errors.New("not a part of the stored world")
}

// answerContext begins what is signed: the hash of the world's record and the
// answer's bytes follow. Under another record the same bytes may mean something
// else.
const answerContext = "voxelpopuli answer 4\n"

func (g *Ground) text(a *verifiedworld.Answer) ([]byte, error) {
	return g.codec.Append(append([]byte(answerContext), g.hash[:]...), a.Result)
}

// Sign signs an answer with the key of the node that its certificate names.
func (g *Ground) Sign(a *verifiedworld.Answer, key ed25519.PrivateKey) error {
	b, err := g.text(a)
	if err == nil {
		a.Signature = [64]byte(ed25519.Sign(key, b))
	}
	return err
}

// Signed reports whether an answer bears the signature of a node that the
// authority has admitted.
func (g *Ground) Signed(a *verifiedworld.Answer) bool {
	b, err := g.text(a)
	return err == nil && a.Certificate.IssuedFor(&g.record.Genesis) && ed25519.Verify(a.Certificate.Key[:], b, a.Signature[:])
}

// Check says what is wrong with evidence of tampering.
func (g *Ground) Check(c *verifiedworld.Contradiction) error {
	if g.record.Truth == (genesis.Truth{}) {
		return fmt.Errorf("%w: the world has no storage", ErrNone)
	}
	return c.Check(Rules(g.record).World(), g.space, g.Signed)
}

// receiptContext begins what is signed of a receipt: the hash of the record and
// the batch's bytes, as in a whole deposit, follow.
const receiptContext = "voxelpopuli receipt 2\n"

// firstReceiptContext begins that of a receipt of the storer in whose cell the player's
// own home lies.
const firstReceiptContext = "voxelpopuli first receipt 2\n"

func (g *Ground) receiptText(r *messages.Receipt) ([]byte, error) {
	text := receiptContext
	if r.First {
		text = firstReceiptContext
	}
	return g.batchText(text, r.Batch)
}

// batchContext begins what a player signs of an interval.
const batchContext = "voxelpopuli batch 1\n"

// batchText is what is signed of a batch: all of it but the player's signature.
func (g *Ground) batchText(context string, b *state.Batch) ([]byte, error) {
	return g.codec.Append(append([]byte(context), g.hash[:]...), &messages.Deposit{Batch: b.Signed(nil)})
}

// SignBatch signs what a player has done in an interval with its key: the public
// key, of which the player's id is made, and the signature.
func (g *Ground) SignBatch(b *state.Batch, key ed25519.PrivateKey) ([]byte, error) {
	text, err := g.batchText(batchContext, b)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone([]byte(key.Public().(ed25519.PublicKey))), ed25519.Sign(key, text)...), nil
}

// SignedBatch reports whether a batch bears its player's signature.
func (g *Ground) SignedBatch(b *state.Batch) bool {
	signature := b.Signature
	if len(signature) != ed25519.PublicKeySize+ed25519.SignatureSize {
		return false
	}
	pub := ed25519.PublicKey(signature[:ed25519.PublicKeySize])
	text, err := g.batchText(batchContext, b)
	return err == nil && id.Of(pub) == b.Player.ID && ed25519.Verify(pub, text, signature[ed25519.PublicKeySize:])
}

// SignReceipt signs a receipt with the key that the certificate names, which says
// where its node stands.
func (g *Ground) SignReceipt(r *messages.Receipt, c *identity.Certificate, key ed25519.PrivateKey) error {
	b, err := g.receiptText(r)
	if err == nil {
		r.Certificate, r.Signature = c.Append(nil), ed25519.Sign(key, b)
	}
	return err
}

// SignedReceipt reports whether a receipt is that of the node at that place.
func (g *Ground) SignedReceipt(r *messages.Receipt) bool {
	c, err := identity.DecodeCertificate(r.Certificate)
	if err != nil || c.ID() != r.By.ID || c.Pos != r.By.Pos || !c.IssuedFor(&g.record.Genesis) {
		return false
	}
	b, err := g.receiptText(r)
	return err == nil && ed25519.Verify(c.Key[:], b, r.Signature)
}
