package lobby

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// stage is a lobby with scripted sessions and regions: an Env that writes down
// what the lobby does. Its disk outlives restarts of the lobby.
type stage struct {
	h      *Lobby
	now    machine.Time
	rand   rng.Rand
	out    strings.Builder
	disk   map[string]string
	full   bool // writes fail
	slow   bool // jobs wait for "disk"
	jobs   []func()
	timers []timer
	quiet  bool

	players map[machine.Peer]string // keys of the sessions
	signs   []func()                // what clients sign next
	deaf    bool                    // they do not
	heard   func(m any)             // what sessions are told
}

type timer struct {
	at machine.Time
	machine.Timer
}

const stageEpoch = machine.Time(1_600_000_000 * int64(time.Second))

func newStage() *stage {
	s := &stage{now: stageEpoch, disk: map[string]string{}, players: map[machine.Peer]string{}}
	s.start()
	return s
}

func (s *stage) start() {
	s.timers, s.jobs = nil, nil
	log := decision.New(stageWorld, [32]byte(keyOf("founder's node").Public().(ed25519.PublicKey)))
	s.h = New(s, Config{
		Name: "home", Seed: "42", Epoch: stageEpoch, Spawn: world.Pos{X: 200, Y: 70, Z: -5}, Mode: 0, MaxPlayers: 3,
		Decisions: log, Decide: func(list ...*decision.Statement) error {
			_, err := log.Merge(list, time.Unix(0, int64(s.now)))
			s.signs = append(s.signs, func() { s.h.OnMessage(machine.Peer{}, &Decided{}) })
			return err
		},
	})
	s.h.Start()
}

var stageWorld = id.Of([]byte("stage"))

func keyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func playerOf(key string) id.ID { return id.Of(keyOf(key).Public().(ed25519.PublicKey)) }

// found makes a player an operator, as the founder's node does.
func (s *stage) found(player id.ID) {
	log := s.h.cfg.Decisions
	if log.Founded() {
		return
	}
	x := &decision.Statement{World: stageWorld, Seq: uint64(stageEpoch) / 1e6, Topic: decision.Operator, On: true, Subject: player}
	x.Sign(keyOf("founder's node"))
	if err := s.h.cfg.Decide(x); err != nil {
		panic(err)
	}
}

// sign does what waits: clients sign what is proposed to them, and the node tells
// the lobby of what was decided.
func (s *stage) sign() {
	for len(s.signs) > 0 {
		next := s.signs[0]
		s.signs = s.signs[1:]
		next()
	}
}

func (s *stage) Now() machine.Time { return s.now }
func (s *stage) Rand() *rng.Rand   { return &s.rand }
func (s *stage) Open(machine.Peer) {}
func (s *stage) SetTimer(at machine.Time, t machine.Timer) {
	s.timers = append(s.timers, timer{at, t})
}
func (s *stage) Close(p machine.Peer) { s.say("%s closed", peerName(p)) }

func (s *stage) Send(to machine.Peer, m machine.Message) {
	if s.heard != nil {
		s.heard(m)
	}
	if !s.quiet {
		s.say("%s < %s", peerName(to), show(m))
	}
	if m, ok := m.(*Propose); ok && !s.deaf {
		signed := signedBy(s.players[to], m.Statement)
		s.signs = append(s.signs, func() { s.h.OnMessage(to, &Signed{signed}) })
	}
}

// signedBy is what was proposed, signed by a player.
func signedBy(player string, proposal []byte) []byte {
	if decision.IsOrder(proposal) {
		o, err := decision.DecodeOrder(proposal)
		if err != nil {
			panic(err)
		}
		o.Sign(keyOf(player))
		return o.Append(nil)
	}
	x, err := decision.Decode(proposal)
	if err != nil {
		panic(err)
	}
	x.Sign(keyOf(player))
	return x.Append(nil)
}

func (s *stage) Do(queue string, tag uint64, job machine.Job) {
	run := func() {
		result, err := s.run(job)
		s.h.OnDone(tag, result, err)
	}
	s.jobs = append(s.jobs, run)
	if !s.slow {
		s.flush()
	}
}

// flush ends the jobs that wait; as with real drivers never inside of a
// handler, unless the test does not care.
func (s *stage) flush() {
	for len(s.jobs) > 0 {
		run := s.jobs[0]
		s.jobs = s.jobs[1:]
		run()
	}
}

