package actions

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// Who a storer is and where it stands, its certificate says, which is larger than
// all else of a receipt. Players have the same storers in one interval as in the
// next, so that they are named once, and by the beginning of their ids from then on:
//
//   - a player says with its deposit whom it knows of the zone that it goes to, and
//     the storers of these are brief in their receipts;
//   - a player remembers whom it has named to a storer, and is brief with the next
//     certificate; a storer that has forgotten says so with its receipt (Fresh);
//   - who asks for a player's actions says whose receipts it has had before.

// storer is somebody who gives receipts.
type storer struct {
	who         *overlay.Contact
	certificate []byte
}

// storers are those who are known, the oldest first.
type storers []storer

const (
	// maxStorers bounds whom a player knows, and whom a storer knows by a player.
	maxStorers = 64
	// maxTold bounds of how many storers it is remembered whom they know.
	maxTold = 256
)

// shortNames name those who are known.
func (l storers) shortNames() (out []uint32) {
	for _, s := range l {
		out = append(out, messages.Short(s.who.ID))
	}
	return out
}

// with adds who has given a receipt.
func (l storers) with(r *messages.Receipt) storers {
	s := storer{r.By, r.Certificate}
	if i := slices.IndexFunc(l, func(o storer) bool { return o.who.ID == r.By.ID }); i >= 0 {
		l[i] = s // it may have a new certificate
		return l
	}
	if len(l) >= maxStorers {
		l = slices.Delete(l, 0, 1)
	}
	return append(l, s)
}

// withAll adds who has given receipts, which are good: who could make others take
// something else for a storer's certificate would undo its receipts.
func (l storers) withAll(good []*messages.Receipt) storers {
	for _, r := range good {
		l = l.with(r)
	}
	return l
}

// expandReceipt is a receipt with what it left out; nil: nobody is known by that name. Who
// lies about whose it is does not bear that one's signature.
func (l storers) expandReceipt(r *messages.Receipt) *messages.Receipt {
	if r == nil || r.By != nil || r.Short == 0 {
		return r
	}
	i := slices.IndexFunc(l, func(s storer) bool { return messages.Short(s.who.ID) == r.Short })
	if i < 0 {
		return nil
	}
	out := *r
	out.By, out.Certificate, out.Short = l[i].who, l[i].certificate, 0
	return &out
}

// expandCertificate is a certificate with what its receipts left out, without those of whom
// nobody is known.
func (l storers) expandCertificate(c *messages.Certificate) *messages.Certificate {
	if c == nil || !slices.ContainsFunc(c.Receipts, func(r *messages.Receipt) bool { return l.expandReceipt(r) != r }) {
		return c
	}
	out := &messages.Certificate{Batch: c.Batch}
	for _, r := range c.Receipts {
		if r = l.expandReceipt(r); r != nil {
			out.Receipts = append(out.Receipts, r)
		}
	}
	return out
}
