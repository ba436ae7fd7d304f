package actions

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// receiptsOf are receipts for a batch, of a storer of each zone, and who they are of
// can be seen from what stands for their certificates.
func receiptsOf(space overlay.Space, b *state.Batch, zones int) (out []*messages.Receipt) {
	for z := range zones {
		by := &overlay.Contact{ID: id.ID{1, 2, 3, byte(z)}, Pos: space.SubArea(z).Min}
		out = append(out, &messages.Receipt{By: by, Batch: b, First: true, Certificate: by.ID[:], Signature: []byte("signed")})
	}
	return out
}

func checkReceiptsOf(r *messages.Receipt) bool { return string(r.Certificate) == string(r.By.ID[:]) }

// Who knows a storer is not told again who it is, and understands what is said of it
// all the same; who does not, does not.
func TestBriefCertificates(t *testing.T) {
	space := overlay.SpaceFor(4)
	b := &state.Batch{Player: &state.Player{ID: id.ID{7}}, Of: 3, Signature: modelled}
	c := &messages.Certificate{Batch: b, Receipts: receiptsOf(space, b, 3)}
	known := storers{}.withAll(c.Receipts[:2])
	sent := c.Shortened(known.shortNames())
	if sent.Receipts[0].By != nil || sent.Receipts[1].Certificate != nil || sent.Receipts[2] != c.Receipts[2] {
		t.Fatalf("sent: %v", sent.Receipts)
	}
	got := known.expandCertificate(sent)
	for i, r := range got.Receipts {
		if want := c.Receipts[i]; r.By != want.By || !slices.Equal(r.Certificate, want.Certificate) || !slices.Equal(r.Signature, want.Signature) || r.Batch != b {
			t.Errorf("receipt %d came as %+v, want %+v", i, r, want)
		}
	}
	if len(got.Receipts) != 3 {
		t.Errorf("%d receipts came", len(got.Receipts))
	}
	if got := (storers{}).expandCertificate(sent); len(got.Receipts) != 1 {
		t.Errorf("who knows nobody understands %d receipts", len(got.Receipts))
	}
	for i := range 2 * maxStorers {
		known = known.with(&messages.Receipt{By: &overlay.Contact{ID: id.ID{9, byte(i)}}})
	}
	if len(known) != maxStorers {
		t.Errorf("%d storers are known, want at most %d", len(known), maxStorers)
	}
	renewed := *c.Receipts[0]
	renewed.Certificate = []byte("a new one")
	if k := (storers{}).withAll(c.Receipts).with(&renewed); len(k) != 3 || string(k.expandReceipt(renewed.Shortened()).Certificate) != "a new one" {
		t.Error("a new certificate is not taken")
	}
}

// A storer that has forgotten whom the player has named, or has never heard it, says
// so, and all are named again.
func TestForgetfulStorer(t *testing.T) {
	space := overlay.SpaceFor(4)
	b := &state.Batch{Player: &state.Player{ID: id.ID{7}}, Of: 3, Signature: modelled}
	cfg := part.Settings{Wire: true, CheckReceipt: checkReceiptsOf}
	receipts := receiptsOf(space, b, 3)
	player := newBare(inTheMiddle(space, true), cfg, Surroundings{})
	player.Player.pending = pendingBatch{batch: b}
	storer := newBare(inTheMiddle(space, true), cfg, Surroundings{})
	storer.part.Self = receipts[0].By
	shelf := storer.Store.actions.playerLog(b.Player)
	shelf.intervalLog(b.Of).batch, shelf.intervalLog(b.Of).sealed = b, true
	to, self := receipts[0].By, &overlay.Contact{ID: b.Player.ID}
	hand := func() bool {
		st := shelf.intervalLog(b.Of)
		st.cert = nil
		storer.Store.OnCertified(self, player.Player.certifiedMessage(to, &messages.Certificate{Batch: b, Receipts: receipts}))
		return st.cert != nil
	}
	answer := func() *messages.Receipt { return storer.Store.receiptFor(&messages.Deposit{}, receipts[0], shelf) }
	take := func(r *messages.Receipt) {
		player.Player.pending.holders, player.Player.pending.got = nil, nil
		player.Player.OnReceipt(to, r)
	}
	if r := answer(); !r.Fresh {
		t.Error("who knows nobody does not say so")
	}
	if !hand() {
		t.Fatal("the first certificate is not taken")
	}
	if r := answer(); r.Fresh {
		t.Error("who knows some says that it knows nobody")
	} else if take(r); !hand() {
		t.Error("the second, brief, is not taken")
	}
	shelf.known = shelf.known[:1]
	if hand() {
		t.Error("a certificate is taken though nobody knows whose its receipts are")
	}
	r := answer()
	if !r.Fresh {
		t.Fatal("who has not understood a certificate does not say so")
	}
	take(r)
	if !hand() {
		t.Error("a certificate that names all again is not taken")
	}
	storer.Store.OnCertified(self, &messages.Certified{Certificate: player.Player.certifiedMessage(to, &messages.Certificate{Batch: b, Receipts: receipts}).Certificate})
	if r := answer(); r.Fresh {
		t.Error("all are not known again")
	}
}