func (s *stage) run(job machine.Job) (any, error) {
	switch job := job.(type) {
	case machine.DiskRead:
		var kvs []machine.KV
		for _, k := range sortedKeys(s.disk) {
			kvs = append(kvs, machine.KV{Key: []byte(k), Value: []byte(s.disk[k])})
		}
		return kvs, nil
	case machine.DiskWrite:
		if s.full {
			return nil, machine.ErrDiskFull
		}
		for _, k := range job.Delete {
			delete(s.disk, string(k))
		}
		for _, kv := range job.Put {
			s.disk[string(kv.Key)] = string(kv.Value)
		}
		return nil, nil
	}
	return nil, machine.ErrJob
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

func peerName(p machine.Peer) string {
	if p == (machine.Peer{}) {
		return "node"
	}
	return strings.TrimRight(string(p.ID[:]), "\x00")
}

func session(name string) machine.Peer {
	var p machine.Peer
	copy(p.ID[:], name)
	return p
}

func show(m any) string {
	switch m := m.(type) {
	case *Propose:
		if decision.IsOrder(m.Statement) {
			return "Propose " + showOrder(m.Statement)
		}
		x, err := decision.Decode(m.Statement)
		return fmt.Sprintf("Propose topic %d on=%v %s %q until %d: %q %v", x.Topic, x.On, x.Subject.Short(), x.Name, x.Until, x.Text, err)
	case *Chat:
		b, _ := json.Marshal(struct {
			Kind       wire.ChatKind
			From, Text string
		}{m.Kind, m.From, m.Text})
		return "Chat " + string(b)
	case *Order:
		if len(m.Signed) > 0 {
			owed := ""
			if len(m.Owed) > 0 {
				owed = fmt.Sprint(" owed ", m.Owed)
			}
			return fmt.Sprintf("Order %d,%d tag %d for %s: %s%s", m.Region.X, m.Region.Z, m.Tag, m.Player.Short(), showOrder(m.Signed), owed)
		}
		return fmt.Sprintf("Order %d,%d tag %d: %s says to those near: %q", m.Region.X, m.Region.Z, m.Tag, m.Player.Short(), m.Near)
	case *Refused:
		if len(m.Order) > 0 {
			return fmt.Sprintf("Refused %s %q, as ordered: %s", m.Code, m.Text, showOrder(m.Order))
		}
		b, _ := json.Marshal(struct {
			Code, Text string
			Retry      uint32
		}{string(m.Code), m.Text, m.Retry})
		return "Refused " + string(b)
	case *Commands:
		names := map[string]bool{} // each form of a command is listed
		for _, c := range m.List {
			names[c.Name] = true
		}
		return fmt.Sprintf("Commands: %d", len(names))
	case *Players:
		var names []string
		for _, p := range m.List {
			names = append(names, fmt.Sprintf("%s#%d here=%v %d,%d", p.Name, p.Entity, p.Present, p.Region.X, p.Region.Z))
		}
		return fmt.Sprintf("Players full=%v: %s", m.Full, strings.Join(names, "; "))
	}
	if u, ok := m.(*Undo); ok && len(u.Blocks) == 0 {
		m = struct {
			Region world.RegionPos
			Tag    uint64
			Signed []byte
		}{u.Region, u.Tag, u.Signed}
		b, _ := json.Marshal(m)
		return "Undo " + string(b)
	}
	b, _ := json.Marshal(m)
	return fmt.Sprintf("%T %s", m, b)[len("*lobby."):]
}

func showOrder(b []byte) string {
	o, err := decision.DecodeOrder(b)
	signed := "not signed"
	if o.Issuer != [32]byte{} {
		signed = "signed by " + o.By().Short()
	}
	return fmt.Sprintf("order %d about %s %q: at %v, %d × %q, %s %v", o.Kind, o.Subject.Short(), o.Name, o.At.Block(), o.Count, o.Text, signed, err)
}

// act does one line of a script.
func (s *stage) act(line string) {
	defer s.sign()
	verb, rest, _ := strings.Cut(line, " ")
	who, text, _ := strings.Cut(rest, " ")
	var x, z int32
	var epoch uint32
	switch verb {
	case "console": // session key
		s.players[session(who)] = text
		s.h.OnMessage(session(who), &Enter{Player: playerOf(text), Name: decision.Console, Console: true})
	case "enter", "local": // session key name
		key, name, _ := strings.Cut(text, " ")
		s.players[session(who)] = key
		if verb == "local" {
			s.found(playerOf(key))
		}
		s.h.OnMessage(session(who), &Enter{Player: playerOf(key), Name: name, Local: verb == "local"})
	case "say":
		s.h.OnMessage(session(who), &Say{Text: text})
	case "leave":
		s.h.OnMessage(session(who), &Leave{})
	case "lost":
		s.h.OnLink(session(who), machine.LinkFailed)
	case "arrived": // key x z epoch
		fmt.Sscan(text, &x, &z, &epoch)
		s.arrive(playerOf(who), world.RegionPos{X: x, Z: z}, epoch)
	case "died": // key x z cause
		var cause world.Cause
		fmt.Sscan(text, &x, &z, &cause)
		s.h.OnMessage(machine.Peer{}, &Died{world.RegionPos{X: x, Z: z}, playerOf(who), cause})
	case "sleep": // x z keys
		f := strings.Fields(rest)
		fmt.Sscan(rest, &x, &z)
		m := &Sleeping{Region: world.RegionPos{X: x, Z: z}}
		for _, key := range f[2:] {
			m.Players = append(m.Players, playerOf(key))
		}
		s.h.OnMessage(machine.Peer{}, m)
	case "awake":
		fmt.Sscan(rest, &x, &z)
		s.h.OnMessage(machine.Peer{}, &Awake{world.RegionPos{X: x, Z: z}})
	case "vouch": // session key x z
		var key string
		fmt.Sscan(text, &key, &x, &z)
		s.h.OnMessage(machine.Peer{}, &Vouch{world.RegionPos{X: x, Z: z}, session(who), playerOf(key)})
	case "located": // tag key x y z
		var tag uint64
		var px, py, pz int
		fmt.Sscan(rest, &tag, &who, &px, &py, &pz)
		e := s.h.whereabouts.requests[tag]
		if e == nil {
			s.say("nothing was asked with %d", tag)
			return
		}
		s.h.OnMessage(machine.Peer{}, &Located{
			Region: e.at, Player: playerOf(who), Tag: tag, Found: true,
			Position: world.Vec{X: fixed.Int(px), Y: fixed.Int(py), Z: fixed.Int(pz)},
		})
	case "copied": // tag x z: the region has stone there
		var tag uint64
		fmt.Sscan(rest, &tag, &x, &z)
		n := clipboard.Volume(s.h.undos.orders[tag].part(world.RegionPos{X: x, Z: z}))
		s.h.OnMessage(machine.Peer{}, &Undone{Region: world.RegionPos{X: x, Z: z}, Tag: tag, OK: true, Blocks: clipboard.Encode(slices.Repeat([]world.Block{world.Stone + world.Block(x)}, n))})
	case "undone": // tag x z count, and for each edit who and tick; or owed, looted, put and how many
		m := &Undone{OK: true}
		f := strings.Fields(rest)
		fmt.Sscan(strings.Join(f[:4], " "), &m.Tag, &x, &z, &m.Count)
		m.Region = world.RegionPos{X: x, Z: z}
		for i := 4; i < len(f); i += 2 {
			if list := map[string]*[]world.Owed{"owed": &m.Owed, "looted": &m.Looted, "put": &m.Put}[f[i]]; list != nil {
				o := world.Owed{Block: world.OakPlanks}
				fmt.Sscan(f[i+1], &o.Count)
				*list = append(*list, o)
				continue
			}
			e := world.PastEdit{Edit: world.Edit{By: playerOf(f[i]), BlockChange: world.BlockChange{At: world.Pos{X: 1, Y: 2, Z: 3}, Was: world.Stone}}}
			fmt.Sscan(f[i+1], &e.Tick)
			m.Edits = append(m.Edits, e)
		}
		s.h.OnMessage(machine.Peer{}, m)
	case "saved": // tag x z err
		var tag uint64
		fmt.Sscan(rest, &tag, &x, &z)
		err := ""
		if i := strings.Index(rest, ":"); i >= 0 {
			err = rest[i+1:]
		}
		s.h.OnMessage(machine.Peer{}, &Saved{world.RegionPos{X: x, Z: z}, tag, err})
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			panic(err)
		}
		s.wait(d)
	case "disk": // full, empty, slow, go, or shows what is there
		s.diskAct(rest)
	case "restart":
		s.start()
	default:
		panic("unknown verb " + verb)
	}
}

