package messages

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

const (
	// sizeShort is the beginning of an id by which somebody is named who is known.
	sizeShort = 4
	// SizeBrieflySigned is what a receipt takes for somebody who knows the storer.
	SizeBrieflySigned = sizeShort + sizeSignature
)

// Short is the beginning of an id; 0 is no name.
func Short(x id.ID) uint32 { return binary.BigEndian.Uint32(x[:]) }

// Knows reports whether somebody is among those who are known by short names.
func Knows(known []uint32, x id.ID) bool { return Short(x) != 0 && slices.Contains(known, Short(x)) }

// Shortened is a receipt for somebody who knows the storer.
func (r *Receipt) Shortened() *Receipt {
	return &Receipt{Short: Short(r.By.ID), Batch: r.Batch, First: r.First, Signature: r.Signature}
}

// Shortened is a certificate for somebody who knows some of the storers.
func (c *Certificate) Shortened(known []uint32) *Certificate {
	out := &Certificate{Batch: c.Batch}
	for _, r := range c.Receipts {
		if Knows(known, r.By.ID) {
			r = r.Shortened()
		}
		out.Receipts = append(out.Receipts, r)
	}
	return out
}

// SavedBytes is what a certificate is smaller by for somebody who knows some storers.
func (c *Certificate) SavedBytes(known []uint32) (size int) {
	for _, r := range c.Receipts {
		if Knows(known, r.By.ID) {
			size += SizeReceipt - SizeBrieflySigned
		}
	}
	return size
}
