package lobby

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Waiting says why a session does not get on with the lobby or a region. Its own
// node says so, which knows what it waits for; it never travels between nodes.
type Waiting struct {
	Lobby bool // the lobby; else a region
	Code  wire.Code
	// Since is when a host of the part was last heard (wire.Silent); 0: it is not
	// known.
	Since machine.Time
}
