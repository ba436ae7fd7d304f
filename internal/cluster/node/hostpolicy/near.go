package hostpolicy

const (
	// Nearby is how many of the nodes nearest to the key of a shard are asked about it.
	Nearby = 5
	// Claimants is how many of them may claim that another group of it goes on, and keep
	// copies. Hosts are not always among the nearest few, since a nearer node displaces none
	// of them.
	Claimants = 2 * Nearby
)
