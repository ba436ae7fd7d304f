package attack

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of batches: that storers are busy with one player. Before t^a a member's player
// deposits batch after batch, each with another signature and other contents, at storers
// of all players: each has to be checked, and may be answered, kept, or told to others.

// batchTimes is how many batches a member sends to each honest node in an interval.
const batchTimes = 50

// Batches lets a member deposit at every honest node. It is called like a handler of the
// member.
func (g *Gang) Batches(member *storage.Node, of int64) {
	if !g.ways.Batches || !g.Cheats(member.Self().ID, of) {
		return
	}
	player := member.Player()
	_, honest := g.everyone()
	for k := range uint64(batchTimes) {
		a := &state.Action{Player: player, Seq: 1 + k, At: g.know.Update(of) - 1, Body: binary.BigEndian.AppendUint64(nil, k), Size: 100}
		b := (&state.Batch{Player: player, Of: of, Actions: []*state.Action{a}}).Signed(binary.BigEndian.AppendUint64(nil, k))
		for _, to := range honest {
			g.Did["batches"]++
			member.Overlay().Reply(to.Self(), &messages.Deposit{Batch: b})
		}
	}
}