// arrive brings a player from its home to another, as honest regions do.
func (s *stage) arrive(who id.ID, to world.RegionPos, epoch uint32) {
	p, was := s.h.players[who], s.quiet
	if p == nil || p.home(s.h.cfg) == to || p.search != nil {
		s.h.OnMessage(machine.Peer{}, &Arrived{to, who, epoch})
		return
	}
	s.quiet = true
	home := p.home(s.h.cfg)
	s.h.OnMessage(machine.Peer{}, &Claim{Region: to, From: home, Player: who, Epoch: epoch})
	s.h.OnMessage(machine.Peer{}, &Arrived{to, who, epoch})
	for tag, e := range s.h.whereabouts.requests {
		if e == p.search {
			s.h.OnMessage(machine.Peer{}, &NotHere{Region: home, Player: who, Tag: tag, To: to})
			s.h.OnMessage(machine.Peer{}, &Located{Region: to, Player: who, Tag: tag, Found: true, Epoch: epoch})
		}
	}
	s.quiet = was
}

func (s *stage) diskAct(what string) {
	switch what {
	case "full", "empty":
		s.full = what == "full"
	case "slow":
		s.slow = true
	case "go":
		s.slow = false
		s.flush()
	case "show":
		for _, k := range sortedKeys(s.disk) {
			s.say("  %s = %s", k, s.disk[k])
		}
	default: // key=value
		k, v, _ := strings.Cut(what, "=")
		s.disk[k] = v
	}
}

func (s *stage) wait(d time.Duration) {
	end := s.now.Add(d)
	for {
		sort.SliceStable(s.timers, func(i, j int) bool { return s.timers[i].at < s.timers[j].at })
		if len(s.timers) == 0 || s.timers[0].at > end {
			break
		}
		t := s.timers[0]
		s.timers = s.timers[1:]
		s.now = max(s.now, t.at)
		s.h.OnTimer(t.Timer)
	}
	s.now = end
}
