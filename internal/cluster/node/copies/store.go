// Package copies keeps states of shards that this node does not host: what it had when it
// stopped being a host, spare copies that leaders send, states of recent days, and what was
// built on a copy and not merged (decisions 106, 120 and 140). It sends spare copies of
// shards that are led here, merges what was changed elsewhere into regions that are led
// here, and puts regions back to earlier states.
//
// Source: docs/protocols/hosting.md.
//
// Invariants: nobody is served from a copy, and none has a vote; what other nodes send is
// believed as far as a host has signed it, is bounded, and takes the place of no copy of
// another kind.
//
// Where to start: Store (store.go) has the copies on the disk; SpareSending and
// SpareKeeping are the two ends of a spare copy, Fetching gets one back, Merges and
// MergeSources bring changes to who leads; SavedStates and StateRestoring are for the
// founder. messages.go has what nodes tell each other.
package copies

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Store are states of shards that this node does not host: what it had when it stopped
// being a host (group.Copy), and what leaders keep here (SpareKeeping). Nobody is served
// from them and they have no vote. Which there are is in the node's own space, written
// together with the states themselves.
//
// States of replicas that were removed are bounded in age, number and bytes: the oldest
// go. So are spare copies, by themselves: hosts that send many push out none of the
// others. States of replicas that gave way to another group stay for the person who runs
// the node.
type Store struct {
	part.Part
	disk part.Jobs

	list  []Saved // by space
	next  machine.Time
	tag   uint64
	reads map[uint64]func([]machine.KV, error) // that are under way
}

// Saved is a copy on the disk.
type Saved struct {
	group.Copy
	Shard shards.Shard
	At    machine.Time       // when it was put aside, was the state of its shard, or was continued
	whole int                // of a spare copy: bytes of the whole state that came last
	Proof Proof              // of a spare copy: a host's signature over it
	words [maxWords]keptWord // of members, about how far their logs are
}

const (
	copyKey        = "copy/" // and the copy's space: its key in the node's own space
	thinCopies     = time.Minute
	maxCopyAge     = 7 * 24 * time.Hour
	maxSpareAge    = 30 * 24 * time.Hour // a shard that nobody uses confirms none
	maxCopies      = 512
	maxCopiesBytes = 128 << 20 // of what this node has put aside, and of what it has continued from
)

func NewStore(c part.Part, p part.Seat) *Store {
	m := &Store{Part: c, disk: p, reads: map[uint64]func([]machine.KV, error){}}
	p.Put(m)
	return m
}

// do runs a job of the disk.
func (c *Store) do(tag uint64, job machine.Job) { c.disk.Do("copies", tag, job) }

// All are the copies, in order of their spaces.
func (c *Store) All() []Saved { return c.list }

// Retired returns what a replica of a shard that has ended last had.
func (c *Store) Retired(p shards.Shard) (Saved, bool) {
	i := slices.IndexFunc(c.list, func(s Saved) bool { return s.Space == group.RetiredSpace(p.Space()) })
	if i < 0 {
		return Saved{}, false
	}
	return c.list[i], true
}

// Newest returns the newest copy of a shard.
func (c *Store) Newest(p shards.Shard) (best Saved, ok bool) {
	for _, s := range c.list {
		if s.Shard == p && !s.IsOrigin() && !s.isKept() && (!ok || s.End().Compare(best.End()) > 0) {
			best, ok = s, true
		}
	}
	return best, ok
}

// End is the end of the log that a copy is of.
func (s *Saved) End() hostpolicy.Log {
	return hostpolicy.Log{Gen: s.Gen, Term: s.Term, Last: s.Index}
}

// Read reads what is in a copy.
func (c *Store) Read(s Saved, then func([]machine.KV, error)) {
	c.tag++
	c.reads[c.tag] = then
	c.do(c.tag, machine.DiskRead{Space: s.Space})
}

// OnDone implements machine.Machine.
func (c *Store) OnDone(tag uint64, result any, err error) {
	then := c.reads[tag]
	delete(c.reads, tag)
	if then != nil {
		kvs, _ := result.([]machine.KV)
		then(kvs, err)
	}
}

// Start implements machine.Machine.
func (c *Store) Start() {}

// OnMessage implements machine.Machine.
func (c *Store) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (c *Store) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (c *Store) OnLink(machine.Peer, machine.LinkEvent) {}

// SetAside returns what a replica of a shard writes when it puts its state aside.
func (c *Store) SetAside(p shards.Shard) func(group.Copy) []machine.DiskWrite {
	return func(gc group.Copy) []machine.DiskWrite {
		s := Saved{Copy: gc, Shard: p, At: c.Env.Now()}
		c.add(s)
		return []machine.DiskWrite{{Space: part.NodeSpace, Put: s.record()}}
	}
}

func (c *Store) add(s Saved) {
	i, found := slices.BinarySearchFunc(c.list, s.Space, func(o Saved, space string) int { return strings.Compare(o.Space, space) })
	if found {
		c.list[i] = s
		return
	}
	c.list = slices.Insert(c.list, i, s)
}

