package session

import (
	"crypto/ed25519"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// maxEarly bounds the data that is kept while the end of its handshake is
// computed.
const maxEarly = maxWaiting

// responder has the handshakes that other nodes have begun.
type responder struct {
	*core
	registry  *registry
	initiator *initiator
	receive   func(b []byte, from netip.AddrPort) // takes a packet that came too early

	halves  map[hint]*half
	origins limit.Table[origin]
	cookies cookies
}

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

func (re *responder) onHello(h *header, from netip.AddrPort) {
	if h.version != Version {
		re.cfg.Fail("version")
		re.cfg.Send(ourVersion(h.from), from)
		re.refuse(from, OtherVersion(h.version))
		return
	}
	if h.world != [4]byte(re.cfg.World[:4]) {
		re.cfg.Fail("world")
		return
	}
	if answer := re.begunByOther(h, from); answer != nil {
		re.cfg.Send(answer, from)
	}
}

// begunByOther notes a handshake; it returns what is to be sent at once.
func (re *responder) begunByOther(h *header, from netip.AddrPort) (answer []byte) {
	re.mu.Lock()
	defer re.mu.Unlock()
	key := hint{from, h.from}
	if f := re.halves[key]; f != nil {
		return f.welcome // it, or what it was in answer to, was lost
	}
	now, o := re.now(), re.origins.Of(from.Addr(), time.Now())
	proven := re.cookies.good(now, from, h.from, h.cookie)
	if !proven && (len(re.halves) >= re.cfg.Busy || !o.loose.Take(1, time.Now())) {
		re.cfg.Fail("cookie asked for")
		return retry(h.from, re.cookies.bake(now, from, h.from))
	}
	if re.closed || len(re.halves) >= re.cfg.Half || o.halves >= max(1, re.cfg.Half/8) || proven && !o.proven.Take(1, time.Now()) {
		re.cfg.Fail("busy")
		return nil
	}
	o.halves++
	f := &half{addr: from, theirs: h.from}
	f.ours = re.number(f)
	re.halves[key] = f
	f.expire = time.AfterFunc(halfLife, func() { re.expired(f) })
	message := append([]byte(nil), h.rest...)
	if !re.cfg.Go(func() { re.sendWelcome(f, message) }) {
		re.cfg.Fail("busy")
		re.remove(f)
	}
	return nil
}

// remove forgets a handshake. The table is locked.
func (re *responder) remove(f *half) {
	key := hint{f.addr, f.theirs}
	if re.halves[key] == f {
		delete(re.halves, key)
		re.origins.Of(f.addr.Addr(), time.Now()).halves--
	}
	if re.slots[f.ours] == any(f) {
		delete(re.slots, f.ours)
	}
	f.expire.Stop()
}

func (re *responder) expired(f *half) {
	re.mu.Lock()
	defer re.mu.Unlock()
	if re.slots[f.ours] == any(f) {
		re.remove(f)
		re.cfg.Fail("half open")
	}
}

func (re *responder) sendWelcome(f *half, message []byte) {
	n, err := re.handshake(false)
	if err != nil {
		panic(err) // the configuration is a constant
	}
	question, _, _, err := n.ReadMessage(nil, message)
	packet := binary.BigEndian.AppendUint32([]byte{typeWelcome}, f.theirs)
	packet = binary.BigEndian.AppendUint32(packet, f.ours)
	var answer []byte
	if err == nil {
		mine := *re.mine.Load()
		answer = re.answer(question, helloSize-welcomeBare-len(mine))
		packet, _, _, err = n.WriteMessage(packet, slices.Concat(mine, answer))
	}
	re.mu.Lock()
	switch {
	case re.slots[f.ours] != any(f):
		packet = nil
	case err != nil: // a key of low order
		re.cfg.Fail("forged")
		re.remove(f)
		packet = nil
	default:
		f.noise, f.welcome = n, packet
		if len(answer) > 0 {
			f.asked = question
		}
	}
	re.mu.Unlock()
	if packet != nil {
		re.cfg.Send(packet, f.addr)
	}
}

// answer is what goes with a welcome. It is no more than the hello has paid for.
func (re *responder) answer(question []byte, room int) []byte {
	if len(question) == 0 || room <= 0 || re.cfg.Answer == nil {
		return nil
	}
	if a := re.cfg.Answer(question, room); len(a) <= room {
		return a
	}
	return nil
}

func (re *responder) onConfirm(h *header, from netip.AddrPort) {
	re.mu.Lock()
	s, _ := re.slots[h.to].(*session)
	if s == nil {
		re.confirmed(h, from)
	}
	re.mu.Unlock()
	if s != nil && s.addr == from && len(h.rest) >= dhSize {
		re.seal(s, nil) // what has shown that we have it was lost
	}
}

// confirmed is when the end of a handshake has come. The table is locked.
func (re *responder) confirmed(h *header, from netip.AddrPort) {
	f, _ := re.slots[h.to].(*half)
	if f == nil || f.addr != from || f.noise == nil || f.busy {
		return
	}
	f.busy = true
	message := append([]byte(nil), h.rest...)
	if !re.cfg.Go(func() { re.onConfirmed(f, message) }) {
		f.busy = false
		re.cfg.Fail("busy")
	}
}

// onConfirmed ends the handshake on the responder's side.
func (re *responder) onConfirmed(f *half, message []byte) {
	s, first, err := re.accepted(f, message)
	if err != nil {
		re.refuse(f.addr, err)
		re.mu.Lock()
		re.remove(f)
		re.mu.Unlock()
		re.cfg.Fail(reasonOf(err))
		return
	}
	re.mu.Lock()
	if re.slots[f.ours] != any(f) {
		re.mu.Unlock()
		return
	}
	re.remove(f)
	re.registry.add(s)
	p := re.registry.peerOf(s.who)
	waiting := p.waiting
	if p.attempt != nil { // theirs came first
		re.initiator.end(p.attempt, "")
		p = re.registry.peerOf(s.who)
	}
	p.waiting = nil
	for _, p := range re.registry.users(s) {
		re.registry.use(p, s)
	}
	re.mu.Unlock()
	for _, m := range waiting {
		re.seal(s, m.b)
	}
	if f.asked != nil {
		re.cfg.Answered(s.who, f.asked)
	}
	if len(first) > 0 {
		re.cfg.Deliver(s.who, first)
	}
	if !s.spoken() { // whatever we say shows that we have it
		re.seal(s, nil)
	}
	for _, b := range f.early {
		re.receive(b, f.addr)
	}
}

// accepted makes the session of a handshake that another node has begun, and
// returns what came with its end.
func (re *responder) accepted(f *half, message []byte) (s *session, first []byte, err error) {
	payload, c1, c2, err := f.noise.ReadMessage(nil, message)
	if err != nil {
		return nil, nil, err
	}
	who, first, err := re.verify(payload, f.noise.PeerStatic())
	if err != nil {
		return nil, nil, err
	}
	if who == id.Of(re.cfg.Key.Public().(ed25519.PublicKey)) {
		return nil, nil, wrongID{got: who}
	}
	s = newSession(c2, c1)
	s.who, s.addr = machine.Peer{ID: who, Addr: machine.AddrFrom(f.addr)}, f.addr
	s.ours, s.theirs = f.ours, f.theirs
	s.confirmed.Store(true)
	return s, first, nil
}
