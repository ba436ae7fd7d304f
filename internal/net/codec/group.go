package codec

import "github.com/voxelpopuli/voxelpopuli/internal/cluster/group"

// Messages of internal/cluster/group. What the Raft library says is bytes to the codec.

const (
	maxSpace = 64       // bytes of a space's name
	maxRaft  = 1 << 14  // messages of the library in one
	maxLog   = 64 << 20 // bytes of one of them, or of a part of a snapshot
)

var groupKinds = []*kind{
	message(112, func(f *form, m *group.Message) {
		text(f, &m.Space, maxSpace)
		num(f, &m.Kind)
		gen(f, &m.Gen)
		num(f, &m.From)
		num(f, &m.To)
		f.bool(&m.Fresh)
		num(f, &m.Term)
		signed(f, &m.SentAt)
		signed(f, &m.Lease)
		signed(f, &m.AckSentAt)
		signed(f, &m.AckLease)
		num(f, &m.Transferee)
		num(f, &m.Index)
		list(f, &m.Raft, maxRaft, 1, func(f *form, b *[]byte) { f.bytes(b, maxLog) })
	}),
	message(113, func(f *form, m *group.Chunk) {
		text(f, &m.Space, maxSpace)
		gen(f, &m.Gen)
		num(f, &m.From)
		num(f, &m.To)
		num(f, &m.Term)
		num(f, &m.Index)
		num(f, &m.Seq)
		f.bool(&m.Last)
		f.bytes(&m.State, maxLog)
		f.bytes(&m.Data, maxLog)
	}),
	message(114, func(f *form, m *group.ChunkAck) {
		text(f, &m.Space, maxSpace)
		gen(f, &m.Gen)
		num(f, &m.From)
		num(f, &m.To)
		num(f, &m.Index)
		num(f, &m.Seq)
		f.bool(&m.Refused)
	}),
}

func gen(f *form, g *group.Gen) { num(f, &g.Number); num(f, &g.Fork) }
