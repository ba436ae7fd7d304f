package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Sink takes encoded messages for a client: head followed by body. Both may be
// used again after Add returns.
type Sink interface {
	Add(head, body []byte)
}

// Session is one player in the world. One goroutine calls Handle with what the
// client says, one calls Next for what is to be said to it; Close may be called
// by anybody.
type Session struct {
	node   *Node
	link   *transport.Link
	player id.ID
	hello  lobby.Enter // as the session came
	skin   []byte      // as the client said

	entrances func() *wire.Entrances        // as in Login
	numbers   map[world.RegionPos]uint16    // of the last frame of each region; nil: frames are not numbered
	missed    map[world.RegionPos]time.Time // when keyframes were asked for

	// Only Next's goroutine touches these.
	batch []machine.Message
	head  []byte

	mu         sync.Mutex
	admitted   *lobby.Admitted
	entered    *region.Entered // the first time
	home       world.RegionPos
	before     world.RegionPos // the home that has given the player to this one
	early      []early         // of regions that are not the home yet
	epoch      uint32
	isHome     bool // a region has said that it is the home
	pos        world.Vec
	claims     claims
	said       saidLines
	acts       region.Acts
	asked      []asked     // acts without an answer, in order
	overdue    *time.Timer // lets Next look at them
	in         bool        // the home has let the player in, and takes acts
	watch      *watcher
	watchedAt  map[world.RegionPos]time.Time // when a Watch was last sent
	lookedLate time.Time                     // when it was looked for columns that do not come
	tiles      []world.RegionPos             // far tiles to be sent
	out        [][]byte                      // encoded, for Next
	over       error                         // the session has ended
	paced      paced
	waits      bool         // the home has no time, and will be asked again
	unheard    bool         // the home answers as if it had not got the last Enter
	busy       int          // times that the home has had no time, one after the other
	why        *wire.Notice // why the player is not in yet, if the node has said so
	spoke      time.Time    // the client, to its home
	signedAt   time.Time    // when the client last signed what it did
	heard      time.Time    // from the home that has let the player in, or when it was asked to
	input      wire.Input   // decoded into again and again
	lastStep   uint32       // that was given to a home
	schem      schematics
	held       *inputs // a step that waits for the next
	heldAt     time.Time
}

func newSession(n *Node, k *transport.Link, player id.ID) *Session {
	s := &Session{
		node: n, link: k, player: player,
		watch: newWatcher(), watchedAt: map[world.RegionPos]time.Time{}, heard: time.Now(),
		spoke: time.Now(), paced: newPaced(),
		// Another link of this session, which was given up, has entered before.
		acts: region.EntriesAbove(uint32(time.Now().Unix())),
	}
	s.overdue = time.AfterFunc(patience, s.poke)
	s.overdue.Stop() // until there is an act
	s.watch.may = func() bool { return n.wakes.may(player) }
	return s
}

// Welcome returns the message that tells the client who and where it is.
func (s *Session) Welcome() *wire.Welcome {
	a, e := s.admitted, s.entered
	return &wire.Welcome{
		Player: s.player, Name: a.Name, Entity: uint64(a.Entity),
		World: s.node.cfg.Info, Spawn: feet(s.node.cfg.Spawn),
		Tick: e.Tick, TimeOffset: a.TimeOffset, Operator: a.Operator,
		Pos: e.Position, Yaw: e.Yaw, Pitch: e.Pitch,
	}
}

// Player returns who plays.
func (s *Session) Player() id.ID { return s.player }

// Name returns the player's name as the lobby shows it.
func (s *Session) Name() string { return s.admitted.Name }

// feet returns the middle of the bottom of a block.
func feet(p world.Pos) world.Vec {
	v := p.Centre()
	v.Y -= 1 << 11
	return v
}

// settle takes messages until the player is in the world, and tells now and then
// that this is not so yet.
func (s *Session) settle(ctx context.Context, tell func(*wire.Notice)) error {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.link.Ready():
		case <-tick.C:
			tell(s.reason())
		case <-ctx.Done():
			return ctx.Err()
		}
		var err error
		s.batch, err = s.link.Take(s.batch)
		s.mu.Lock()
		for _, m := range s.batch {
			s.receive(m, (*queued)(s))
		}
		if s.over == nil && err != nil {
			s.over = ended(err)
		}
		over, done := s.over, s.isHome && s.admitted != nil
		s.mu.Unlock()
		if over != nil || done {
			return over
		}
	}
}

// isNew reports whether the lobby has let in a player who was never here before.
func (s *Session) isNew() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admitted != nil && s.admitted.New
}

// queued is a session as a Sink: what comes before the owner asks waits in out.
type queued Session

// Add implements Sink.
func (q *queued) Add(head, body []byte) {
	q.out = append(q.out, append(append([]byte(nil), head...), body...))
}

// Next waits until there is something for the client and gives all of it to
// the sink. An error ends the session; if it is a *wire.Refused the client is
// to be told.
func (s *Session) Next(ctx context.Context, to Sink) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	var end error
	s.batch, end = s.link.Take(s.batch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(to)
	if s.held != nil && time.Since(s.heldAt) > holdAtMost {
		s.release()
	}
	for _, m := range s.batch {
		s.receive(m, to)
	}
	s.tendActs()
	s.sendTiles(to)
	s.sendWatches()
	if s.over == nil && end != nil {
		s.over = ended(end)
	}
	return s.over
}

func (s *Session) wait(ctx context.Context) error {
	select {
	case <-s.link.Ready():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// flush gives what waited to the sink.
func (s *Session) flush(to Sink) {
	for _, b := range s.out {
		to.Add(b, nil)
	}
	clear(s.out)
	s.out = s.out[:0]
}

// say queues a message for the client, for Handle.
func (s *Session) say(m wire.Message) {
	s.out = append(s.out, wire.Encode(m))
	s.poke()
}

// poke lets Next do what is not in the link.
func (s *Session) poke() { s.link.Poke() }

// send gives a message to the node, behind what is held. A node that takes no more
// ends the session through the link.
func (s *Session) send(m machine.Message) {
	s.release()
	if err := s.link.Send(m); errors.Is(err, transport.ErrBusy) && s.over == nil {
		s.over = wire.TooFast.Refusal(5)
		s.poke()
	}
}

// toRegion addresses a message.
func (s *Session) toRegion(r world.RegionPos, m machine.Message) {
	s.send(&region.To{Region: r, Msg: m})
}

// Close takes the player out of the world: the node saves it when the link
// closes.
func (s *Session) Close() { s.link.Close() }

// ended says why a link has ended.
func ended(err error) error {
	if errors.Is(err, transport.ErrFailed) {
		return wire.Slow.Refusal(1)
	}
	return wire.Restart.Refusal(3)
}

// asked is an act that waits for its answer.
type asked struct {
	number uint32 // the session's
	seq    uint32 // the client's
	at     time.Time
}
