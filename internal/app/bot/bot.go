package bot

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// mind is a behaviour: it says what the bot does in the next step. It is called
// twenty times a second and must not wait.
type mind interface {
	think(b *bot) world.Input
}

// bot is one agent. Its driver's goroutine steps it, another receives.
type bot struct {
	*client.Mirror
	run   *run
	rng   rng.Rand
	mind  mind
	steps int // done

	lost bool // its driver has let go of it

	moves atomic.Uint64 // steps after which the body was elsewhere

	act   <-chan wire.ActResult // the answer that is waited for; nil: none
	since int                   // step at which the act began

	mu   sync.Mutex
	gone error // why the connection ended
}

// receive runs the mirror to its end.
func (b *bot) receive() {
	err := b.Run()
	b.mu.Lock()
	b.gone = err
	b.mu.Unlock()
}

func (b *bot) ended() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone
}

// pingEvery is in steps; bots begin at different ones.
const pingEvery = 20

// step does one body step.
func (b *bot) step() error {
	if err := b.ended(); err != nil {
		return err
	}
	b.steps++
	if b.steps%pingEvery == 0 {
		if err := b.Ping(); err != nil {
			return err
		}
	}
	if every := int(b.run.cfg.Chatter / (50 * time.Millisecond)); every > 0 && b.rng.OneIn(every) {
		if err := b.Say(lines[b.rng.Intn(len(lines))]); err != nil {
			return err
		}
	}
	moved, err := b.Step(b.mind.think(b))
	if moved {
		b.moves.Add(1)
	}
	return err
}

var lines = []string{
	"hello", "is anybody near?", "nice place", "look at that hill", "I am building something",
	"who knows the way to the sea?", "night is coming", "/near hello there", "wow",
}

// begin does an act unless one waits for its answer.
func (b *bot) begin(a wire.Act) bool {
	if b.act != nil {
		return false
	}
	answer, err := b.Act(a)
	if err != nil {
		return false // the connection has ended; step will notice
	}
	b.act, b.since = answer, b.steps
	return true
}

// actTime is how many steps an answer may take: digging stone takes a while.
const actTime = 400

// answer returns the answer to the act that was begun, if it has come.
func (b *bot) answer() (r wire.ActResult, done bool) {
	if b.act == nil {
		return r, false
	}
	select {
	case r = <-b.act:
		b.act = nil
		if r.OK {
			b.run.count(func(s *Summary) { s.Edits++ })
		} else {
			b.run.refused(r.Code)
		}
		return r, true
	default:
	}
	if b.steps-b.since > actTime {
		b.act = nil
		b.run.failed(errNoAnswer)
		return wire.ActResult{Code: wire.Internal}, true
	}
	return r, false
}

var errNoAnswer = errors.New("an act was not answered")

// block reads the shared copy.
func (b *bot) block(p world.Pos) (world.Block, bool) { return b.run.copy.Block(p) }

// towards returns the yaw that looks from a to b.
func towards(a, b world.Vec) uint16 {
	d := b.Sub(a)
	return uint16(int32(math.Atan2(d.X.Metres(), -d.Z.Metres()) / (2 * math.Pi) * 65536))
}

// flat returns the horizontal distance in metres.
func flat(a, b world.Vec) float64 {
	d := b.Sub(a)
	return math.Hypot(d.X.Metres(), d.Z.Metres())
}

// reasonOf groups errors for the summary.
func reasonOf(err error) string {
	var why *wire.Refused
	if errors.As(err, &why) {
		return "refused: " + string(why.Code)
	}
	return fmt.Sprint(err)
}
