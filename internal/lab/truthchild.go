package lab

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/host"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/node"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Nodes of truth-nodes are processes: a host, perhaps a forger, perhaps a player
// whose key is the node's own and who digs and builds.

// truthOrder is what the lab says to such a node; each order is answered by a
// truthReport.
type truthOrder struct {
	Data   string       `json:",omitempty"` // the first order: its folder,
	Join   []string     `json:",omitempty"` // by whom it joins; nobody: it begins the world,
	Paper  string       `json:",omitempty"` // its certificate,
	List   string       `json:",omitempty"` // where the authority's revocations will be,
	Forges bool         `json:",omitempty"` // it tampers when told to,
	Alters bool         `json:",omitempty"` // by changing what was built, not by leaving it out,
	Rules  truth.Config // and the world's rules

	Place *geom.Point `json:",omitempty"` // its player comes into the world there
	Forge bool        `json:",omitempty"` // begin to tamper
	After int64       // report what players were found to have done in later updates
}

// truthReport is a node's answer.
type truthReport struct {
	Nodes string // the address that others join by
	Error string `json:",omitempty"`
	Self  id.ID
	Truth *node.TruthStats `json:",omitempty"`
	Place *node.Place      `json:",omitempty"`
	Links []id.ID          // nodes that there is a link to
	Dir   string           // of the world

	State   *stateReport  `json:",omitempty"`
	Batches []batchReport `json:",omitempty"` // ascending by Of
	Came    *comeReport   `json:",omitempty"`
}

// stateReport is what a node holds.
type stateReport struct {
	Of      int64
	Circle  geom.Circle
	Objects map[storage.ObjectID]storage.Digest
}

// batchReport is what a player was found to have done.
type batchReport struct {
	Of      int64
	Player  storage.Player
	Actions []actionReport
}

type actionReport struct {
	Seq  uint64
	At   machine.Time
	Body []byte
}

// comeReport is when a player comes: it takes part in the step after t_Of.
type comeReport struct {
	Player storage.Player
	Of     int64
}

// truthNode is the process of one node.
type truthNode struct {
	h      *host.Host
	forger *forger
	key    ed25519.PrivateKey

	mu    sync.Mutex // of what the node's loop and the orders share
	found []batchReport
	came  *comeReport
	begin machine.Time
	every time.Duration

	seq, tick uint64
	luck      rng.Rand
}

// Retrieved implements storage.Probe.
func (t *truthNode) Retrieved(r storage.Report) {
	if r.Kind != storage.ForActions || len(r.Batches) == 0 || len(r.Batches[0].Actions) == 0 {
		return
	}
	b := batchReport{Of: r.Of, Player: *r.Player}
	for _, a := range r.Batches[0].Actions {
		b.Actions = append(b.Actions, actionReport{a.Seq, a.At, a.Body})
	}
	t.mu.Lock()
	t.found = append(t.found, b)
	t.mu.Unlock()
}

// Arrived implements storage.Probe.
func (*truthNode) Arrived(storage.Arrival, int) {}

// Failed implements storage.Probe.
func (*truthNode) Failed(*storage.Node, int64) {}

