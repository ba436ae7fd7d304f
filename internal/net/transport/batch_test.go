package transport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// pathBed is one direction of a link in steps of a millisecond: a stream that
// brings everything in order, batches and acknowledgements that may be lost, come
// twice and overtake each other.
type pathBed struct {
	t      *testing.T
	rand   rng.Rand
	now    time.Duration
	out    batchSender
	in     batchReceiver
	acks   ackState
	mail   map[time.Duration][]func() // what arrives when
	stream time.Duration              // when the last that was written arrives
	loss   int                        // of 100
	sent   int
	got    []string
	counts [3]int // messages by batch and by stream; batches that were spilled
}

func (b *pathBed) arrives(after time.Duration, f func()) {
	at := b.now + max(after, time.Millisecond)
	b.mail[at] = append(b.mail[at], f)
}

// loose sends what may be lost.
func (b *pathBed) loose(f func()) {
	if b.rand.Intn(100) < b.loss {
		return
	}
	b.arrives(time.Duration(1+b.rand.Intn(30))*time.Millisecond, f)
	if b.rand.Intn(100) < b.loss {
		b.arrives(time.Duration(1+b.rand.Intn(30))*time.Millisecond, f)
	}
}

func (b *pathBed) deliver(m []byte) { b.got = append(b.got, string(m)) }

// write brings frames over the stream.
func (b *pathBed) write(frames []byte) {
	b.stream = max(b.stream, b.now+time.Duration(1+b.rand.Intn(60))*time.Millisecond)
	b.arrives(b.stream-b.now, func() {
		r := newFrames(bytes.NewReader(frames), 1<<20)
		for r.more() == nil {
			for {
				f, err := r.next()
				if err != nil {
					b.t.Fatal(err)
				}
				if f == nil {
					break
				}
				if err := b.in.stream(binary.BigEndian.Uint64(f), f[numberSize:], b.deliver); err != nil {
					b.t.Fatal(err)
				}
			}
		}
	})
}

func (b *pathBed) spill() []byte {
	return b.out.drainToStream(nil, func(*batch) { b.counts[2]++ })
}

// send gives the link messages, the way that a link does.
func (b *pathBed) send(n int, small bool) {
	if small && b.out.ready(b.now) {
		p := &batch{first: b.out.number + 1}
		for range n {
			m := fmt.Sprint(b.sent)
			b.sent++
			b.out.number++
			p.body = append(binary.AppendUvarint(p.body, uint64(len(m))), m...)
		}
		b.out.track(p, b.now)
		b.counts[0] += n
		h := batchHeader{link: 7, index: p.index, first: p.first}
		packet := append(h.append(nil), p.body...)
		b.loose(func() { b.take(packet) })
		return
	}
	frames := b.spill()
	for range n {
		m := fmt.Sprint(b.sent)
		b.sent++
		b.out.number++
		b.counts[1]++
		frames = binary.BigEndian.AppendUint32(frames, uint32(numberSize+len(m)))
		frames = append(binary.BigEndian.AppendUint64(frames, b.out.number), m...)
	}
	b.write(frames)
}

// take is the receiving end.
func (b *pathBed) take(packet []byte) {
	h, body, err := parseBatch(packet)
	if err != nil || h.link != 7 {
		b.t.Fatal(h, err)
	}
	if !b.in.room(h.first, body) || b.rand.Intn(100) < b.loss/4 { // it is busy
		return
	}
	hurry := b.acks.received(b.now)
	if b.acks.isNew(h.index) {
		hurry = b.acks.note(h.index) || hurry
		if err := b.in.takeBatch(h.first, body, b.deliver); err != nil {
			b.t.Fatal(err)
		}
	}
	if hurry {
		b.acknowledge()
	}
}

func (b *pathBed) acknowledge() {
	h := batchHeader{acks: b.acks.acks}
	b.acks.owed = 0
	packet := h.append(nil)
	b.loose(func() {
		h, _, err := parseBatch(packet)
		if err != nil {
			b.t.Fatal(err)
		}
		b.out.acknowledged(h.acks, b.now, func(*batch) {})
	})
}

func (b *pathBed) step() {
	b.now += time.Millisecond
	for _, f := range b.mail[b.now] {
		f()
	}
	delete(b.mail, b.now)
	if b.now%pathSweep == 0 {
		if b.acks.ackDue(b.now) {
			b.acknowledge()
		}
		if b.out.overdue(b.now, 0) {
			b.out.abandon(b.now)
		}
	}
	if b.out.lost {
		b.write(b.spill())
	}
}

