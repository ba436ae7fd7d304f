package nodelab

import (
	"crypto/ed25519"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// forgerKey is a key that nobody has given any right.
var forgerKey = ed25519.NewKeyFromSeed([]byte("the key of a host that forges..."))

// forges sends another node something that is not true.
func (t *telling) forges(to machine.Peer, m machine.Message) {
	t.forged.Add(1)
	t.env.Send(to, m)
}

// forgesNeighbour tells the region's leader in a neighbour's name that players dig up what
// was built, each with no signature and with one of another key, and gives it a player.
func forgesNeighbour(t *telling) {
	from := world.RegionPos{X: t.region.X + 1, Z: t.region.Z}
	say := func(m machine.Message) {
		t.forges(t.leader, &routing.Routed{To: shards.Shard{Region: t.region}, From: shards.Shard{Region: from}, Msg: m})
	}
	for _, player := range t.players {
		dig := &world.Remote{
			Kind: world.RemoteBreak, From: from, Player: player, Seq: 1 << 20, At: t.built, Block: world.Bricks,
			Body: t.built.Centre(), Mode: world.Creative, Operator: true, Op: 1 << 20,
		}
		say(&region.RemoteEdit{Remote: dig, Epoch: 1 << 20})
		forged := region.ActProof{Key: [32]byte(forgerKey.Public().(ed25519.PublicKey)), Segment: []byte("no segment")}
		say(&region.RemoteEdit{Remote: dig, Epoch: 1 << 20, Proof: forged})
	}
	guest := &world.Player{ID: id.Of([]byte("nobody")), Name: "nobody", Mode: world.Creative}
	guest.Body.Pos = t.built.Centre()
	say(&region.Handover{Player: guest.ID, Epoch: 1 << 20, State: guest.AppendBinary(nil)})
}

// forgesDecisions tells all nodes that the players are operators, and banned, by a key that
// may decide neither.
func forgesDecisions(t *telling) {
	m := &node.Decisions{}
	seq := uint64(time.Now().UnixMilli())
	for _, player := range t.players {
		for _, topic := range []decision.Topic{decision.Operator, decision.Ban} {
			seq++
			s := &decision.Statement{World: t.world, Seq: seq, Topic: topic, On: true, Subject: player, Name: "editor"}
			s.Sign(forgerKey)
			m.List = append(m.List, s.Append(nil))
		}
	}
	for _, to := range t.linked {
		t.forges(to, m)
	}
}

// forgesLobby tells the sessions of other nodes in the lobby's name that they are operators,
// and that they are banned.
func forgesLobby(t *telling, from machine.Peer, m machine.Message) bool {
	r, ok := m.(*routing.Routed)
	if !ok || r.Session.IsZero() || t.told[r.Session] {
		return true
	}
	act, ok := r.Msg.(*region.Act)
	if !ok {
		return true
	}
	t.told[r.Session] = true
	for _, forged := range []machine.Message{
		&lobby.Admitted{Player: act.Player, Name: "operator", Entity: 1, Operator: true, Home: t.region},
		&lobby.Refused{Code: wire.Banned, Text: "You are banned."},
		&lobby.Refused{Code: wire.Kicked, Text: "You are kicked."},
	} {
		t.forges(from, &node.ToSessions{Sessions: []id.ID{r.Session}, Msg: forged})
	}
	return true
}

// forgedProof is a proof that a follower fabricates of what the leader has signed.
type forgedProof struct {
	gap     bool // in the log: the leader is asked for a state
	packed  []byte
	from    *regionlog.Checkpoint
	entries [][]byte
}

// fabricates takes what the region's leader has signed, and sends everybody proofs of it that
// are none: with an entry that was changed, with nothing changed, and one by a key that is
// not the leader's.
func fabricates(t *telling, from machine.Peer, m machine.Message) bool {
	p := &t.forge
	switch m := m.(type) {
	case *accountability.LogState:
		if m.Shard != (shards.Shard{Region: t.region}) || from.ID != t.leader.ID {
			break
		}
		if m.Part == 0 {
			p.packed = nil
		}
		p.packed = append(p.packed, m.Data...)
		p.entries = nil
		if c, err := regionlog.DecodeCheckpoint(m.Checkpoint, nil); err == nil {
			p.from = c
		}
	case *accountability.LogEntries:
		if m.Shard != (shards.Shard{Region: t.region}) || from.ID != t.leader.ID || len(t.told) > 0 {
			break
		}
		if !p.gap {
			p.gap = true
			return false
		}
		if p.from == nil {
			break
		}
		entries, err := regionlog.UnpackBatch(m.Packed)
		if err != nil || m.Number != p.from.Number+1+uint64(len(p.entries)) {
			break
		}
		p.entries = append(p.entries, entries...)
		to, err := regionlog.DecodeCheckpoint(m.Checkpoint, &p.from.Hashes)
		if len(m.Checkpoint) > 0 && err == nil && to.Verify() {
			t.told[from.ID] = true
			t.accuse(from, to)
		}
	}
	return true
}

// accuse sends the proofs.
func (t *telling) accuse(honest machine.Peer, to *regionlog.Checkpoint) {
	p := &t.forge
	state, err := regionlog.Unpack(p.packed)
	if err != nil {
		return
	}
	changed := slices.Clone(p.entries)
	last := slices.Clone(changed[len(changed)-1])
	last[len(last)-1] ^= 1
	changed[len(changed)-1] = last
	for _, e := range []regionlog.Evidence{
		&regionlog.Proof{From: p.from, To: to, State: state, Entries: changed},
		&regionlog.Proof{From: p.from, To: to, State: state, Entries: p.entries},
		selfAccusation(t.world),
	} {
		data := regionlog.AppendEvidence(nil, e)
		for _, peer := range t.linked {
			t.forges(peer, &accountability.Evidence{Node: honest.ID, Data: data})
		}
	}
}

// selfAccusation proves that whoever has forgerKey has invented a block.
func selfAccusation(of id.ID) (proof *regionlog.Proof) {
	a := regionlog.NewArea(world.AreaConfig{Seed: 7}, world.RegionPos{X: 200}, false)
	for i := range world.Columns {
		a.SetColumn(&world.Column{Pos: a.Pos().Column(i)})
	}
	var r *regionlog.Replayer
	sign := func(b []byte) [64]byte { return [64]byte(ed25519.Sign(forgerKey, b)) }
	a.Record(&regionlog.Signing{World: of, Key: [32]byte(forgerKey.Public().(ed25519.PublicKey)), Sign: sign}, func(out *regionlog.Output) {
		if r == nil {
			r, _ = regionlog.NewReplayer(out.Checkpoint, out.State) // its own state
		} else if proof == nil {
			proof, _ = r.Entry(out.Entry, out.Checkpoint) // its own entry
		}
	})
	for tick := range uint64(2 * regionlog.Every) {
		a.Tick(tick+1, nil)
		if tick == 5 {
			a.Area.Revert([]world.BlockChange{{At: world.Pos{X: 200 * world.RegionSize, Y: 70}, Was: world.GoldOre}})
		}
		a.EndTick(machine.Time(tick))
	}
	return proof
}
