package truthlab

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// Nodes of truth-nodes are processes: a host, perhaps a forger, perhaps somebody
// who plays there, digs and builds.

// truthOrder is what the lab says to such a node; each order is answered by a
// truthReport.
type truthOrder struct {
	Data     string            `json:",omitempty"` // the first order: its folder,
	Join     []string          `json:",omitempty"` // by whom it joins; nobody: it begins the world,
	Paper    string            `json:",omitempty"` // its certificate,
	List     string            `json:",omitempty"` // where the authority's revocations will be,
	Forges   bool              `json:",omitempty"` // it tampers when told to,
	Alters   bool              `json:",omitempty"` // by changing what was built, not by leaving it out,
	Protocol string            `json:",omitempty"` // what the storage runs,
	Rules    voxelrules.Config // and the world's rules

	Play  int   `json:",omitempty"` // somebody with this number plays here
	Rest  bool  `json:",omitempty"` // and does nothing more
	Forge bool  `json:",omitempty"` // begin to tamper
	After int64 // report what players were found to have done in later updates
}

// truthReport is a node's answer.
type truthReport struct {
	Nodes string // the address that others join by
	Error string `json:",omitempty"`
	Self  id.ID
	Truth *verifiedworld.StorageStats `json:",omitempty"`
	Place *verifiedworld.Place        `json:",omitempty"`
	Links []id.ID                     // nodes that there is a link to
	Dir   string                      // of the world
	Sent  uint64                      // bytes of the overlay's messages, and so of the storage

	State   *stateReport  `json:",omitempty"`
	Batches []batchReport `json:",omitempty"` // what players were found to have done, ascending by Of
	Signed  []batchReport `json:",omitempty"` // what its own player has signed
	Came    []comeReport  `json:",omitempty"` // each time that its witness was announced
	Built   []builtReport `json:",omitempty"` // what its player was told to have done
	Busy    bool          `json:",omitempty"` // its player waits for an answer
}

// builtReport is a place that a player has changed.
type builtReport struct {
	At world.Pos
	Is world.Block
}

// stateReport is what a node holds.
type stateReport struct {
	Of      int64
	Circle  geom.Circle
	Whole   bool // of all cells that the circle touches, not of what lies in it
	Objects map[state.ObjectID]state.Digest
}

// batchReport is what a player has done in an interval.
type batchReport struct {
	Of      int64
	Player  state.Player
	Actions []actionReport
}

type actionReport struct {
	Seq  uint64
	At   machine.Time
	Body []byte
}

// comeReport is when a witness comes: it takes part in the step after t_Of.
type comeReport struct {
	Player state.Player
	Of     int64
	At     geom.Point
}

// truthNode is the process of one node.
type truthNode struct {
	h      *host.Host
	forger *nodelab.Forger
	mason  *nodelab.Mason // who plays here; nil: nobody
	rests  atomic.Bool    // it does nothing more

	mu     sync.Mutex // of what the node's loop and the orders share
	found  []batchReport
	signed []batchReport
	came   []comeReport
}

// Retrieved implements storage.Probe.
func (t *truthNode) Retrieved(r storage.Report) {
	if r.Kind != messages.ForActions || len(r.Batches) == 0 || len(r.Batches[0].Actions) == 0 {
		return
	}
	t.mu.Lock()
	t.found = append(t.found, reportOf(r.Batches[0]))
	t.mu.Unlock()
}

// BatchSigned implements storage.Probe.
func (t *truthNode) BatchSigned(b *state.Batch) {
	if len(b.Actions) == 0 {
		return
	}
	t.mu.Lock()
	t.signed = append(t.signed, reportOf(b))
	t.mu.Unlock()
}

func reportOf(b *state.Batch) batchReport {
	r := batchReport{Of: b.Of, Player: *b.Player}
	for _, a := range b.Actions {
		r.Actions = append(r.Actions, actionReport{a.Seq, a.At, a.Body})
	}
	return r
}

