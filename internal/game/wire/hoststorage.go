package wire

import (
	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Bounds of a HostStorage.
const (
	MaxHostCells    = 128
	MaxHostObserved = 128
	MaxHostStorers  = 64
	MaxHostAccused  = 64
	maxZones        = 64
)

// HostStorage is what a node knows of the replicated storage of a verified world.
type HostStorage struct {
	Update     int64  `json:"update"` // that the node's own state is of; -1: it has none
	Begin      int64  `json:"begin"`  // when the storage began, in Unix milliseconds
	Every      uint32 `json:"every"`  // milliseconds between two updates
	Zone       uint32 `json:"zone"`   // of the node
	Zones      uint32 `json:"zones"`
	Votes      uint32 `json:"votes"`      // zones that agreed when it last asked
	Failed     uint32 `json:"failed"`     // updates that it could not make
	ObservedAt int64  `json:"observedAt"` // the update that Looks are of; -1: of none

	Cells    []HostCell     `json:"cells"`
	Observed []HostObserved `json:"observed"`
	Accused  []HostAccused  `json:"accused"`
}

// HostCell is the part of the stored world that a node keeps for its zone, as
// corners in metres; none: they are not known.
type HostCell struct {
	Node uint32   `json:"node"` // place in Hosts.Nodes
	Zone uint32   `json:"zone"`
	Cell []Corner `json:"cell"`
}

// HostObserved is how the zones agreed about a region: voted, or open.
type HostObserved struct {
	Region  world.RegionPos `json:"region"`
	Agreed  bool            `json:"agreed"`
	Storers []HostStorer    `json:"storers"` // who keep it and have answered
}

// HostStorer is a node that keeps a region for a zone.
type HostStorer struct {
	Node uint32 `json:"node"` // place in Hosts.Nodes
	Zone uint32 `json:"zone"`
}

// HostAccused is a node that is proven to have said otherwise than more than half
// of the zones.
type HostAccused struct {
	Node   id.ID           `json:"node"`
	At     int64           `json:"at"` // Unix milliseconds, the last time
	Update int64           `json:"update"`
	Region world.RegionPos `json:"region"`
	Zones  uint32          `json:"zones"` // that agreed against it
	Proofs uint32          `json:"proofs"`
	Cut    bool            `json:"cut"` // the authority has revoked it
}

func (h *HostStorage) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 11)
	b = msgp.AppendInt64(b, h.Update)
	b = msgp.AppendInt64(b, h.Begin)
	for _, n := range [...]uint32{h.Every, h.Zone, h.Zones, h.Votes, h.Failed} {
		b = msgp.AppendUint32(b, n)
	}
	b = msgp.AppendInt64(b, h.ObservedAt)
	b = msgp.AppendArrayHeader(b, uint32(len(h.Cells)))
	for _, p := range h.Cells {
		b = msgp.AppendArrayHeader(b, 3)
		b = msgp.AppendUint32(msgp.AppendUint32(b, p.Node), p.Zone)
		b = appendCorners(b, p.Cell)
	}
	b = msgp.AppendArrayHeader(b, uint32(len(h.Observed)))
	for _, l := range h.Observed {
		b = msgp.AppendArrayHeader(b, 3)
		b = msgp.AppendBool(appendRegion(b, l.Region), l.Agreed)
		b = msgp.AppendArrayHeader(b, uint32(len(l.Storers)))
		for _, s := range l.Storers {
			b = msgp.AppendArrayHeader(b, 2)
			b = msgp.AppendUint32(msgp.AppendUint32(b, s.Node), s.Zone)
		}
	}
	b = msgp.AppendArrayHeader(b, uint32(len(h.Accused)))
	for i := range h.Accused {
		b = h.Accused[i].append(b)
	}
	return b
}

func (a *HostAccused) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 7)
	b = msgp.AppendBytes(b, a.Node[:])
	b = msgp.AppendInt64(msgp.AppendInt64(b, a.At), a.Update)
	b = appendRegion(b, a.Region)
	b = msgp.AppendUint32(msgp.AppendUint32(b, a.Zones), a.Proofs)
	return msgp.AppendBool(b, a.Cut)
}

// hostTruth reads it; it names so many nodes.
func (r *reader) hostTruth(nodes uint64) (h HostStorage) {
	const most = 1 << 53
	last := max(nodes, 1) - 1
	r.tuple(11)
	h.Update, h.Begin = r.int(most), r.int(most)
	h.Every, h.Zone, h.Zones = uint32(r.uint(1<<32-1)), uint32(r.uint(maxZones)), uint32(r.uint(maxZones))
	h.Votes, h.Failed, h.ObservedAt = uint32(r.uint(maxZones)), uint32(r.uint(1<<32-1)), r.int(most)
	h.Cells, h.Observed, h.Accused = []HostCell{}, []HostObserved{}, []HostAccused{}
	for range r.array(MaxHostCells) {
		r.tuple(3)
		h.Cells = append(h.Cells, HostCell{uint32(r.uint(last)), uint32(r.uint(maxZones)), r.corners()})
	}
	for range r.array(MaxHostObserved) {
		r.tuple(3)
		l := HostObserved{Region: r.region(), Agreed: r.bool(), Storers: []HostStorer{}}
		for range r.array(MaxHostStorers) {
			r.tuple(2)
			l.Storers = append(l.Storers, HostStorer{uint32(r.uint(last)), uint32(r.uint(maxZones))})
		}
		h.Observed = append(h.Observed, l)
	}
	for range r.array(MaxHostAccused) {
		r.tuple(7)
		a := HostAccused{}
		r.exact(a.Node[:])
		a.At, a.Update, a.Region = r.int(most), r.int(most), r.region()
		a.Zones, a.Proofs, a.Cut = uint32(r.uint(maxZones)), uint32(r.uint(1<<32-1)), r.bool()
		h.Accused = append(h.Accused, a)
	}
	return h
}

func appendCorners(b []byte, cell []Corner) []byte {
	b = msgp.AppendArrayHeader(b, uint32(len(cell)))
	for _, c := range cell {
		b = appendRegion(b, world.RegionPos(c))
	}
	return b
}

func (r *reader) corners() []Corner {
	out := []Corner{}
	for range r.array(maxCorners) {
		out = append(out, Corner(r.region()))
	}
	return out
}