// truthMain is such a node: it ends when its input does.
func truthMain(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	t := &truthNode{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for lines.Scan() {
		var o truthOrder
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		r, err := t.follow(ctx, &o)
		if err != nil {
			r.Error = err.Error()
		}
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
		if t.h == nil {
			return nil
		}
	}
	cancel()
	ctx, done := context.WithTimeout(context.Background(), 30*time.Second)
	defer done()
	return t.h.Close(ctx)
}

func (t *truthNode) follow(ctx context.Context, o *truthOrder) (r truthReport, err error) {
	if t.h == nil {
		if err := t.start(o); err != nil {
			return r, err
		}
	}
	if o.Forge && t.forger != nil {
		t.forger.on.Store(true)
	}
	if o.Place != nil {
		if err := t.come(ctx, *o.Place); err != nil {
			return r, err
		}
	}
	return t.report(ctx, o.After)
}

func (t *truthNode) start(o *truthOrder) error {
	ring, err := keyring.Open(o.Data)
	if err != nil {
		return err
	}
	own, err := ring.Node(0, nil)
	if err != nil {
		return err
	}
	cfg := labConfig(o.Data, o.Join)
	cfg.Certificate, cfg.Revocations = o.Paper, o.List
	cfg.Under.Probe = t
	if o.Forges {
		t.forger = &forger{rules: truth.New(o.Rules), alters: o.Alters}
		cfg.Under.Storage = t.forger
	}
	t.key = own.Private
	t.h, err = host.Start(cfg)
	return err
}

// come lets the node's player come into the world, and dig and build there until
// the process ends.
func (t *truthNode) come(ctx context.Context, at geom.Point) error {
	s, err := t.h.Stats(ctx)
	if err != nil {
		return err
	}
	if s.Truth == nil {
		return errors.New("there is no storage")
	}
	t.begin, t.every = s.Truth.Begin, s.Truth.Every
	err = t.h.WithStorage(ctx, func(n *storage.Node) {
		after, _ := n.Activation()
		t.came = &comeReport{Player: *n.Player(), Of: int64(after.Sub(t.begin) / t.every)}
		n.Activate(at)
		t.tick, t.luck = truth.TickAt(after), rng.New(uint64(at.X), uint64(at.Y))
	})
	if err == nil {
		go t.build(ctx)
	}
	return err
}

// build acts for the ticks that have passed, now and again.
func (t *truthNode) build(ctx context.Context) {
	beat := time.NewTicker(500 * time.Millisecond)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			if t.h.WithStorage(ctx, t.act) != nil {
				return
			}
		}
	}
}

// act digs up what lies under the player, or builds on it.
func (t *truthNode) act(n *storage.Node) {
	at := machine.Time(time.Now().UnixNano())
	now := truth.TickAt(at)
	if now <= t.tick {
		return // it has not come yet
	}
	var body *world.Player
	if s := n.State(); s != nil {
		body = truth.NewView(s.Objects(&s.Cover, n.World(), nil)).Player(n.Player().ID)
	}
	b := truth.Batch{Join: true, First: t.tick + 1}
	for ; t.tick < now && len(b.Moments) < truth.MaxMoments; t.tick++ {
		var do truth.Moment
		if body != nil && t.tick%10 == 0 {
			on := body.Body.Pos.Block().Add(int32(t.luck.Intn(5)-2), -1, int32(t.luck.Intn(5)-2))
			do.Act = world.Act{Kind: world.ActPlace, At: on, Face: world.FaceUp, A: int64(t.luck.Intn(3))}
			if t.luck.OneIn(3) {
				do.Act = world.Act{Kind: world.ActDig, At: on, Face: world.FaceUp}
			}
		}
		b.Moments = append(b.Moments, do)
	}
	t.seq++
	a := &storage.Action{Player: n.Player(), Seq: t.seq, At: at, Body: b.AppendBinary(nil)}
	truth.SignAction(t.h.World().ID, t.key, a)
	n.Act(a)
}

func (t *truthNode) report(ctx context.Context, after int64) (r truthReport, err error) {
	s, err := t.h.Stats(ctx)
	if err != nil {
		return r, err
	}
	r = truthReport{Nodes: t.h.NodeAddr().String(), Self: s.Self.ID, Truth: s.Truth, Place: s.Place, Dir: t.h.Dir(), Came: t.came}
	for _, p := range s.Linked {
		r.Links = append(r.Links, p.ID)
	}
	if s.Truth == nil {
		return r, fmt.Errorf("node %s has no storage", s.Self.ID.Short())
	}
	err = t.h.WithStorage(ctx, func(n *storage.Node) {
		state := n.State()
		if state == nil || len(state.Cover.Polygon) > 0 {
			return
		}
		r.State = &stateReport{Of: state.Of, Circle: state.Cover.Circle, Objects: map[storage.ObjectID]storage.Digest{}}
		for _, o := range state.Objects(&state.Cover, n.World(), nil) {
			r.State.Objects[o.ID] = o.Digest
		}
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.found {
		if b.Of > after {
			r.Batches = append(r.Batches, b)
		}
	}
	return r, err
}