// batch is what is reported.
func (r *batchReport) batch() *state.Batch {
	b := &state.Batch{Player: &r.Player, Of: r.Of}
	for _, a := range r.Actions {
		b.Actions = append(b.Actions, &state.Action{Player: b.Player, Seq: a.Seq, At: a.At, Body: a.Body})
	}
	return b
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
		t.forger.On.Store(true)
	}
	if o.Play > 0 {
		if err := t.play(ctx, o.Play); err != nil {
			return r, err
		}
	}
	if o.Rest {
		t.rests.Store(true)
	}
	return t.report(ctx, o.After)
}

func (t *truthNode) start(o *truthOrder) error {
	cfg := nodelab.LabConfig(o.Data, o.Join)
	cfg.Certificate, cfg.Revocations = o.Paper, o.List
	cfg.Faults.Probe = t
	protocol, err := storage.ParseProtocol(o.Protocol)
	if err != nil {
		return err
	}
	cfg.Faults.Protocol = &protocol
	if o.Forges {
		t.forger = &nodelab.Forger{Rules: voxelrules.New(o.Rules), Alters: o.Alters}
		cfg.Faults.Storage = t.forger
	}
	cfg.Faults.Came = t.announced
	t.h, err = host.Start(cfg)
	return err
}

// announced notes when the node's witness comes.
func (t *truthNode) announced(p state.Player, of int64, at geom.Point) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.came = append(t.came, comeReport{p, of, at})
}

// play lets somebody play at the node, by its gateway as people do, who digs and
// builds until it is told to rest.
func (t *truthNode) play(ctx context.Context, number int) (err error) {
	who, err := client.NewIdentity(fmt.Sprint("mason", number))
	if err != nil {
		return err
	}
	if t.mason, err = nodelab.JoinMason(ctx, t.h.LocalURL(), who, number); err != nil {
		return err
	}
	answers := make(chan nodelab.Edit, 64)
	go func() {
		for range answers {
		}
	}()
	go func() {
		beat := time.NewTicker(truthPause)
		defer beat.Stop()
		for range beat.C {
			if ctx.Err() != nil || !t.rests.Load() && !t.mason.Begin(answers) {
				return
			}
		}
	}()
	return nil
}

// truthPause is as often as a player changes a block: more would only be less
// often than an interval's ticks.
const truthPause = 400 * time.Millisecond

func (t *truthNode) report(ctx context.Context, after int64) (r truthReport, err error) {
	s, err := t.h.Stats(ctx)
	if err != nil {
		return r, err
	}
	r = truthReport{Nodes: nodelab.JoinAddr(t.h), Self: s.Self.ID, Truth: s.Storage, Place: s.Place, Dir: t.h.Dir()}
	for _, p := range s.Linked {
		r.Links = append(r.Links, p.ID)
	}
	if s.Storage == nil {
		return r, fmt.Errorf("node %s has no storage", s.Self.ID.Short())
	}
	net, err := t.h.NetStats(ctx)
	if err != nil {
		return r, err
	}
	for _, k := range net.Kinds {
		if strings.HasPrefix(k.Name, "*overlay.") {
			r.Sent += k.BytesOut
		}
	}
	err = t.h.WithStorage(ctx, func(n *storage.Node) {
		held := n.State()
		if held == nil || len(held.Cover.Polygon) > 0 {
			return
		}
		r.State = &stateReport{Of: held.Of, Circle: held.Cover.Circle, Whole: held.Whole, Objects: map[state.ObjectID]state.Digest{}}
		for _, o := range held.Objects(&held.Cover, n.World(), nil) {
			r.State.Objects[o.ID] = o.Digest
		}
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.came {
		if c.Of >= after {
			r.Came = append(r.Came, c)
		}
	}
	if t.mason != nil {
		r.Busy = t.mason.Busy()
		for at, is := range t.mason.Acknowledged() {
			r.Built = append(r.Built, builtReport{at, is})
		}
	}
	for _, b := range t.found {
		if b.Of > after {
			r.Batches = append(r.Batches, b)
		}
	}
	for _, b := range t.signed {
		if b.Of > after {
			r.Signed = append(r.Signed, b)
		}
	}
	return r, err
}

// What a child can be.
const (
	childTruth = "truth"
)

// Children are nodes of a verified world.
var Children = lab.Children{childTruth: truthMain}
