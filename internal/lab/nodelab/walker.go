package nodelab

import (
	"context"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

const (
	roam    = 12           // metres from its home that a walker wanders
	journey = 24           // farther than that it flies
	cruise  = 10           // metres above the ground when flying
	pending = 200          // inputs that may wait for an answer
	View    = wire.MinView // columns; more only means more terrain to send at the start
)

// walker is one player of a crowd: it wanders around its home with the world's
// own physics, so that the node has nothing to correct, and counts what it
// gets. It is as cheap as a player can be; bots that do more are in package
// bot.
type walker struct {
	Conn client.Conn
	land outlook
	full bool            // counts the moves in frames, too
	as   context.Context // whose labels its steps bear

	mu   sync.Mutex
	body world.Body
	seq  uint32        // of the last input
	sent []world.Input // those that wait for an answer, up to the last
	rand rng.Rand
	home world.Vec
	goal world.Vec
	rest int         // ticks until another goal
	tour []world.Vec // instead of one home: to be flown to in turn
	got  tally
	end  error

	stream *stream // what came and when, if somebody wants to know
}

// tally is what walkers count.
type tally struct {
	Frames      uint64 // of the region that the walker is in
	Bytes       uint64 // of all messages
	Moves       uint64 // of players, that the walkers that count were told of, their own included
	Made        uint64 // steps that moved the walker or its look
	Corrections uint64
}

func (t *tally) add(o tally) {
	t.Frames += o.Frames
	t.Bytes += o.Bytes
	t.Moves += o.Moves
	t.Made += o.Made
	t.Corrections += o.Corrections
}

// Land is the terrain as all walkers of a process know it. Nobody builds in
// these experiments, so that it need not come from the node.
type Land struct {
	mu      sync.RWMutex
	Gen     *terrain.Generator
	Columns map[world.ColumnPos]*world.Column
}

func NewLand(seed uint64) *Land {
	return &Land{Gen: terrain.New(seed), Columns: map[world.ColumnPos]*world.Column{}}
}

// outlook is a land as one walker looks at it: mostly at the same column.
type outlook struct {
	land *Land
	at   *world.Column
}

// Block implements world.Blocks.
func (s *outlook) Block(p world.Pos) (world.Block, bool) {
	switch {
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	return s.column(p.Column()).At(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1))), true
}

func (s *outlook) column(p world.ColumnPos) *world.Column {
	if s.at == nil || s.at.Pos != p {
		s.at = s.land.Column(p)
	}
	return s.at
}

func (l *Land) Column(p world.ColumnPos) *world.Column {
	l.mu.RLock()
	c := l.Columns[p]
	l.mu.RUnlock()
	if c == nil {
		c = l.Gen.Column(p)
		l.mu.Lock()
		l.Columns[p] = c
		l.mu.Unlock()
	}
	return c
}

// door brings a player into a world.
type door func(ctx context.Context, who client.Identity, number int) (client.Conn, *wire.Welcome, error)

// JoinWalker brings a walker into the world behind a door.
func JoinWalker(ctx context.Context, enter door, l *Land, who client.Identity, number int, home world.Pos) (*walker, error) {
	conn, welcome, err := enter(ctx, who, number)
	if err != nil {
		return nil, err
	}
	w := &walker{Conn: conn, land: outlook{land: l}, rand: rng.New(uint64(number)), home: home.Centre()}
	w.body.Pos = welcome.Pos
	if err := conn.Send(wire.Encode(&wire.View{Distance: View})); err != nil {
		conn.Close()
		return nil, err
	}
	return w, nil
}

// Step takes one body step and tells the node.
func (w *walker) Step(buf []byte) ([]byte, error) {
	w.mu.Lock()
	if w.end != nil {
		defer w.mu.Unlock()
		return buf, w.end
	}
	in := w.steer()
	before := seen(&w.body)
	world.Step(&w.land, &w.body, in, world.Creative)
	if before != seen(&w.body) {
		w.got.Made++
	}
	w.seq++
	if w.sent = append(w.sent, in); len(w.sent) > pending {
		w.sent = w.sent[len(w.sent)-pending:]
	}
	m := wire.Input{Seq: w.seq, Pos: w.body.Pos, Steps: []wire.Step{{Buttons: wire.Buttons(in.Buttons), Yaw: in.Yaw, Pitch: in.Pitch}}}
	w.mu.Unlock()
	buf = wire.Append(buf[:0], &m)
	return buf, w.Conn.Send(buf)
}

