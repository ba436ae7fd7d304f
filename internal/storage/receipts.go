package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Deposit says which of the actions that a storer has are a player's batch of an
// interval, signed as one (Protocol.Receipts): those and no others. There is one
// for each player and interval; on the wire it names the actions by number, or,
// Whole, brings them along.
type Deposit struct {
	Batch *Batch
	Whole bool
	// Numbers are those of the actions, if Batch has come without them.
	Numbers []uint64
	// Knows are those whom the player knows of the zone that this goes to, by the
	// beginnings of their ids (Protocol.Terse).
	Knows []uint32
	// Signature is the player's, of the batch: nobody on the way can say that the
	// player has done nothing. Who makes and checks it is the driver's business
	// (Config.SignBatch, Config.CheckBatch).
	Signature []byte
	// Own is the receipt of the player's node itself, if that stores the batch and is
	// leaving; nil otherwise.
	Own *Receipt
}

// Receipt is a storer's signed word that it had a player's batch before t^a.
type Receipt struct {
	By    *overlay.Contact
	Batch *Batch // on the wire its player and interval: who asked for the receipt has it
	// Certificate says who the storer is and where it stands, Signature is the
	// storer's. Who makes and checks them is the driver's business
	// (Config.SignReceipt, Config.CheckReceipt).
	Certificate, Signature []byte
	// Short is the beginning of the storer's id, on the wire, instead of By and
	// Certificate, which the receiver has (Protocol.Terse).
	Short uint32
	// Fresh: the storer knows nobody by the player's certificates, on the way to the
	// player.
	Fresh bool
	known bool // the receiver has By and Certificate, on the way to the player
}

// Certificate is a batch with receipts of more than half of the zones: one copy
// of it is enough.
type Certificate struct {
	Batch    *Batch
	Receipts []*Receipt // one a zone
}

// Certified hands a storer the certificate of the batch that it has.
type Certified struct {
	Certificate *Certificate
	saved       int // bytes, because the storer has some of it (Protocol.Terse)
}

// Exchange passes a batch that is not certified at t^a on to the other storers,
// with the receipts that are known: a player cannot have it certified with some
// and hide it from others.
type Exchange struct {
	Batch     *Batch
	Receipts  []*Receipt
	Signature []byte // the player's, as in its Deposit
}

// Sizes on the wire. A receipt names the storer by its contact and its certificate,
// and is signed.
const (
	sizeCertificate = 149
	sizeReceipt     = sizeContact + sizeCertificate + sizeSignature
	sizeSignature   = 64
)

// Size makes messages known to simulations.
func (m *Deposit) Size() int {
	size := 1 + 20 + 8 + sizeSignature + sizeShort*len(m.Knows)
	if m.Own != nil {
		size += sizeReceipt
	}
	if m.Whole {
		return size + m.Batch.size()
	}
	return size + 2 + 4*len(m.Batch.Actions)
}

// Size makes messages known to simulations.
func (m *Receipt) Size() int {
	if m.known {
		return 1 + 20 + 8 + sizeBrieflySigned
	}
	return 1 + 20 + 8 + sizeReceipt
}

// Size makes messages known to simulations.
func (m *Certified) Size() int { return 1 + 20 + 8 + m.Certificate.size() - m.saved }

// Size makes messages known to simulations.
func (m *Exchange) Size() int {
	return 1 + 20 + 8 + sizeSignature + m.Batch.size() + sizeReceipt*len(m.Receipts)
}

func (c *Certificate) size() int { return sizeReceipt * len(c.Receipts) }

// sign is the node's receipt for a batch.
func (n *Node) sign(b *Batch) *Receipt {
	r := &Receipt{By: n.self, Batch: b}
	if n.cfg.SignReceipt != nil {
		n.cfg.SignReceipt(r)
	}
	return r
}

