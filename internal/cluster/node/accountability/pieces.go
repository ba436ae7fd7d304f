package accountability

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// PieceSending sends auditors the pieces of logs of regions that are led here.
type PieceSending struct {
	part.Part
	keys    *LogKeys
	links   *peers.Links
	logs    sentLogs
	jobs    *part.Runner
	terrain *terrain.Generator
	budgets *peers.Budgets // how often nodes may ask
	upload  limit.Budget   // bytes for all

	busy int
}

// sentLogs are the logs of regions that are led here (hosting).
type sentLogs interface {
	// PiecesOf are the pieces of the log of a region; nil: it is not led here.
	PiecesOf(shards.Shard) *regionlog.Archive
}

// NewPieceSending returns what answers auditors.
func NewPieceSending(c part.Part, keys *LogKeys, l *peers.Links, logs sentLogs, jobs *part.Runner, terrain *terrain.Generator) *PieceSending {
	return &PieceSending{
		Part: c, keys: keys, links: l, logs: logs, jobs: jobs, terrain: terrain, budgets: peers.NewBudgets(c, l, piecesPerMinute/60.0, piecesBurst),
		upload: limit.NewBudget(pieceUpload, pieceUploadBurst),
	}
}

const (
	piecesPerMinute = 20
	piecesBurst     = 4
	maxPieces       = 4 // that are encoded at a time
	// pieceUpload and pieceUploadBurst are the bytes a second for all auditors. Who is not
	// answered asks again.
	pieceUpload      = 64 << 10
	pieceUploadBurst = 4 << 20
)

// Receive takes an auditor's wish for a piece.
func (s *PieceSending) Receive(f *peers.Remote, m *Challenge) {
	pieces := s.logs.PiecesOf(shards.Shard{Region: m.Region})
	if s.keys == nil || pieces == nil || s.busy >= maxPieces || !s.budgets.Take(f, 1) || machine.Relayed(s.Env, f.Peer) {
		s.Counts.Dropped++
		return
	}
	c, err := regionlog.DecodeCheckpoint(m.Checkpoint, nil)
	if err != nil || c.Key != s.keys.Key || c.Region != m.Region || !c.Verify() {
		s.Counts.Dropped++
		return
	}
	p := pieces.Before(c)
	if p == nil || !s.upload.Take(1, time.Unix(0, int64(s.Env.Now()))) {
		s.links.Send(f.Peer, &Piece{Region: m.Region, Tick: c.Tick, Last: true})
		return
	}
	s.busy++
	s.jobs.Do(encodePiece{p, s.terrain}, func(result any, _ error) {
		s.busy--
		x, _ := result.(encodedPiece)
		pieces.Keep(x.differences)
		s.upload.Give(-float64(len(x.data)))
		s.send(f.Peer, m, c.Tick, x.data)
	})
}

// send sends a piece in parts.
func (s *PieceSending) send(to machine.Peer, m *Challenge, tick uint64, data []byte) {
	for part := uint32(0); ; part++ {
		out := &Piece{Region: m.Region, Tick: tick, Part: part, Data: data[:min(MaxLogPart, len(data))]}
		data = data[len(out.Data):]
		out.Last = len(data) == 0
		s.links.Send(to, out)
		if out.Last {
			return
		}
	}
}

// encodePiece implements machine.Work.
type encodePiece struct {
	piece   *regionlog.Piece
	terrain *terrain.Generator
}

// groundOf is the world as nobody has changed it.
func groundOf(g *terrain.Generator) regionlog.Ground {
	if g == nil {
		return func(world.ColumnPos) *world.Column { return nil }
	}
	return g.Column
}

type encodedPiece struct {
	data        []byte
	differences regionlog.Differences
}

// Cost is what it takes on an ordinary machine, for simulations.
func (encodePiece) Cost() time.Duration { return 60 * time.Millisecond }

// Run encodes.
func (j encodePiece) Run() (any, error) {
	d := j.piece.Differences(groundOf(j.terrain))
	return encodedPiece{j.piece.Append(nil, d), d}, nil
}