// Recall takes a record of the node's own space. What does not decode is left alone.
func (c *Store) Recall(kv machine.KV) {
	if space, ok := strings.CutPrefix(string(kv.Key), copyKey); ok {
		if s, ok := decodeCopy(space, kv.Value); ok {
			c.add(s)
		}
	}
}

// Beat lets go of the oldest states.
func (c *Store) Beat(now machine.Time) {
	if now < c.next {
		return
	}
	c.next = now.Add(thinCopies)
	c.thin(now, maxCopyAge, maxCopiesBytes, func(s Saved) bool { return s.Retired && !s.IsSpare() && !s.isDated() })
	c.thin(now, maxSpareAge, c.Cfg.CopiesDisk, func(s Saved) bool { return s.IsSpare() })
	c.thin(now, maxSpareAge, maxCopiesBytes, func(s Saved) bool { return s.IsOrigin() })
	c.thin(now, maxSpareAge, maxCopiesBytes, func(s Saved) bool { return s.isKept() })
	c.thin(now, maxDatedAge, c.Cfg.CopiesDisk, func(s Saved) bool { return s.isDated() })
	c.thinDated(now)
}

// thin keeps the newest of some copies, of so many bytes at most.
func (c *Store) thin(now machine.Time, maxAge time.Duration, most int, which func(Saved) bool) {
	some := slices.DeleteFunc(slices.Clone(c.list), func(s Saved) bool { return !which(s) })
	slices.SortStableFunc(some, func(a, b Saved) int { return cmp.Compare(b.At, a.At) }) // the newest first
	bytes := 0
	for i, s := range some {
		if bytes += s.Bytes; bytes > most || i >= maxCopies || now.Sub(s.At) > maxAge {
			c.Drop(s)
		}
	}
}

func (c *Store) Drop(s Saved) {
	c.list = slices.DeleteFunc(c.list, func(o Saved) bool { return o.Space == s.Space })
	c.do(0, machine.DiskWrite{
		Space: part.NodeSpace, Delete: [][]byte{[]byte(copyKey + s.Space)},
		Then: []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}}},
	})
}

// copyLayout is the layout of a record; the ones before had no words, and no proof.
const (
	copyLayout         = 3
	copyLayoutWordless = 2
	copyLayoutPlain    = 1
)

func (s *Saved) encode() []byte {
	retired := byte(0)
	if s.Retired {
		retired = 1
	}
	b := []byte{copyLayout, retired}
	for _, v := range []uint64{s.Gen.Number, s.Gen.Fork, s.Term, s.Index, uint64(s.At), uint64(s.Bytes)} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return append(s.appendWords(append(b, s.Proof[:]...)), s.Shard.Space()...)
}

// appendWords encodes the words that are kept with a copy.
func (s *Saved) appendWords(b []byte) []byte {
	var n byte
	at := len(b)
	b = append(b, 0)
	for _, x := range s.words {
		if x.Index == 0 {
			continue
		}
		n++
		b = append(b, x.who[:]...)
		for _, v := range []uint64{x.Gen.Number, x.Gen.Fork, x.Term, x.Index} {
			b = binary.BigEndian.AppendUint64(b, v)
		}
		b = append(append(b, x.Key[:]...), x.Sig[:]...)
	}
	b[at] = n
	return b
}

// readWords is the inverse of appendWords.
func (s *Saved) readWords(r *bin.Reader) {
	for i := range min(r.Byte(), maxWords) {
		x := &s.words[i]
		copy(x.who[:], r.Take(id.Size))
		x.Gen = group.Gen{Number: r.U64(), Fork: r.U64()}
		x.Term, x.Index = r.U64(), r.U64()
		copy(x.Key[:], r.Take(32))
		copy(x.Sig[:], r.Take(64))
	}
}

func decodeCopy(space string, b []byte) (s Saved, ok bool) {
	r := bin.NewReader(b)
	layout := r.Byte()
	s.Space, s.Retired = space, r.Byte() == 1
	s.Gen = group.Gen{Number: r.U64(), Fork: r.U64()}
	s.Term, s.Index, s.At, s.Bytes = r.U64(), r.U64(), machine.Time(r.U64()), int(r.U64())
	if layout != copyLayoutPlain {
		copy(s.Proof[:], r.Take(CopyProofSize))
	}
	if layout == copyLayout {
		s.readWords(&r)
	}
	if r.Bad() || layout == 0 || layout > copyLayout || s.Bytes < 0 {
		return s, false
	}
	s.Shard, ok = shards.InSpace(string(r.Take(uint64(r.Len()))))
	for i := range s.words {
		if s.words[i].Index > 0 {
			s.words[i].Shard = s.Shard
		}
	}
	return s, ok && strings.HasPrefix(space+".", group.RetiredSpace(s.Shard.Space())+".")
}
