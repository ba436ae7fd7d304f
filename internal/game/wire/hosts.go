package wire

import (
	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Bounds of a Hosts message.
const (
	MaxHostNodes   = 512
	MaxHostRegions = 1024
	maxMembers     = 16
	maxCorners     = 64
	MaxHostLinks   = 2048
	// MaxHostConvicted is how many nodes are named that were caught lying.
	MaxHostConvicted = 64
	// MaxHostLands is how much land of players is named.
	MaxHostLands = 1024
	// maxLandName bounds the names of land and of its owner, in bytes.
	maxLandName = 64
)

// AskHosts asks which nodes host the world, as far as this node knows.
type AskHosts struct{}

// Hosts answers AskHosts. The first of Nodes is the node that answers; regions
// name nodes by their place in the list.
type Hosts struct {
	Nodes   []HostNode    `json:"nodes"`
	Regions []HostRegion  `json:"regions"`
	Links   []HostLink    `json:"links"`
	Storage []HostStorage `json:"storage"` // one, of a node that takes part in a storage
	// Convicted are nodes that led a region and are proven to have lied about it. Nodes of
	// before send neither it nor what follows.
	Convicted []id.ID `json:"convicted"`
	// Lands are the boxes that players have claimed, seen from above.
	Lands []HostLand `json:"lands"`
}

// HostLand is land that a player has claimed, from corner to corner, both inside.
type HostLand struct {
	Name  string `json:"name"`
	Owner string `json:"owner"`
	From  Corner `json:"from"`
	To    Corner `json:"to"`
}

// HostLink is two neighbours in the overlay of a verified world, as places in
// Nodes.
type HostLink struct {
	A uint32 `json:"a"`
	B uint32 `json:"b"`
}

// HostNode is a machine that hosts a part of the world.
type HostNode struct {
	Node  id.ID  `json:"node"`
	Trip  uint32 `json:"trip"`  // round trip in microseconds; 0: not known
	Leads uint32 `json:"leads"` // regions, as far as is known
	// Cell is the node's Voronoi cell in a verified world, in metres, as corners
	// in order; empty in an open world.
	Cell []Corner `json:"cell"`
	// Place is where the node stands, if it has a cell.
	Place Corner `json:"place"`
}

// Corner is a point of the plane in metres.
type Corner struct {
	X int32 `json:"x"`
	Z int32 `json:"z"`
}

// HostRegion says who hosts a region. Its members hold it; its leader decides.
type HostRegion struct {
	Region  world.RegionPos `json:"region"`
	Awake   bool            `json:"awake"`
	Players uint32          `json:"players"`
	Members []uint32        `json:"members"` // places in Nodes, the leader first
}

// Type is the message's first byte.
func (*AskHosts) Type() Type { return TypeAskHosts }

// Type is the message's first byte.
func (*Hosts) Type() Type { return TypeHosts }

func (*AskHosts) append(b []byte) []byte { return msgp.AppendArrayHeader(b, 0) }
func (*AskHosts) read(r *reader)         { r.fields(0) }

func (m *Hosts) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 6)
	b = msgp.AppendArrayHeader(b, uint32(len(m.Nodes)))
	for i := range m.Nodes {
		b = m.Nodes[i].append(b)
	}
	b = msgp.AppendArrayHeader(b, uint32(len(m.Regions)))
	for i := range m.Regions {
		b = m.Regions[i].append(b)
	}
	b = msgp.AppendArrayHeader(b, uint32(len(m.Links)))
	for _, l := range m.Links {
		b = msgp.AppendArrayHeader(b, 2)
		b = msgp.AppendUint32(b, l.A)
		b = msgp.AppendUint32(b, l.B)
	}
	b = msgp.AppendArrayHeader(b, uint32(len(m.Storage)))
	for i := range m.Storage {
		b = m.Storage[i].append(b)
	}
	b = msgp.AppendArrayHeader(b, uint32(len(m.Convicted)))
	for _, who := range m.Convicted {
		b = msgp.AppendBytes(msgp.AppendArrayHeader(b, 1), who[:])
	}
	b = msgp.AppendArrayHeader(b, uint32(len(m.Lands)))
	for _, l := range m.Lands {
		b = msgp.AppendArrayHeader(b, 4)
		b = msgp.AppendString(msgp.AppendString(b, l.Name), l.Owner)
		b = appendRegion(appendRegion(b, world.RegionPos(l.From)), world.RegionPos(l.To))
	}
	return b
}

func (m *Hosts) read(r *reader) {
	r.fields(4)
	m.Nodes, m.Regions, m.Links, m.Storage = m.Nodes[:0], m.Regions[:0], m.Links[:0], m.Storage[:0]
	for range r.array(MaxHostNodes) {
		m.Nodes = append(m.Nodes, r.hostNode())
	}
	for range r.array(MaxHostRegions) {
		m.Regions = append(m.Regions, r.hostRegion(uint64(len(m.Nodes))))
	}
	last := uint64(max(len(m.Nodes), 1) - 1)
	for range r.array(MaxHostLinks) {
		r.tuple(2)
		m.Links = append(m.Links, HostLink{uint32(r.uint(last)), uint32(r.uint(last))})
	}
	for range r.array(1) {
		m.Storage = append(m.Storage, r.hostTruth(uint64(len(m.Nodes))))
	}
	m.Convicted = m.Convicted[:0]
	if r.extra == 0 {
		return
	}
	r.extra--
	for range r.array(MaxHostConvicted) {
		var who id.ID
		r.tuple(1)
		r.exact(who[:])
		m.Convicted = append(m.Convicted, who)
	}
	m.Lands = m.Lands[:0]
	if r.extra == 0 {
		return
	}
	r.extra--
	for range r.array(MaxHostLands) {
		r.tuple(4)
		m.Lands = append(m.Lands, HostLand{Name: r.str(maxLandName), Owner: r.str(maxLandName), From: Corner(r.region()), To: Corner(r.region())})
	}
}

func (n *HostNode) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 5)
	b = msgp.AppendBytes(b, n.Node[:])
	b = msgp.AppendUint32(b, n.Trip)
	b = msgp.AppendUint32(b, n.Leads)
	b = appendCorners(b, n.Cell)
	return appendRegion(b, world.RegionPos(n.Place))
}

func (r *reader) hostNode() (n HostNode) {
	r.tuple(5)
	r.exact(n.Node[:])
	n.Trip = uint32(r.uint(1<<32 - 1))
	n.Leads = uint32(r.uint(1<<32 - 1))
	n.Cell = r.corners()
	n.Place = Corner(r.region())
	return n
}

func (h *HostRegion) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 4)
	b = appendRegion(b, h.Region)
	b = msgp.AppendBool(b, h.Awake)
	b = msgp.AppendUint32(b, h.Players)
	b = msgp.AppendArrayHeader(b, uint32(len(h.Members)))
	for _, i := range h.Members {
		b = msgp.AppendUint32(b, i)
	}
	return b
}

// hostRegion reads a region whose members are among so many nodes.
func (r *reader) hostRegion(nodes uint64) (h HostRegion) {
	r.tuple(4)
	h.Region = r.region()
	h.Awake = r.bool()
	h.Players = uint32(r.uint(1<<32 - 1))
	h.Members = []uint32{}
	for range r.array(maxMembers) {
		h.Members = append(h.Members, uint32(r.uint(max(nodes, 1)-1)))
	}
	return h
}
