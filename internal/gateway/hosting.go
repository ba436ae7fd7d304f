package gateway

// Hosting is a node's share of the world and the nodes that it hosts it with.
type Hosting struct {
	Node     string   `json:"node"`    // this node's id; empty: no other can host this world
	Address  string   `json:"address"` // that others join by
	Links    int      `json:"links"`   // to other nodes
	Leads    int      `json:"leads"`   // regions (and the hall) that this node decides on
	Copies   int      `json:"copies"`  // regions (and the hall) that it keeps a replica of
	Peers    []Fellow `json:"peers"`
	Parts    []Share  `json:"parts"`
	NetIn    uint64   `json:"net_bytes_in"` // from other nodes, since the start
	NetOut   uint64   `json:"net_bytes_out"`
	NetDrops uint64   `json:"net_drops"` // packets that were not read in time, by the kernel and by us
}

// Fellow is a node that there is a link to.
type Fellow struct {
	Node    string  `json:"node"`
	Address string  `json:"address"`
	Trip    float64 `json:"trip_ms"` // 0: not known
}

// Share is a part of the world that this node knows the hosts of.
type Share struct {
	Part    string   `json:"part"` // "hall" or "X,Z"
	Role    string   `json:"role"` // of this node: leads, copy or none
	Leader  string   `json:"leader"`
	Members []string `json:"members"`
	Awake   bool     `json:"awake"`
}

// Disk is what the store has written since it was opened.
type Disk struct {
	Writes    uint64  `json:"writes"`
	Syncs     uint64  `json:"syncs"`
	Bytes     uint64  `json:"bytes"`
	Refused   uint64  `json:"refused"` // for lack of room
	MaxSyncMs float64 `json:"max_sync_ms"`
}