// Nobody is remembered with what is not its certificate: its receipts would not count
// any more.
func TestOnlyGoodReceiptsAreRemembered(t *testing.T) {
	space := overlay.SpaceFor(4)
	b := &state.Batch{Player: &state.Player{ID: id.ID{7}}, Of: 3, Signature: modelled}
	receipts := receiptsOf(space, b, 4)
	forged := *receipts[3]
	forged.Certificate = []byte("somebody else's")
	n := newBare(inTheMiddle(space, true), part.Settings{Wire: true, CheckReceipt: checkReceiptsOf}, Surroundings{})
	shelf := n.Store.actions.playerLog(b.Player)
	shelf.intervalLog(b.Of).batch, shelf.intervalLog(b.Of).sealed = b, true
	n.Store.OnCertified(&overlay.Contact{ID: b.Player.ID}, &messages.Certified{Certificate: &messages.Certificate{Batch: b, Receipts: append(receipts[:3:3], &forged)}})
	if len(shelf.known) != 3 || len(shelf.known.expandCertificate(&messages.Certificate{Batch: b, Receipts: []*messages.Receipt{forged.Shortened()}}).Receipts) != 0 {
		t.Errorf("%d are known, want the three whose receipts are good", len(shelf.known))
	}
	if c := shelf.intervalLog(b.Of).cert; c == nil || len(c.Receipts) != 3 {
		t.Errorf("the certificate is kept as %v", c)
	}
}

// Only who has given a receipt is handed a certificate, and by nobody but the player: a
// stranger can neither make a storer forget whom it knows, nor keep anything.
func TestStrangersCertifyNothing(t *testing.T) {
	space := overlay.SpaceFor(4)
	b := &state.Batch{Player: &state.Player{ID: id.ID{7}}, Of: 3, Signature: modelled}
	receipts := receiptsOf(space, b, 4)
	n := newBare(inTheMiddle(space, true), part.Settings{Wire: true, CheckReceipt: checkReceiptsOf}, Surroundings{})
	player, stranger := &overlay.Contact{ID: b.Player.ID}, &overlay.Contact{ID: id.ID{8}}
	n.Store.OnCertified(player, &messages.Certified{Certificate: &messages.Certificate{Batch: b, Receipts: receipts}})
	if len(n.Store.actions.players) != 0 {
		t.Error("what nobody has deposited is kept")
	}
	shelf := n.Store.actions.playerLog(b.Player)
	shelf.intervalLog(b.Of).batch, shelf.intervalLog(b.Of).sealed = b, true
	shelf.known = shelf.known.withAll(receipts)
	unknown := &messages.Certificate{Batch: b, Receipts: []*messages.Receipt{(&messages.Receipt{By: &overlay.Contact{ID: id.ID{9, 9, 9, 9}}, Batch: b}).Shortened()}}
	n.Store.OnCertified(stranger, &messages.Certified{Certificate: unknown})
	if len(shelf.known) != 4 {
		t.Error("a stranger makes a storer forget whom it knows")
	}
	n.Store.OnCertified(player, &messages.Certified{Certificate: unknown})
	if len(shelf.known) != 0 {
		t.Error("who names somebody unknown is not asked to name all again: this test shows nothing")
	}
}

// Nobody keeps deposits of, or is told by other storers of, intervals that are not of
// the present: a player could fill its storers with them, and they would be forgotten
// only when their time has come.
func TestOnlyThePresentIsKept(t *testing.T) {
	timing := state.Timing{LMax: 2 * time.Second, Deviates: 10 * time.Millisecond}
	p := &state.Player{ID: id.ID{7}}
	by := &overlay.Contact{ID: p.ID}
	n := newBare(part.Part{Space: overlay.SpaceFor(4), Time: timing, Env: frozen{now: timing.Update(5).Add(1)}, Cache: state.NewReplayCache()}, part.Settings{}, Surroundings{})
	for _, of := range []int64{-1 << 62, 1, 4, 8, 1 << 62} {
		n.Store.OnDeposit(by, &messages.Deposit{Batch: &state.Batch{Player: p, Of: of, Signature: modelled}}, n.part.Env.Now())
		n.Store.OnExchange(&messages.Exchange{Batch: &state.Batch{Player: p, Of: of, Signature: modelled}})
	}
	if len(n.Store.actions.players) != 0 {
		t.Errorf("intervals %v of the player are kept", n.Store.actions.order[0].stacks)
	}
	n.Store.OnExchange(&messages.Exchange{Batch: &state.Batch{Player: p, Of: 5, Signature: modelled}})
	if _, st := n.Store.actions.find(p.ID, 5); st == nil {
		t.Error("nothing is kept of the present: this test shows nothing")
	}
}

// A receipt takes only its signature for somebody who has the storer's certificate.
func TestKnownStorersAreNotNamedAgain(t *testing.T) {
	c := &messages.Certificate{Batch: &state.Batch{Player: &state.Player{}}}
	for n := range byte(3) {
		c.Receipts = append(c.Receipts, &messages.Receipt{By: &overlay.Contact{ID: id.ID{n + 1}}})
	}
	whole := (&messages.Certified{Certificate: c}).Size()
	n := newBare(part.Part{Hardened: true}, part.Settings{}, Surroundings{})
	by := &overlay.Contact{ID: id.ID{9}}
	if got := n.Player.certifiedMessage(by, c).Size(); got != whole {
		t.Errorf("%d bytes the first time, want %d", got, whole)
	}
	want := whole - 3*(messages.SizeReceipt-messages.SizeBrieflySigned)
	if got := n.Player.certifiedMessage(by, c).Size(); got != want {
		t.Errorf("%d bytes the second time, want %d", got, want)
	}
	if got := n.Player.certifiedMessage(&overlay.Contact{ID: id.ID{8}}, c).Size(); got != whole {
		t.Errorf("%d bytes for somebody else, want %d", got, whole)
	}
}
