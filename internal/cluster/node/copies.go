package node

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

// copies are states of shards that this node does not host: what it had when it stopped
// being a host (group.Copy), and what leaders keep here (spareKeeping). Nobody is served
// from them and they have no vote. Which there are is in the node's own space, written
// together with the states themselves.
//
// States of replicas that were removed are bounded in age, number and bytes: the oldest
// go. So are spare copies, by themselves: hosts that send many push out none of the
// others. States of replicas that gave way to another group stay for the person who runs
// the node.
type copies struct {
	part.Part
	disk part.Jobs

	list  []savedCopy // by space
	next  machine.Time
	tag   uint64
	reads map[uint64]func([]machine.KV, error) // that are under way
}

// savedCopy is a copy on the disk.
type savedCopy struct {
	group.Copy
	shard shards.Shard
	at    machine.Time       // when it was put aside, was the state of its shard, or was continued
	whole int                // of a spare copy: bytes of the whole state that came last
	proof copyProof          // of a spare copy: a host's signature over it
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

func newCopies(c part.Part, p part.Seat) *copies {
	m := &copies{Part: c, disk: p, reads: map[uint64]func([]machine.KV, error){}}
	p.Put(m)
	return m
}

// do runs a job of the disk.
func (c *copies) do(tag uint64, job machine.Job) { c.disk.Do("copies", tag, job) }

// newest returns the newest copy of a shard.
func (c *copies) newest(p shards.Shard) (best savedCopy, ok bool) {
	for _, s := range c.list {
		if s.shard == p && !s.isOrigin() && !s.isKept() && (!ok || s.end().Compare(best.end()) > 0) {
			best, ok = s, true
		}
	}
	return best, ok
}

// end is the end of the log that a copy is of.
func (s *savedCopy) end() hostpolicy.Log {
	return hostpolicy.Log{Gen: s.Gen, Term: s.Term, Last: s.Index}
}

// read reads what is in a copy.
func (c *copies) read(s savedCopy, then func([]machine.KV, error)) {
	c.tag++
	c.reads[c.tag] = then
	c.do(c.tag, machine.DiskRead{Space: s.Space})
}

// OnDone implements machine.Machine.
func (c *copies) OnDone(tag uint64, result any, err error) {
	then := c.reads[tag]
	delete(c.reads, tag)
	if then != nil {
		kvs, _ := result.([]machine.KV)
		then(kvs, err)
	}
}

// Start implements machine.Machine.
func (c *copies) Start() {}

// OnMessage implements machine.Machine.
func (c *copies) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (c *copies) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (c *copies) OnLink(machine.Peer, machine.LinkEvent) {}

// setAside returns what a replica of a shard writes when it puts its state aside.
func (c *copies) setAside(p shards.Shard) func(group.Copy) []machine.DiskWrite {
	return func(gc group.Copy) []machine.DiskWrite {
		s := savedCopy{Copy: gc, shard: p, at: c.Env.Now()}
		c.add(s)
		return []machine.DiskWrite{{Space: NodeSpace, Put: s.record()}}
	}
}

func (c *copies) add(s savedCopy) {
	i, found := slices.BinarySearchFunc(c.list, s.Space, func(o savedCopy, space string) int { return strings.Compare(o.Space, space) })
	if found {
		c.list[i] = s
		return
	}
	c.list = slices.Insert(c.list, i, s)
}

// recall takes a record of the node's own space. What does not decode is left alone.
func (c *copies) recall(kv machine.KV) {
	if space, ok := strings.CutPrefix(string(kv.Key), copyKey); ok {
		if s, ok := decodeCopy(space, kv.Value); ok {
			c.add(s)
		}
	}
}

// beat lets go of the oldest states.
func (c *copies) beat(now machine.Time) {
	if now < c.next {
		return
	}
	c.next = now.Add(thinCopies)
	c.thin(now, maxCopyAge, maxCopiesBytes, func(s savedCopy) bool { return s.Retired && !s.isSpare() && !s.isDated() })
	c.thin(now, maxSpareAge, c.Cfg.CopiesDisk, func(s savedCopy) bool { return s.isSpare() })
	c.thin(now, maxSpareAge, maxCopiesBytes, func(s savedCopy) bool { return s.isOrigin() })
	c.thin(now, maxSpareAge, maxCopiesBytes, func(s savedCopy) bool { return s.isKept() })
	c.thin(now, maxDatedAge, c.Cfg.CopiesDisk, func(s savedCopy) bool { return s.isDated() })
	c.thinDated(now)
}

// thin keeps the newest of some copies, of so many bytes at most.
func (c *copies) thin(now machine.Time, maxAge time.Duration, most int, which func(savedCopy) bool) {
	some := slices.DeleteFunc(slices.Clone(c.list), func(s savedCopy) bool { return !which(s) })
	slices.SortStableFunc(some, func(a, b savedCopy) int { return cmp.Compare(b.at, a.at) }) // the newest first
	bytes := 0
	for i, s := range some {
		if bytes += s.Bytes; bytes > most || i >= maxCopies || now.Sub(s.at) > maxAge {
			c.drop(s)
		}
	}
}

func (c *copies) drop(s savedCopy) {
	c.list = slices.DeleteFunc(c.list, func(o savedCopy) bool { return o.Space == s.Space })
	c.do(0, machine.DiskWrite{
		Space: NodeSpace, Delete: [][]byte{[]byte(copyKey + s.Space)},
		Then: []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}}},
	})
}

// copyLayout is the layout of a record; the ones before had no words, and no proof.
const (
	copyLayout         = 3
	copyLayoutWordless = 2
	copyLayoutPlain    = 1
)

func (s *savedCopy) encode() []byte {
	retired := byte(0)
	if s.Retired {
		retired = 1
	}
	b := []byte{copyLayout, retired}
	for _, v := range []uint64{s.Gen.Number, s.Gen.Fork, s.Term, s.Index, uint64(s.at), uint64(s.Bytes)} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return append(s.appendWords(append(b, s.proof[:]...)), s.shard.Space()...)
}

// appendWords encodes the words that are kept with a copy.
func (s *savedCopy) appendWords(b []byte) []byte {
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
func (s *savedCopy) readWords(r *bin.Reader) {
	for i := range min(r.Byte(), maxWords) {
		x := &s.words[i]
		copy(x.who[:], r.Take(id.Size))
		x.Gen = group.Gen{Number: r.U64(), Fork: r.U64()}
		x.Term, x.Index = r.U64(), r.U64()
		copy(x.Key[:], r.Take(32))
		copy(x.Sig[:], r.Take(64))
	}
}

func decodeCopy(space string, b []byte) (s savedCopy, ok bool) {
	r := bin.NewReader(b)
	layout := r.Byte()
	s.Space, s.Retired = space, r.Byte() == 1
	s.Gen = group.Gen{Number: r.U64(), Fork: r.U64()}
	s.Term, s.Index, s.at, s.Bytes = r.U64(), r.U64(), machine.Time(r.U64()), int(r.U64())
	if layout != copyLayoutPlain {
		copy(s.proof[:], r.Take(CopyProofSize))
	}
	if layout == copyLayout {
		s.readWords(&r)
	}
	if r.Bad() || layout == 0 || layout > copyLayout || s.Bytes < 0 {
		return s, false
	}
	s.shard, ok = shards.InSpace(string(r.Take(uint64(r.Len()))))
	for i := range s.words {
		if s.words[i].Index > 0 {
			s.words[i].Shard = s.shard
		}
	}
	return s, ok && strings.HasPrefix(space+".", group.RetiredSpace(s.shard.Space())+".")
}
