package region

// Stats counts what a region has done since it woke, for metrics and tests.
// How long ticks take is measured by the driver: a region has no clock of its
// own.
type Stats struct {
	Ticks         uint64
	TicksMissed   uint64 // left out because the one before took too long
	BlocksChanged uint64
	CellsEncoded  uint64 // streams of cells, at most one for each cell, rate and tick
	CellBytes     uint64
	Keyframes     uint64
	Composed      uint64 // sets of cells put together
	FramesSent    uint64
	FramesSkipped uint64 // for subscribers who read too slowly
	FrameBytes    uint64 // of shared cells, over all subscribers
	ColumnsSent   uint64
	Inputs        uint64 // body steps taken
	InputsDropped uint64 // too many, or out of order
	Acts          uint64
	Refused       uint64 // messages that nobody may send, or that make no sense
	Unsigned      uint64 // acts and segments that their player has not signed
	Forged        uint64 // players in whose name somebody else has moved
	Handovers     uint64 // players given away
	Arrivals      uint64 // players taken over
	Writes        uint64
	WritesFailed  uint64
	ReadsFailed   uint64
	Snapshots     uint64

	Players     int
	Mobs        int
	Subscribers int
	Groups      int // distinct sets of watched columns
	Neighbours  int // regions that watch this one
	Ticking     bool
	ReadOnly    bool
}

// Stats returns the counters as they are now.
func (r *Region) Stats() Stats {
	s := r.stats
	s.Players, s.Mobs = len(r.area.Players()), len(r.area.Mobs())
	s.Subscribers, s.Groups, s.Neighbours = len(r.interest.subs), len(r.interest.groups), len(r.border.list)
	s.Ticking, s.ReadOnly = r.loop.ticking, r.store.readOnly
	return s
}

// PlayerNames are the names of the players whose home is here, those that are
// being handed over among them only until they are let go of.
func (r *Region) PlayerNames() (out []string) {
	for _, p := range r.area.Players() {
		out = append(out, p.Name)
	}
	return out
}
