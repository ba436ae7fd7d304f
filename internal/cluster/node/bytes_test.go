package node_test

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec/codectest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

func init() {
	node.OverBytes(func(rules state.Rules) func(machine.Message) machine.Message {
		if rules == nil {
			return codectest.Carry(codec.New())
		}
		return codectest.Carry(codec.NewVerified(codec.Verified{Rules: rules, Bounds: overlay.SpaceFor(4).Bounds()}))
	})
}

// TestHostileMessagesAreAll: TestLongHostileMessagesOfTheLobby tries all messages that the
// codec has of the lobby.
func TestHostileMessagesAreAll(t *testing.T) {
	for _, typ := range codec.Types() {
		if strings.HasSuffix(typ.PkgPath(), "game/lobby") && !node.HasLobbyAttack(typ) {
			t.Errorf("no attack by %v is tried", typ)
		}
	}
}
