package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Disk is a node's disk: what is in it survives a crash.
type Disk struct {
	// Full lets writes fail with machine.ErrDiskFull until it is unset.
	Full bool
	// FailNext lets so many of the next writes fail with ErrBroken.
	FailNext int
	// Writes counts writes that were done.
	Writes int

	spaces map[string]space
}

// ErrBroken is the error of Disk.FailNext.
var ErrBroken = errors.New("simulated disk error")

type space map[string][]byte

// Get reads what is on the disk, for tests.
func (d *Disk) Get(spaceName, key string) ([]byte, bool) {
	v, ok := d.spaces[spaceName][key]
	return v, ok
}

// All is everything in a space, in the order of the keys, for tests.
func (d *Disk) All(spaceName string) []machine.KV {
	return d.read(machine.DiskRead{Space: spaceName})
}

// Wipe empties the disk, as if it had been replaced.
func (d *Disk) Wipe() { d.spaces = map[string]space{} }

// Snapshot returns a function that puts the disk back to what it is now.
func (d *Disk) Snapshot() (restore func()) {
	was := map[string]space{}
	for name, sp := range d.spaces {
		was[name] = maps.Clone(sp)
	}
	return func() { d.spaces = was }
}

// Drop empties one space, as if it had been left out of a repaired disk.
func (d *Disk) Drop(spaceName string) { delete(d.spaces, spaceName) }

// Digest is a hash of everything on the disk.
func (d *Disk) Digest() uint64 {
	h := uint64(0)
	for _, name := range slices.Sorted(maps.Keys(d.spaces)) {
		for _, key := range slices.Sorted(maps.Keys(d.spaces[name])) {
			for _, part := range []string{name, key, string(d.spaces[name][key])} {
				h = rng.Hash(h, uint64(len(part)))
				for i := range len(part) {
					h = (h ^ uint64(part[i])) * 0x100000001b3
				}
			}
		}
	}
	return h
}

func (d *Disk) read(r machine.DiskRead) []machine.KV {
	sp := d.spaces[r.Space]
	var out []machine.KV
	for _, k := range slices.Sorted(maps.Keys(sp)) {
		if strings.HasPrefix(k, string(r.Prefix)) {
			out = append(out, machine.KV{Key: []byte(k), Value: slices.Clone(sp[k])})
		}
	}
	return out
}

func (d *Disk) write(w machine.DiskWrite) error {
	if d.Full {
		return fmt.Errorf("simulated disk: %w", machine.ErrDiskFull)
	}
	if d.FailNext > 0 {
		d.FailNext--
		return ErrBroken
	}
	d.apply(w)
	d.Writes++
	return nil
}

func (d *Disk) apply(w machine.DiskWrite) {
	sp := d.spaces[w.Space]
	if sp == nil {
		sp = space{}
		d.spaces[w.Space] = sp
	}
	for _, p := range w.DeletePrefix {
		maps.DeleteFunc(sp, func(k string, _ []byte) bool { return strings.HasPrefix(k, string(p)) })
	}
	for _, k := range w.Delete {
		delete(sp, string(k))
	}
	for _, kv := range w.Put {
		sp[string(kv.Key)] = slices.Clone(kv.Value)
	}
	for _, t := range w.Then {
		d.apply(t)
	}
}

// Spaces are the names of the spaces that hold something, in order.
func (d *Disk) Spaces() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(d.spaces)) {
		if len(d.spaces[name]) > 0 {
			out = append(out, name)
		}
	}
	return out
}