// onDeposit seals the actions that are stored and gives a receipt for them. The
// first batch of an interval counts; what comes after t^a does not. What has come
// before and had to wait here is handled later: the other storers are told of it, as of
// all that is not certified at t^a.
func (n *Node) onDeposit(by *overlay.Contact, m *Deposit, came machine.Time) {
	b := m.Batch
	if b == nil || b.Player == nil || by.ID != b.Player.ID || !n.time.accepts(b.Of, n.env.Now()) || came > n.time.actions(b.Of) {
		return
	}
	if len(m.Numbers) > 0 && !m.Whole {
		b = n.batchByNumbers(b, m.Numbers)
	}
	if b == nil || !n.checkBatch(b) || !n.signedBatch(b, m.Signature) {
		return
	}
	s := n.actions.playerLog(b.Player)
	st := s.intervalLog(b.Of)
	if (st.sealed || !m.Whole) && !sameBatch(st.frozen(b.Player, n.cache), b) {
		return // an action is missing, or the player has said something else before
	}
	first := !st.sealed
	n.seal(st, b)
	st.signature = m.Signature
	r := n.sign(b)
	st.collect(n, r)
	if m.Own != nil && m.Own.Batch != nil {
		st.collect(n, m.Own.of(b))
	}
	n.overlay.Reply(by, n.receiptFor(m, r, s))
	if first && st.cert == nil && n.env.Now() > n.time.actions(b.Of) {
		n.passOn(s, st)
	}
}

// batchByNumbers is a batch of actions that are stored here, by their numbers; nil: some
// are not.
func (n *Node) batchByNumbers(b *Batch, numbers []uint64) *Batch {
	var acts []*Action
	for _, a := range n.actions.playerLog(b.Player).intervalLog(b.Of).actions {
		if slices.Contains(numbers, a.Seq) {
			acts = append(acts, a)
		}
	}
	if len(acts) != len(numbers) {
		return nil
	}
	slices.SortFunc(acts, order)
	return n.cache.batch(&Batch{Player: b.Player, Of: b.Of, Actions: acts})
}

// signedBatch reports whether a batch bears its player's signature.
func (n *Node) signedBatch(b *Batch, signature []byte) bool {
	return n.cfg.CheckBatch == nil || n.cfg.CheckBatch(b, signature)
}

// checkBatch reports whether the actions of a batch are its player's and of its
// interval.
func (n *Node) checkBatch(b *Batch) bool {
	for _, a := range b.Actions {
		if a.Player == nil || a.Player.ID != b.Player.ID || n.time.of(a.At) != b.Of || n.cfg.Check != nil && !n.cfg.Check(a) {
			return false
		}
	}
	return true
}

// seal makes a batch all that a player has done in an interval.
func (n *Node) seal(st *intervalLog, b *Batch) {
	st.actions, st.batch, st.sealed = b.Actions, b, true
	for _, a := range b.Actions {
		n.cache.noteAction(b.Of, a)
	}
}

// collect adds a receipt; with enough of them there is a certificate.
func (st *intervalLog) collect(n *Node, r *Receipt) {
	if st.cert != nil || !n.addReceipt(&st.receipts, r, st.batch) || len(st.receipts) < n.quorum() {
		return
	}
	st.cert = &Certificate{st.batch, st.receipts}
}

// addReceipt adds a receipt for a batch if it is good and the first of its zone.
func (n *Node) addReceipt(list *[]*Receipt, r *Receipt, b *Batch) bool {
	if r == nil || r.By == nil {
		return false
	}
	zone := n.space.Zone(r.By.Pos)
	if slices.ContainsFunc(*list, func(o *Receipt) bool { return n.space.Zone(o.By.Pos) == zone }) {
		return false
	}
	if !n.goodReceipt(r, b) {
		return false
	}
	*list = append(*list, r)
	return true
}

// goodReceipt reports whether a receipt is its storer's and for a batch.
func (n *Node) goodReceipt(r *Receipt, b *Batch) bool {
	return r != nil && r.By != nil && r.Batch != nil && sameBatch(r.Batch, b) && r.Batch.Player.ID == b.Player.ID && r.Batch.Of == b.Of &&
		(n.cfg.CheckReceipt == nil || n.cfg.CheckReceipt(r))
}

// goodOf returns the good receipts of a certificate for a batch, one a zone.
func (n *Node) goodOf(c *Certificate, b *Batch) (list []*Receipt) {
	if c == nil || b == nil || len(c.Receipts) > n.space.Zones() {
		return nil
	}
	for _, r := range c.Receipts {
		n.addReceipt(&list, r, b)
	}
	return list
}

// certifies returns the good receipts of a certificate; nil: they are too few.
func (n *Node) certifies(c *Certificate, b *Batch) []*Receipt {
	if list := n.goodOf(c, b); len(list) >= n.quorum() {
		return list
	}
	return nil
}

