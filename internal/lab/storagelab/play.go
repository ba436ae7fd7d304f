package storagelab

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/mmve"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// storagePlayer decides what a character does.
type storagePlayer interface {
	Next() machine.Time               // when to ask for an action
	Act() []byte                      // its body; nil: none now
	Place(at machine.Time) geom.Point // where the character is
}

// where is the place of a node's character; its player looks around from the
// interval after it came into the world.
func (n *storageNet) where(s *storageNode) (geom.Point, bool) {
	if s.mind == nil || s.gone || n.sim.Now().Sub(s.came) < storageInterval {
		return geom.Point{}, false
	}
	return s.mind.Place(n.sim.Now()), n.sim.Now() > n.update(2)
}

// playSoon lets a player who has come late into the world, once its node is
// ready.
func (n *storageNet) playSoon(s *storageNode) {
	n.sim.At(n.sim.Now().Add(time.Second), func() { n.playReady(s) })
}

// playReady lets a player into the world, later if its node is not ready: what it
// said would reach nobody.
func (n *storageNet) playReady(s *storageNode) {
	switch m := s.machine(); {
	case m == nil || s.gone || n.sim.Now() > n.update(int64(n.run.updates())-1):
	case m.Ready():
		n.play(s)
	default:
		n.playSoon(s)
	}
}

// play lets a node's player come into the world.
func (n *storageNet) play(s *storageNode) {
	s.Call(func() {
		m := s.machine()
		m.Activate(s.bed)
		after, _ := m.Activation()
		n.sim.At(after.Add(50*time.Millisecond), func() {
			if s.gone {
				return
			}
			s.mind = n.mind(s, n.sim.Now())
			n.goOn(s)
		})
		of := int64(after.Sub(n.begin) / storageInterval)
		n.woken[of] = append(n.woken[of], s.asleep)
		if n.woke != nil {
			n.woke(s, of)
		}
	})
}

// goOn lets a player act when it wants to.
func (n *storageNet) goOn(s *storageNode) {
	mind := s.mind
	at := mind.Next()
	if at > n.update(int64(n.run.updates())) {
		return
	}
	n.sim.At(at, func() {
		if s.machine() == nil || s.gone || s.mind != mind { // another mind: the player has come back
			return
		}
		if body := mind.Act(); body != nil {
			n.act(s, at, body)
		}
		n.goOn(s)
	})
}

func (n *storageNet) act(s *storageNode, at machine.Time, body []byte) {
	s.seq++
	s.last = max(s.machine().Stamp(at), s.last+1)
	a := &state.Action{Player: s.player, Seq: s.seq, At: s.last, Body: body, Size: actionHead + len(body)}
	if n.disowned == nil || !n.disowned(a) {
		n.actions = append(n.actions, a)
		if n.acted != nil {
			n.acted(a)
		}
	}
	s.Call(func() { s.machine().Act(a) })
}

// leave lets a node's player go out of the world, to sleep where it stands (thesis
// 5.4.1), before the node stops, or fails: who switches off does so by leaving the game.
func (n *storageNet) leave(node *sim.Node) {
	i := slices.IndexFunc(n.all[:n.started], func(s *storageNode) bool { return s.Node == node })
	s := n.all[i]
	s.gone = true
	if m, plays := s.mind.(interface{ Leave() []byte }); plays && n.sim.Now() < n.update(int64(n.run.updates())) {
		n.act(s, n.sim.Now(), m.Leave())
	}
}

// comeBack starts a node again whose player has left, as who was there before: with the
// certificate and the character that it had.
func (n *storageNet) comeBack(s *storageNode) {
	s.Restart()
	s.came = n.sim.Now()
	i := slices.IndexFunc(n.truth.objects, func(o *state.Object) bool { return o.Player == s.player })
	if i < 0 || !n.truth.objects[i].Static {
		return // it has not fallen asleep yet: nobody plays it
	}
	s.asleep, s.bed = n.truth.objects[i], n.truth.objects[i].Pos
	s.mind, s.gone = nil, false
	if n.sim.Now() > n.update(1) {
		n.playSoon(s)
	}
}

// actionHead is what an action takes besides its body: with the thesis' world,
// whose bodies take 10, the thesis' 30 bytes (6.4.1).
const actionHead = mmve.ActionSize - 10