// TestDatagramPathKeepsOrder: whatever happens to batches, all messages arrive once and in order,
// and what the stream brings is never early.
func TestDatagramPathKeepsOrder(t *testing.T) {
	for seed := uint64(1); seed <= 300; seed++ {
		b := &pathBed{t: t, rand: rng.New(seed), mail: map[time.Duration][]func(){}, loss: int(seed % 5 * 10)}
		every := 1 + b.rand.Intn(60)
		for range 3000 {
			if b.rand.OneIn(every) {
				b.send(1+b.rand.Intn(4), !b.rand.OneIn(20))
			}
			b.step()
		}
		b.loss = 0
		for range 2000 {
			b.step()
		}
		if len(b.got) != b.sent || len(b.out.sent) > 0 || len(b.in.early) > 0 || b.in.earlySize != 0 {
			t.Fatalf("%d of %d arrived, %d batches wait here, %d there (seed %d)", len(b.got), b.sent, len(b.out.sent), len(b.in.early), seed)
		}
		for i, m := range b.got {
			if m != fmt.Sprint(i) {
				t.Fatalf("message %d is %s (seed %d)", i, m, seed)
			}
		}
		if b.counts[0] == 0 || seed%5 > 0 && b.counts[2] == 0 {
			t.Fatalf("by batch, by stream, spilled: %v (seed %d)", b.counts, seed)
		}
	}
}

// TestLaneWithoutLoss: where nothing is lost the stream has nothing to do.
func TestLaneWithoutLoss(t *testing.T) {
	var o batchSender
	var in batchReceiver
	var a ackState
	got := 0
	for i := range 1000 {
		now := time.Duration(i) * 50 * time.Millisecond
		if !o.ready(now) {
			t.Fatalf("no batch %d", i)
		}
		o.number++
		b := &batch{first: o.number, body: []byte{1, 'x'}}
		o.track(b, now)
		if !a.isNew(b.index) || a.note(b.index) || a.isNew(b.index) {
			t.Fatalf("batch %d: %+v", i, a)
		}
		if err := in.takeBatch(b.first, b.body, func([]byte) { got++ }); err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 {
			o.acknowledged(a.acks, now, func(*batch) {})
		}
	}
	if got != 1000 || o.lost || len(o.sent) != 4 {
		t.Fatalf("%d arrived, %d wait, lost: %t", got, len(o.sent), o.lost)
	}
}

// TestAckStateGaps: what is known of batches by their acknowledgement.
func TestAckStateGaps(t *testing.T) {
	for _, c := range []struct {
		come    []uint64
		missing []uint64 // of all up to the greatest
	}{
		{[]uint64{1, 2, 3}, nil},
		{[]uint64{3}, []uint64{1, 2}},
		{[]uint64{2, 1, 4}, []uint64{3}},
		{[]uint64{1, 64}, span(2, 63)},
		{[]uint64{1, 65}, span(2, 64)},
		{[]uint64{1, 66}, span(2, 65)},
		{[]uint64{64}, span(1, 63)},
		{[]uint64{200, 190, 137}, append([]uint64{136}, append(span(138, 189), span(191, 199)...)...)},
	} {
		var a ackState
		for _, i := range c.come {
			if !a.isNew(i) {
				t.Fatalf("%v: %d is not fresh", c.come, i)
			}
			a.note(i)
		}
		missing := map[uint64]bool{}
		for _, i := range c.missing {
			missing[i] = true
		}
		for i := uint64(1); i <= a.largest; i++ {
			if a.largest-i <= 64 && a.isNew(i) != missing[i] {
				t.Fatalf("%v: of %d it is said that fresh is %t", c.come, i, a.isNew(i))
			}
		}
	}
}

func span(from, to uint64) (out []uint64) {
	for i := from; i <= to; i++ {
		out = append(out, i)
	}
	return out
}

// FuzzBatch: whatever a batch says, nothing is delivered twice or out of turn,
// and what is kept is bounded.
func FuzzBatch(f *testing.F) {
	h := batchHeader{link: 1, acks: acks{300, 5}, index: 2, first: 1}
	f.Add(append(h.append(nil), 1, 'a', 0, 2, 'b', 'c'), uint64(3))
	f.Add((&batchHeader{link: 1}).append(nil), uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, before uint64) {
		h, body, err := parseBatch(b)
		if err != nil {
			return
		}
		if h.index == 0 && len(body) > 0 {
			t.Fatal("messages without a batch")
		}
		in := batchReceiver{done: before % 8}
		var a ackState
		size := 0
		for range 3 {
			if !in.room(h.first, body) || !a.isNew(h.index) {
				break
			}
			a.note(h.index)
			if in.takeBatch(h.first, body, func(m []byte) { size += len(m) }) != nil {
				break
			}
		}
		if size > len(body) || in.earlySize > maxEarlySize {
			t.Fatalf("%d bytes of %d, %d kept", size, len(body), in.earlySize)
		}
		o := batchSender{number: 3, index: 3, sent: []*batch{{index: 1, first: 1, body: []byte{0}}, {index: 3, first: 3, body: []byte{1, 'x'}}}}
		o.acknowledged(h.acks, time.Second, func(*batch) {})
		if len(o.sent) > 2 {
			t.Fatal("more than was sent")
		}
	})
}