// seen is a body as frames tell of it.
func seen(b *world.Body) frame.Motion {
	const shift = fixed.Shift - frame.UnitShift
	return frame.Motion{
		X: int32(b.Pos.X >> shift), Y: int32(b.Pos.Y >> shift), Z: int32(b.Pos.Z >> shift),
		Yaw: uint8(b.Yaw >> frame.AngleShift), Pitch: int8(b.Pitch >> frame.AngleShift),
	}
}

// steer says which way to go: home by air if that is far, otherwise to one
// place after another around it.
func (w *walker) steer() world.Input {
	away := w.home.Sub(w.body.Pos)
	if len(w.tour) > 0 && max(away.X.Abs(), away.Z.Abs()) < fixed.Int(journey) {
		w.tour = append(w.tour[1:], w.tour[0])
		w.home = w.tour[0]
		away = w.home.Sub(w.body.Pos)
	}
	if max(away.X.Abs(), away.Z.Abs()) > fixed.Int(journey) {
		return w.fly(away)
	}
	if w.rest--; w.rest <= 0 {
		w.rest = 40 + w.rand.Intn(80)
		w.goal = w.home.Add(world.Vec{
			X: fixed.Int(w.rand.Intn(2*roam+1) - roam), Z: fixed.Int(w.rand.Intn(2*roam+1) - roam),
		})
	}
	way := w.goal.Sub(w.body.Pos)
	if max(way.X.Abs(), way.Z.Abs()) < fixed.One {
		w.rest = 0
	}
	in := world.Input{Buttons: world.ButtonForward, Yaw: world.Angle(way.X, way.Z), Pitch: int16(w.seq&63) * 64}
	if w.body.Blocked || w.body.InWater {
		in.Buttons |= world.ButtonJump
	}
	return in
}

// fly goes home above the trees.
func (w *walker) fly(way world.Vec) world.Input {
	in := world.Input{Buttons: world.ButtonForward | world.ButtonSprint | world.ButtonFly, Yaw: world.Angle(way.X, way.Z)}
	at := w.body.Pos.Block()
	if int(at.Y) < w.land.column(at.Column()).Top(int(at.X&31), int(at.Z&31))+cruise || w.body.Blocked {
		in.Buttons |= world.ButtonJump
	}
	if w.body.Blocked { // straight up along the wall
		in.Buttons &^= world.ButtonForward
	}
	return in
}

// Listen reads what the node sends until the connection ends.
func (w *walker) Listen() error {
	var counter frame.Tally
	var f frame.Frame
	for {
		b, err := w.Conn.Recv()
		w.mu.Lock()
		if err == nil {
			w.got.Bytes += uint64(len(b))
			if wire.TypeOf(b) == wire.TypeFrame {
				err = w.read(&counter, &f, b[1:])
			}
		}
		if err != nil {
			w.end = err
			w.mu.Unlock()
			return err
		}
		w.mu.Unlock()
	}
}

// read counts a frame and follows its corrections.
func (w *walker) read(counter *frame.Tally, f *frame.Frame, b []byte) error {
	head := &f.Head
	if w.full {
		before := counter.Moves
		if err := counter.Read(b); err != nil {
			return err
		}
		w.got.Moves += counter.Moves - before
		head = &counter.Head
	} else if _, err := f.DecodeHead(b); err != nil {
		return err
	}
	if w.stream != nil {
		w.stream.frame(head)
	}
	if head.Region == w.body.Pos.Block().Region() {
		w.got.Frames++
	}
	if head.Own.HasAck {
		w.acknowledge(&head.Own)
	}
	return nil
}

// acknowledge forgets inputs that were run, and runs the others again from
// where the node says if it disagreed. A home that the walker has just entered
// has run none yet, and says so.
func (w *walker) acknowledge(own *frame.Own) {
	if waiting := int64(w.seq) - int64(own.Ack); waiting < int64(len(w.sent)) {
		w.sent = w.sent[int64(len(w.sent))-max(waiting, 0):]
	}
	if !own.Corrected {
		return
	}
	w.got.Corrections++
	w.body.Pos, w.body.Vel = own.Position, own.Velocity
	w.body.OnGround, w.body.Flying = own.Body&1 != 0, own.Body&2 != 0
	for _, in := range w.sent {
		world.Step(&w.land, &w.body, in, world.Creative)
	}
}

// take returns what was counted since the last call, and why the walker ended,
// if it did.
func (w *walker) take() (tally, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.got
	w.got = tally{}
	return t, w.end
}

func Abs(n int32) int32 { return max(n, -n) }
