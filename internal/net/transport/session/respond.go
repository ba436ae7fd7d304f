package session

import (
	"crypto/ed25519"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// maxEarly bounds the data that is kept while the end of its handshake is
// computed.
const maxEarly = maxWaiting

// half is a handshake that another node has begun.
type half struct {
	addr    netip.AddrPort
	ours    uint32
	theirs  uint32
	noise   *noise.HandshakeState
	welcome []byte // nil: not computed yet
	busy    bool   // the confirm is being looked at
	early   [][]byte
	asked   []byte // the question that the welcome answers; nil: none
	expire  *time.Timer
}

// stash keeps a packet. The table is locked.
func (f *half) stash(b []byte) {
	if len(f.early) < maxEarly {
		f.early = append(f.early, append([]byte(nil), b...))
	}
}

func (t *Table) onHello(h *header, from netip.AddrPort) {
	if h.version != Version {
		t.cfg.Fail("version")
		t.cfg.Send(ourVersion(h.from), from)
		t.refuse(from, OtherVersion(h.version))
		return
	}
	if h.world != [4]byte(t.cfg.World[:4]) {
		t.cfg.Fail("world")
		return
	}
	if answer := t.begunByOther(h, from); answer != nil {
		t.cfg.Send(answer, from)
	}
}

// begunByOther notes a handshake; it returns what is to be sent at once.
func (t *Table) begunByOther(h *header, from netip.AddrPort) (answer []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := hint{from, h.from}
	if f := t.halves[key]; f != nil {
		return f.welcome // it, or what it was in answer to, was lost
	}
	now, o := t.now(), t.origins.Of(from.Addr(), time.Now())
	proven := t.cookies.good(now, from, h.from, h.cookie)
	if !proven && (len(t.halves) >= t.cfg.Busy || !o.loose.Take(1, time.Now())) {
		t.cfg.Fail("cookie asked for")
		return retry(h.from, t.cookies.bake(now, from, h.from))
	}
	if t.closed || len(t.halves) >= t.cfg.Half || o.halves >= max(1, t.cfg.Half/8) || proven && !o.proven.Take(1, time.Now()) {
		t.cfg.Fail("busy")
		return nil
	}
	o.halves++
	f := &half{addr: from, theirs: h.from}
	f.ours = t.number(f)
	t.halves[key] = f
	f.expire = time.AfterFunc(halfLife, func() { t.expired(f) })
	message := append([]byte(nil), h.rest...)
	if !t.cfg.Go(func() { t.sendWelcome(f, message) }) {
		t.cfg.Fail("busy")
		t.remove(f)
	}
	return nil
}

// remove forgets a handshake. t is locked.
func (t *Table) remove(f *half) {
	key := hint{f.addr, f.theirs}
	if t.halves[key] == f {
		delete(t.halves, key)
		t.origins.Of(f.addr.Addr(), time.Now()).halves--
	}
	if t.slots[f.ours] == any(f) {
		delete(t.slots, f.ours)
	}
	f.expire.Stop()
}

func (t *Table) expired(f *half) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.slots[f.ours] == any(f) {
		t.remove(f)
		t.cfg.Fail("half open")
	}
}

func (t *Table) sendWelcome(f *half, message []byte) {
	n, err := t.handshake(false)
	if err != nil {
		panic(err) // the configuration is a constant
	}
	question, _, _, err := n.ReadMessage(nil, message)
	packet := binary.BigEndian.AppendUint32([]byte{typeWelcome}, f.theirs)
	packet = binary.BigEndian.AppendUint32(packet, f.ours)
	var answer []byte
	if err == nil {
		mine := *t.mine.Load()
		answer = t.answer(question, helloSize-welcomeBare-len(mine))
		packet, _, _, err = n.WriteMessage(packet, slices.Concat(mine, answer))
	}
	t.mu.Lock()
	switch {
	case t.slots[f.ours] != any(f):
		packet = nil
	case err != nil: // a key of low order
		t.cfg.Fail("forged")
		t.remove(f)
		packet = nil
	default:
		f.noise, f.welcome = n, packet
		if len(answer) > 0 {
			f.asked = question
		}
	}
	t.mu.Unlock()
	if packet != nil {
		t.cfg.Send(packet, f.addr)
	}
}

// answer is what goes with a welcome. It is no more than the hello has paid for.
func (t *Table) answer(question []byte, room int) []byte {
	if len(question) == 0 || room <= 0 || t.cfg.Answer == nil {
		return nil
	}
	if a := t.cfg.Answer(question, room); len(a) <= room {
		return a
	}
	return nil
}

func (t *Table) onConfirm(h *header, from netip.AddrPort) {
	t.mu.Lock()
	s, _ := t.slots[h.to].(*session)
	if s == nil {
		t.confirmed(h, from)
	}
	t.mu.Unlock()
	if s != nil && s.addr == from && len(h.rest) >= dhSize {
		t.seal(s, nil) // what has shown that we have it was lost
	}
}

// confirmed is when the end of a handshake has come. t is locked.
func (t *Table) confirmed(h *header, from netip.AddrPort) {
	f, _ := t.slots[h.to].(*half)
	if f == nil || f.addr != from || f.noise == nil || f.busy {
		return
	}
	f.busy = true
	message := append([]byte(nil), h.rest...)
	if !t.cfg.Go(func() { t.onConfirmed(f, message) }) {
		f.busy = false
		t.cfg.Fail("busy")
	}
}

// onConfirmed ends the handshake on the responder's side.
func (t *Table) onConfirmed(f *half, message []byte) {
	s, first, err := t.accepted(f, message)
	if err != nil {
		t.refuse(f.addr, err)
		t.mu.Lock()
		t.remove(f)
		t.mu.Unlock()
		t.cfg.Fail(reasonOf(err))
		return
	}
	t.mu.Lock()
	if t.slots[f.ours] != any(f) {
		t.mu.Unlock()
		return
	}
	t.remove(f)
	t.add(s)
	p := t.peerOf(s.who)
	waiting := p.waiting
	if p.attempt != nil { // theirs came first
		t.end(p.attempt, "")
		p = t.peerOf(s.who)
	}
	p.waiting = nil
	for _, p := range t.users(s) {
		t.use(p, s)
	}
	t.mu.Unlock()
	for _, m := range waiting {
		t.seal(s, m.b)
	}
	if f.asked != nil {
		t.cfg.Answered(s.who, f.asked)
	}
	if len(first) > 0 {
		t.cfg.Deliver(s.who, first)
	}
	if !s.spoken() { // whatever we say shows that we have it
		t.seal(s, nil)
	}
	for _, b := range f.early {
		t.Packet(b, f.addr)
	}
}

// accepted makes the session of a handshake that another node has begun, and
// returns what came with its end.
func (t *Table) accepted(f *half, message []byte) (s *session, first []byte, err error) {
	payload, c1, c2, err := f.noise.ReadMessage(nil, message)
	if err != nil {
		return nil, nil, err
	}
	who, first, err := t.verify(payload, f.noise.PeerStatic())
	if err != nil {
		return nil, nil, err
	}
	if who == id.Of(t.cfg.Key.Public().(ed25519.PublicKey)) {
		return nil, nil, wrongID{got: who}
	}
	s = newSession(c2, c1)
	s.who, s.addr = machine.Peer{ID: who, Addr: machine.AddrFrom(f.addr)}, f.addr
	s.ours, s.theirs = f.ours, f.theirs
	s.confirmed.Store(true)
	return s, first, nil
}
