package gateway

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Hosting is a node's share of the world and the nodes that it hosts it with.
type Hosting struct {
	Node     string             `json:"node"`     // this node's id; empty: no other can host this world
	Address  string             `json:"address"`  // that others join by
	Links    int                `json:"links"`    // to other nodes
	Leads    int                `json:"leads"`    // regions (and the lobby) that this node decides on
	Replicas int                `json:"replicas"` // regions (and the lobby) that it keeps a replica of
	Peers    []PeerNode         `json:"peers"`
	Shards   []Shard            `json:"shards"`
	NetIn    uint64             `json:"net_bytes_in"` // from other nodes, since the start
	NetOut   uint64             `json:"net_bytes_out"`
	Net      transport.NetStats `json:"-"`         // all of it, for /metrics
	NetDrops uint64             `json:"net_drops"` // packets that were not read in time, by the kernel and by us
	Capacity Capacity           `json:"capacity"`
	Overlay  *Overlay           `json:"overlay"` // null: the node has no place in one
	Storage  *Storage           `json:"storage"` // null: it takes part in no storage

	Convicted []string `json:"convicted"`        // nodes that this one has a proof against
	Compared  uint64   `json:"columns_compared"` // as players here are shown them, with what hosts sign
}

// Capacity is what a node may carry of the world, and what it does.
type Capacity struct {
	Regions     int  `json:"regions"`   // and the lobby, that it keeps at most
	Memory      int  `json:"memory_mb"` // 0: no limit
	MemoryUsed  int  `json:"memory_used_mb"`
	Upload      int  `json:"upload_kbs"` // KB a second to other nodes; 0: no limit
	UploadUsed  int  `json:"upload_used_kbs"`
	Players     int  `json:"players"` // at home in regions that it leads; 0: any number
	PlayersHere int  `json:"players_here"`
	Full        bool `json:"full"` // it takes on nothing more
}

// Storage is a node's part of the replicated storage of a world with an authority.
type Storage struct {
	Begin       time.Time        `json:"begin"` // t_0
	Every       float64          `json:"every_s"`
	Update      int64            `json:"update"` // that the node's state is of; -1: it has none
	Zone        int              `json:"zone"`
	Zones       int              `json:"zones"`
	Votes       int              `json:"votes"`   // zones that agreed when it last asked
	Objects     int              `json:"objects"` // in its part
	Unknown     int              `json:"unknown"` // cells of its part
	Updates     uint64           `json:"updates"`
	Failed      uint64           `json:"failed"`      // updates that it could not make
	False       uint64           `json:"false"`       // answers that more than half of the zones contradict
	Accused     []Accused        `json:"accused"`     // nodes that gave them
	Cells       []StoredCell     `json:"cells"`       // who stores what, as far as is known: this node first
	ObservedAt  int64            `json:"observed_at"` // the update that Observed is of; -1: of none
	Observed    []ObservedRegion `json:"observed"`    // the regions around those who play here
	Audit       *Audit           `json:"audit"`       // null: what is played here is not signed
	Accusations []Accusation     `json:"accusations"` // against leaders of regions, the last ones
}

// Accused is a node that is proven to have said otherwise than more than half of
// the zones.
type Accused struct {
	Node   string    `json:"node"`
	Time   time.Time `json:"time"`   // the last time
	Update int64     `json:"update"` // what it was about then
	Region [2]int32  `json:"region"`
	Zones  int       `json:"zones"`  // that agreed against it
	Proofs int       `json:"proofs"` // since this node runs
	Cut    bool      `json:"cut"`    // the authority has revoked it
}

// StoredCell is the part of the stored world that a node keeps for its zone; corners
// [x, z] in metres.
type StoredCell struct {
	Node string     `json:"node"`
	Zone int        `json:"zone"`
	Cell [][2]int32 `json:"cell"`
}

// ObservedRegion is whether enough zones agree on a region.
type ObservedRegion struct {
	Region  [2]int32 `json:"region"`
	Agreed  bool     `json:"agreed"`
	Storers []Storer `json:"storers"` // that store it and have answered
}

// Storer is a node that keeps a region for a zone.
type Storer struct {
	Node string `json:"node"`
	Zone int    `json:"zone"`
}

// Audit is how far what is played at a node is in the storage, and agrees with
// it (docs/protocols/audit.md).
type Audit struct {
	Update      int64  `json:"update"`      // what was looked at last
	Present     bool   `json:"present"`     // it stands in the storage
	Waiting     int    `json:"waiting"`     // edits that the zones do not have yet
	Taken       uint64 `json:"taken"`       // that are
	Refused     uint64 `json:"refused"`     // that were given up
	Compared    uint64 `json:"compared"`    // columns
	Differing   int    `json:"differing"`   // blocks that regions show otherwise than the zones have them
	Accusations uint64 `json:"accusations"` // against leaders of regions
}

// Accusation is what the leader of a region is accused of.
type Accusation struct {
	Time   time.Time `json:"time"`
	Leader string    `json:"leader"`
	Region [2]int32  `json:"region"`
	What   string    `json:"what"`
}

// Overlay is a node's place in the overlay of a world with an authority. Places
// are in units of the key space, corners of cells [x, z] in metres.
type Overlay struct {
	Place       [2]int32    `json:"place"`
	Stable      bool        `json:"stable"` // the node has found its neighbours
	Links       int         `json:"links"`
	Cell        [][2]int32  `json:"cell"`
	Neighbours  []Neighbour `json:"neighbours"`
	Evidence    uint64      `json:"evidence"`    // of false views, since the start
	Revocations uint64      `json:"revocations"` // version of the list in force; 0: none
}

// Neighbour is a neighbour in the overlay.
type Neighbour struct {
	Node  string     `json:"node"`
	Place [2]int32   `json:"place"`
	Cell  [][2]int32 `json:"cell"` // as it says
}

// PeerNode is a node that there is a link to.
type PeerNode struct {
	Node    string  `json:"node"`
	Address string  `json:"address"`
	Trip    float64 `json:"trip_ms"` // 0: not known
}

// Shard is a part of the world that this node knows the hosts of.
type Shard struct {
	Shard   string   `json:"shard"` // "lobby" or "X,Z"
	Role    string   `json:"role"`  // of this node: leads, copy or none
	Leader  string   `json:"leader"`
	Members []string `json:"members"`
	Awake   bool     `json:"awake"`
	// Restored is when the copy was made with which the shard began after the loss of all
	// its hosts; empty: it did not, or this node does not host it.
	Restored string `json:"restored,omitempty"`
}

// Disk is what the store has written since it was opened.
type Disk struct {
	Writes    uint64  `json:"writes"`
	Syncs     uint64  `json:"syncs"`
	Bytes     uint64  `json:"bytes"`
	Refused   uint64  `json:"refused"` // for lack of room
	MaxSyncMs float64 `json:"max_sync_ms"`
}
