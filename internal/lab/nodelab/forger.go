package nodelab

import (
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// Forger is a node that tampers with what it stores, once it is told to: it
// leaves out what was built, or says that other blocks are there.
type Forger struct {
	On     atomic.Bool
	Alters bool
	Rules  *voxelrules.Rules
}

func (*Forger) Intercept(*storage.Node, machine.Peer, machine.Message) bool { return false }

func (*Forger) AnswerActions(_ *storage.Node, _ *overlay.Contact, _ *messages.RetrieveActions, m *messages.ActionsResult) *messages.ActionsResult {
	return m
}

func (*Forger) Keep(*storage.Node, *state.Action) bool { return true }

func (*Forger) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push { return m }

// chunkTag begins the encoding of what was built in a chunk.
const chunkTag = 2

// Answer changes what was built.
func (f *Forger) Answer(n *storage.Node, _ *overlay.Contact, _ *messages.Retrieve, honest *messages.Result) *messages.Result {
	if honest.Seen == nil || !f.On.Load() {
		return honest
	}
	c := honest.Seen.Encode(&honest.Area, n.World())
	var kept []*state.Object
	for _, o := range c.Objects {
		if b := f.Rules.AppendObject(nil, o); b[0] == chunkTag {
			b[len(b)-1] ^= 1 // the last block's kind
			changed, err := f.Rules.DecodeObject(b)
			if !f.Alters || err != nil {
				continue
			}
			o = changed
		}
		kept = append(kept, o)
	}
	c.Objects = kept
	seen, err := state.DecodeSnapshot(honest.Seen.Of, &honest.Seen.Cover, &honest.Area, c, n.World())
	if err != nil {
		return nil // it says nothing rather than what nobody would read
	}
	m := *honest
	m.Seen = seen
	return m.Seal(n.World())
}
