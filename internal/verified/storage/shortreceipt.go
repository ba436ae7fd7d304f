package storage

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

const (
	// sizeShort is the beginning of an id by which somebody is named who is known.
	sizeShort = 4
	// sizeBrieflySigned is what a receipt takes for somebody who knows the storer.
	sizeBrieflySigned = sizeShort + sizeSignature
)

// short is the beginning of an id; 0 is no name.
func short(x id.ID) uint32 { return binary.BigEndian.Uint32(x[:]) }

// knows reports whether somebody is among those who are known by short names.
func knows(known []uint32, x id.ID) bool { return short(x) != 0 && slices.Contains(known, short(x)) }

// shortened is a receipt for somebody who knows the storer.
func (r *Receipt) shortened() *Receipt {
	return &Receipt{Short: short(r.By.ID), Batch: r.Batch, First: r.First, Signature: r.Signature}
}

// shortened is a certificate for somebody who knows some of the storers.
func (c *Certificate) shortened(known []uint32) *Certificate {
	out := &Certificate{Batch: c.Batch}
	for _, r := range c.Receipts {
		if knows(known, r.By.ID) {
			r = r.shortened()
		}
		out.Receipts = append(out.Receipts, r)
	}
	return out
}

// savedBytes is what a certificate is smaller by for somebody who knows some storers.
func (c *Certificate) savedBytes(known []uint32) (size int) {
	for _, r := range c.Receipts {
		if knows(known, r.By.ID) {
			size += sizeReceipt - sizeBrieflySigned
		}
	}
	return size
}
