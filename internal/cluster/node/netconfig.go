package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
)

// Net configures a node that hosts the world together with others.
type Net struct {
	part.Config
	// Signer signs what this node says of spare copies; nil: they are not signed.
	Signer copies.Signer
	// Log is what logs of regions are signed with; nil: nothing is recorded or followed
	// (a simulation that does not look at it).
	Log *accountability.LogKeys
	// Verified is for a world with an authority; nil: the world has none.
	Verified *verifiedworld.Config
	// Access says whom the founder admits; nil: everybody (a simulation).
	Access lists.Access
}
