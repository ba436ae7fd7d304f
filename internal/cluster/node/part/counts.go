package part

// Counts are totals since the node was made.
type Counts struct {
	Messages uint64 // handled by shards
	Sent     uint64 // to sessions
	Woken    uint64 // regions
	Slept    uint64 // regions
	Dropped  uint64 // messages between nodes that could not be brought anywhere

	NamesFalse uint64 // of the lobby's log, by which its leader was suspected
	LogEntries uint64 // of other hosts' regions, replayed
	LogsLost   uint64 // logs that could not be followed any further

	ColumnsCompared  uint64 // as shown to sessions here, with what leaders sign
	ShownUnsigned    uint64 // statements of leaders that do not agree with what they have shown
	Suspected        uint64 // leaders, of what is no proof
	CopiesCompared   uint64 // of regions that are followed, with what their logs lead to
	CopiesFalse      uint64 // of these, for which a leader was suspected
	Audits           uint64 // of leaders that others host with, by lot
	AuditsUnanswered uint64 // of these, pieces that did not come, or were not what was asked for
	Omissions        uint64 // times that a leader was suspected because it does not do what players have signed, or stops its clock
	RolesFalse       uint64 // times that a leader was suspected because of what it takes players for
}
