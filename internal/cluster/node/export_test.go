package node

import (
	"reflect"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// overBytes is for sim.Config.Carry: what the nodes of these tests say to each
// other travels as bytes. With the rules of what they store; nil: nothing.
var overBytes func(state.Rules) func(machine.Message) machine.Message

// OverBytes sets it; the codec imports this package.
func OverBytes(f func(state.Rules) func(machine.Message) machine.Message) { overBytes = f }

// HasLobbyAttack reports whether a type of message is among the lobbyAttacks.
func HasLobbyAttack(t reflect.Type) bool {
	_, has := lobbyAttacks[t]
	return has
}
