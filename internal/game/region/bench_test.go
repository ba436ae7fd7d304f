package region

import (
	"fmt"
	"math"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// benchEnv counts what is sent.
type benchEnv struct {
	r      *Region
	now    machine.Time
	todo   []func()
	frames int
	bytes  int
	rand   rng.Rand
}

func (e *benchEnv) Now() machine.Time                    { return e.now }
func (e *benchEnv) Rand() *rng.Rand                      { return &e.rand }
func (e *benchEnv) SetTimer(machine.Time, machine.Timer) {}
func (e *benchEnv) Open(machine.Peer)                    {}
func (e *benchEnv) Close(machine.Peer)                   {}

func (e *benchEnv) Send(_ machine.Peer, m machine.Message) {
	if f, ok := m.(*Frame); ok {
		e.frames++
		e.bytes += len(f.Cells)
	}
}

func (e *benchEnv) Do(_ string, tag uint64, job machine.Job) {
	e.todo = append(e.todo, func() {
		var result any
		switch j := job.(type) {
		case machine.DiskRead:
			result = []machine.KV(nil)
		case Generate:
			result = flatColumn(j.Column)
		}
		e.r.OnDone(tag, result, nil)
	})
}

func (e *benchEnv) settle() {
	for len(e.todo) > 0 {
		do := e.todo[0]
		e.todo = e.todo[1:]
		do()
	}
}

// arena is a region with players who walk about in a square.
type arena struct {
	env     *benchEnv
	r       *Region
	players []*playerSession
	peers   []machine.Peer
	rand    rng.Rand
	seq     uint32
	yaws    []uint16
	inputs  []Inputs
	steps   []Step

	middle, half float64 // of the square, in metres
}

// newArena puts n players into a square of the given size (below 32: one cell). They
// watch everything, at a rate that falls with distance as sessions ask for it.
func newArena(n int, size float64) *arena {
	a := &arena{env: &benchEnv{now: machine.Time(TickLength) * 1000}, rand: rng.New(1), half: size / 2, middle: 64}
	if size < world.ChunkSize {
		a.middle = 48
	}
	a.r = New(Config{Rules: world.AreaConfig{Seed: 1, Spawn: world.Pos{X: 64, Y: flatTop + 1, Z: 64}}}, a.env)
	a.env.r = a.r
	a.r.Start()
	a.env.settle()
	for i := range n {
		peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session", i))}
		a.peers = append(a.peers, peer)
		player := id.Of(fmt.Append(nil, "player", i))
		a.r.OnMessage(peer, &Enter{Player: player, Entity: uint32(i + 1), Name: fmt.Sprint("Player ", i), Mode: 1, New: true})
		a.env.settle()
		h := a.r.sessions.players[player]
		lo := a.middle - size/2
		h.p.Body.Pos = metres(lo+a.rand.Float64()*size, flatTop+1, lo+a.rand.Float64()*size)
		h.p.Arriving = false
		a.players = append(a.players, h)
		a.yaws = append(a.yaws, uint16(a.rand.Intn(1<<16)))
		a.r.OnMessage(peer, &Watch{Rates: ratesFor(int(a.r.entities.cellOf(h.p.Body.Pos)))})
	}
	a.inputs, a.steps = make([]Inputs, n), make([]Step, n)
	for range 30 {
		a.tick()
	}
	return a
}

// ratesFor is what a session in the middle of a cell asks for.
func ratesFor(cell int) (set watchSet) {
	for i := range set {
		dx, dz := i&3-cell&3, i>>2-cell>>2
		switch d := max(dx, -dx, dz, -dz); {
		case d <= 1:
			set[i] = RateEvery
		case d == 2:
			set[i] = RateHalf
		default:
			set[i] = RateQuart
		}
	}
	return set
}

// tick sends a step of each player, who turns now and then, and runs a tick.
func (a *arena) tick() {
	a.seq++
	for i, h := range a.players {
		if a.rand.OneIn(4) {
			a.yaws[i] += uint16(a.rand.Intn(4096)) - 2048
		}
		a.turnBack(i, h)
		a.steps[i] = Step{Buttons: world.ButtonForward, Yaw: a.yaws[i]}
		a.inputs[i] = Inputs{Player: h.p.ID, First: a.seq, Steps: a.steps[i : i+1], NoPos: true}
		a.r.OnMessage(a.peers[i], &a.inputs[i])
	}
	a.env.now = a.env.now.Add(TickLength)
	a.r.onTick()
	a.env.settle()
}

// turnBack turns players who come to the edge of the square towards its middle.
func (a *arena) turnBack(i int, h *playerSession) {
	dx, dz := a.middle-h.p.Body.Pos.X.Metres(), a.middle-h.p.Body.Pos.Z.Metres()
	if max(math.Abs(dx), math.Abs(dz)) > a.half-0.5 {
		a.yaws[i] = uint16(int(math.Atan2(dx, -dz) / (2 * math.Pi) * 65536))
	}
}

func BenchmarkTick(b *testing.B) {
	for _, n := range []int{100, 500, 1500} {
		for _, size := range []float64{30, 120} {
			where := "one-cell"
			if size > 30 {
				where = "spread"
			}
			b.Run(fmt.Sprintf("%d/%s", n, where), func(b *testing.B) {
				a := newArena(n, size)
				a.env.frames, a.env.bytes = 0, 0
				b.ReportAllocs()
				ticks := 0
				for b.Loop() {
					a.tick()
					ticks++
				}
				perTick := float64(a.env.bytes) / float64(ticks)
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(ticks), "ms/tick")
				b.ReportMetric(perTick*20/1000/float64(n), "kB/s/player")
				b.ReportMetric(float64(a.env.frames)/float64(ticks), "frames/tick")
			})
		}
	}
}

// TestBytes: with 100 players in sight of each other a player
// costs at most 12 kB/s, better 6.
func TestBytes(t *testing.T) {
	a := newArena(100, 30)
	a.env.bytes = 0
	const ticks = 200
	for range ticks {
		a.tick()
	}
	perSecond := float64(a.env.bytes) / ticks * 20 / 100 / 1000
	t.Logf("%.1f kB/s a player", perSecond)
	if perSecond > 6 {
		t.Errorf("%.1f kB/s a player, want at most 6", perSecond)
	}
}