// onCertified keeps a certificate with its batch, of which the node has given the
// player a receipt.
func (n *Node) onCertified(by *overlay.Contact, m *Certified) {
	c := m.Certificate
	if c == nil || c.Batch == nil || c.Batch.Player == nil || by.ID != c.Batch.Player.ID {
		return
	}
	s, st := n.actions.find(by.ID, c.Batch.Of)
	if st == nil || !st.sealed {
		return
	}
	if n.cfg.Wire && len(c.Batch.Actions) == 0 {
		c = c.of(st.batch)
	}
	whole := s.known.expandCertificate(c)
	if len(whole.Receipts) < len(c.Receipts) {
		s.known = nil // the player is told so with the next receipt, and names all again
	}
	good := n.certifies(whole, whole.Batch)
	if good == nil || !n.checkBatch(whole.Batch) {
		return
	}
	if n.cfg.Protocol.Terse {
		s.known = s.known.withAll(good)
	}
	if fuller := st.cert != nil && len(st.cert.Receipts) < len(good) && sameBatch(st.batch, whole.Batch); st.cert == nil || fuller {
		n.seal(st, whole.Batch)
		if st.cert = whole; len(good) < len(whole.Receipts) {
			st.cert = &Certificate{whole.Batch, good}
		}
	}
}

// filled is what a batch that came without its actions is, if it is this one: who
// signs a receipt has signed them.
func (b *Batch) filled(known *Batch) *Batch {
	if b.Player == nil || b.Player.ID != known.Player.ID || b.Of != known.Of {
		return b
	}
	return known
}

// of is a receipt that came without the actions of its batch, with those of the one
// that is known.
func (r *Receipt) of(b *Batch) *Receipt {
	out := *r
	out.Batch = r.Batch.filled(b)
	return &out
}

// of is a certificate that came without the actions of its batch, with those of the
// one that is stored here.
func (c *Certificate) of(b *Batch) *Certificate {
	out := &Certificate{Batch: b}
	for _, r := range c.Receipts {
		if r != nil && r.Batch != nil {
			out.Receipts = append(out.Receipts, r.of(b))
		}
	}
	return out
}

// exchange passes batches on that are not certified though it is t^a.
func (n *Node) exchange(of int64) {
	for _, s := range n.actions.order {
		for i := range s.stacks {
			st := &s.stacks[i]
			if st.of == of && st.sealed && st.cert == nil {
				n.passOn(s, st)
			}
		}
	}
}

// passOn tells the other storers of a batch that is not certified.
func (n *Node) passOn(s *playerLog, st *intervalLog) {
	m := &Exchange{st.batch, slices.Clone(st.receipts), st.signature}
	for _, home := range n.homes(s.player) {
		for z := range n.space.Zones() {
			if z != n.zone || len(n.homes(s.player)) > 1 {
				n.overlay.Unicast(n.places.key(home, z), m)
			}
		}
	}
}

// onExchange adds other storers' receipts to the own ones. It makes no new
// receipt: whether the batch came in time is what those who had it say.
func (n *Node) onExchange(m *Exchange) {
	if m.Batch == nil || m.Batch.Player == nil || !n.time.accepts(m.Batch.Of, n.env.Now()) || !n.checkBatch(m.Batch) || !n.signedBatch(m.Batch, m.Signature) {
		return
	}
	st := n.actions.playerLog(m.Batch.Player).intervalLog(m.Batch.Of)
	if st.cert != nil {
		return
	}
	if c := (&Certificate{m.Batch, append(slices.Clone(m.Receipts), st.known(m.Batch)...)}); len(c.Receipts) <= 2*n.space.Zones() {
		var list []*Receipt
		for _, r := range c.Receipts {
			n.addReceipt(&list, r, m.Batch)
		}
		if len(list) >= n.quorum() {
			n.seal(st, m.Batch)
			st.cert = &Certificate{m.Batch, list}
			return
		}
		if !st.sealed || sameBatch(st.batch, m.Batch) {
			st.heard, st.receipts = m.Batch, list
		}
	}
}

// known are the receipts for a batch that the storer has.
func (st *intervalLog) known(b *Batch) []*Receipt {
	if sameBatch(st.heard, b) || st.sealed && sameBatch(st.batch, b) {
		return st.receipts
	}
	return nil
}
