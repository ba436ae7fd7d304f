package linklab

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// Two players at the far end of a line, who do the same: one by WebSocket, one by data
// channels.

// lineOrder is what the lab says to their process.
type lineOrder struct {
	URL, Code   string `json:",omitempty"` // the first order: of the node
	At          netip.AddrPort
	Fingerprint datachannel.Fingerprint
	Seed        uint64
	Play        time.Duration // each further order: play so long
}

// lineReport is the answer.
type lineReport struct {
	Error string           `json:",omitempty"`
	Feel  map[string]*feel `json:",omitempty"`
}

// feel is what a connection was like for its player.
type feel struct {
	Seconds float64
	Frames  int       // of the player's own region, as the client uses them
	Gaps    []float64 // ms: more than freezeAt between two of them
	Acks    []float64 // ms: from each step to its acknowledgement
	Bytes   int
	Fixed   int // corrections of the own body
}

// freezeAt is what counts as a freeze.
const freezeAt = 200 * time.Millisecond

// The two ways.
const (
	byWebSocket = "websocket"
	byChannels  = "channels"
)

// meter is a connection that measures.
type meter struct {
	client.Conn
	head frame.Frame

	mu    sync.Mutex
	sent  map[uint32]time.Time
	last  time.Time // frame
	acked uint32
	on    bool
	feel  feel
}

// Send implements client.Conn.
func (m *meter) Send(b []byte) error {
	var in wire.Input
	if wire.TypeOf(b) == wire.TypeInput && wire.DecodeInto(b, &in) == nil {
		m.mu.Lock()
		m.sent[in.Seq+uint32(len(in.Steps))-1] = time.Now()
		m.mu.Unlock()
	}
	return m.Conn.Send(b)
}

// Recv implements client.Conn.
func (m *meter) Recv() ([]byte, error) {
	b, err := m.Conn.Recv()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.feel.Bytes += len(b)
	if wire.TypeOf(b) == wire.TypeFrame {
		if _, err := m.head.DecodeHead(b[1:]); err == nil && m.head.Own.HasAck {
			m.frame(time.Now(), &m.head.Own)
		}
	}
	return b, nil
}

func (m *meter) frame(now time.Time, own *frame.Own) {
	if m.on {
		m.feel.Frames++
		if gap := now.Sub(m.last); gap > freezeAt {
			m.feel.Gaps = append(m.feel.Gaps, nodelab.Milliseconds(gap))
		}
		if own.Corrected {
			m.feel.Fixed++
		}
	}
	m.last = now
	for ; m.acked < own.Ack; m.acked++ {
		at, ok := m.sent[m.acked+1]
		delete(m.sent, m.acked+1)
		if ok && m.on {
			m.feel.Acks = append(m.feel.Acks, nodelab.Milliseconds(now.Sub(at)))
		}
	}
}

// measureLoad measures for a while.
func (m *meter) measure(ctx context.Context, d time.Duration) *feel {
	m.mu.Lock()
	m.on, m.feel, m.last = true, feel{Seconds: d.Seconds()}, time.Now()
	m.mu.Unlock()
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = false
	f := m.feel
	f.Gaps, f.Acks = slices.Clone(f.Gaps), slices.Clone(f.Acks)
	if gap := time.Since(m.last); gap > freezeAt {
		f.Gaps = append(f.Gaps, nodelab.Milliseconds(gap))
	}
	return &f
}

// linePlayer plays over a connection as people do: walks, looks around, and now and then
// does something that is answered.
type linePlayer struct {
	*client.Mirror
	meter *meter
	rand  rng.Rand
}

func newLinePlayer(conn client.Conn, w *wire.Welcome, seed uint64) *linePlayer {
	m := &meter{Conn: conn, sent: map[uint32]time.Time{}}
	return &linePlayer{Mirror: client.NewMirror(m, w, client.Options{}), meter: m, rand: rng.New(seed)}
}

func (p *linePlayer) play(ctx context.Context) error {
	tick := time.NewTicker(nodelab.Stepping)
	defer tick.Stop()
	in := world.Input{Buttons: world.ButtonForward}
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if n%20 == 0 {
			in.Yaw = uint16(p.rand.Uint64())
		}
		if _, err := p.Step(in); err != nil {
			return err
		}
		if n%30 == 0 {
			if _, err := p.Act(wire.Act{Kind: wire.Select, A: uint64(n/30) % 9}); err != nil {
				return err
			}
		}
		if n%40 == 0 {
			if err := p.Ping(); err != nil {
				return err
			}
		}
	}
}

// lineMain is the process.
func lineMain(r io.Reader, w io.Writer) error {
	in, out := bufio.NewScanner(r), json.NewEncoder(w)
	in.Buffer(nil, 1<<20)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	players := map[string]*linePlayer{}
	broken := make(chan error, 4)
	for in.Scan() {
		var order lineOrder
		if err := json.Unmarshal(in.Bytes(), &order); err != nil {
			return err
		}
		report, err := lineReport{}, error(nil)
		if order.URL != "" {
			err = joinLine(ctx, &order, players, broken)
		} else {
			report.Feel = measureAll(ctx, players, order.Play)
		}
		select {
		case err = <-broken:
		default:
		}
		if err != nil {
			report.Error = err.Error()
		}
		if err := out.Encode(report); err != nil {
			return err
		}
	}
	return in.Err()
}

func measureAll(ctx context.Context, players map[string]*linePlayer, d time.Duration) map[string]*feel {
	var mu sync.Mutex
	var all sync.WaitGroup
	out := map[string]*feel{}
	for name, p := range players {
		all.Go(func() {
			f := p.meter.measure(ctx, d)
			mu.Lock()
			defer mu.Unlock()
			out[name] = f
		})
	}
	all.Wait()
	return out
}

// joinLine brings both players in, and lets them play.
func joinLine(ctx context.Context, o *lineOrder, players map[string]*linePlayer, broken chan<- error) error {
	for i, way := range []string{byWebSocket, byChannels} {
		who, err := client.NewIdentity(way)
		if err != nil {
			return err
		}
		var conn client.Conn
		var welcome *wire.Welcome
		if way == byWebSocket {
			conn, welcome, err = client.Dial(ctx, o.URL, who, o.Code)
		} else {
			conn, welcome, err = dialChannels(ctx, o.At, o.Fingerprint, o.Code, who)
		}
		if err != nil {
			return err
		}
		p := newLinePlayer(conn, welcome, o.Seed+uint64(i))
		players[way] = p
		go func() { broken <- p.Run() }()
		if err := p.View(nodelab.View, 0); err != nil {
			return err
		}
		go func() {
			if err := p.play(ctx); err != nil {
				broken <- err
			}
		}()
	}
	return nil
}

// What a child can be.
const (
	childLine = "line"
)

// Children are players on a line that loses packets.
var Children = lab.Children{childLine: lineMain}
